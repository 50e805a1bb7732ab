T.run(function()
  local first = T.open('kernel.py')
  local before = T.codes_become({ 'PTO002', 'PTO003' })
  vim.cmd('PtoRestart')
  local second = T.wait('a new client', function()
    local client = vim.lsp.get_clients({ name = 'pto', bufnr = 0 })[1]
    return client and client.id ~= first.id and client
  end)
  return {
    before = before,
    after = T.codes_become({ 'PTO002', 'PTO003' }),
    first_client = first.id,
    second_client = second.id,
  }
end)
