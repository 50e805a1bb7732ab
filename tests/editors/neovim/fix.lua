T.run(function()
  T.open('kernel.py')
  local codes = T.codes_become({ 'PTO002', 'PTO003' })
  local row = vim.fn.search('PTO201')
  vim.lsp.buf.code_action({
    apply = true,
    filter = function(action)
      return action.title == 'Remove it'
    end,
  })
  local fixed = T.codes_become({ 'PTO003' })
  return { codes = codes, fixed = fixed, line = vim.fn.getline(row) }
end)
