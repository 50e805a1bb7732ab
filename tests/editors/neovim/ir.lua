T.run(function()
  T.open('copy.pto')
  local codes = T.codes_become({ 'PTO003' })
  vim.cmd('checkhealth pto')
  local health = T.text()
  return { filetype = vim.filetype.match({ filename = 'copy.pto' }), codes = codes, health = health }
end)
