local M = {}

function M.check()
  local health = vim.health
  health.start('pto')
  if vim.fn.has('nvim-0.11') == 0 then
    health.error('Neovim 0.11 or newer is needed')
    return
  end
  local command = vim.lsp.config.pto.cmd
  local program = type(command) == 'table' and command[1] or nil
  if program and vim.fn.executable(program) == 1 then
    local answer = vim.system({ program, '--version' }, { text = true }):wait()
    health.ok(('%s: %s'):format(vim.fn.exepath(program), vim.trim(answer.stdout or '')))
  elseif program then
    health.error(('%s cannot be run'):format(program), {
      'pip install pto-lsp into an environment on PATH',
      "or name it: vim.lsp.config('pto', { cmd = { '/path/to/pto-lsp' } })",
    })
  end
  if vim.lsp.is_enabled('pto') then
    health.ok('enabled for ' .. table.concat(vim.lsp.config.pto.filetypes, ', '))
  else
    health.warn('not enabled', { "call require('pto').setup() in your configuration" })
  end
  for _, client in ipairs(vim.lsp.get_clients({ name = 'pto' })) do
    local info = client.server_info or {}
    health.info(('client %d: version %s, root %s'):format(client.id, info.version or '?', client.root_dir or '-'))
  end
end

return M
