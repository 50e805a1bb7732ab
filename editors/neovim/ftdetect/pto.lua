vim.filetype.add({ extension = { pto = 'pto' } })
