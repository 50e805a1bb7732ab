from pto_lsp.server.main import run

run()
