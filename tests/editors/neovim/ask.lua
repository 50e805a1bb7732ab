T.run(function()
  local client = T.open('copied.py')
  vim.fn.search('w = pl')
  local place = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local hover = assert(client:request_sync('textDocument/hover', place, 60000, 0)).result
  vim.fn.search('slice')
  place = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local found = assert(client:request_sync('textDocument/completion', place, 60000, 0)).result
  local labels = vim.tbl_map(function(item)
    return item.label
  end, found.items)
  return { hover = hover.contents.value, completions = labels }
end)
