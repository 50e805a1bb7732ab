-- Read by `vim.lsp.config('pto')` (Neovim 0.11). Override any field with `vim.lsp.config('pto', { ... })`.
return {
  cmd = { 'pto-lsp' },
  filetypes = { 'python', 'pto' },
  root_markers = { 'pto-lint.toml', 'pyproject.toml', '.git' },
  settings = { pto = {} },
}
