if vim.g.loaded_pto then
  return
end
vim.g.loaded_pto = true

local function preview(kind)
  return function()
    require('pto.preview').open(kind)
  end
end

vim.api.nvim_create_user_command('PtoSync', preview('sync'), { desc = 'Which waits the kernel under the cursor needs' })
vim.api.nvim_create_user_command(
  'PtoCanonical',
  preview('canonical'),
  { desc = 'What the compiler makes of the slices of the kernel under the cursor' }
)
vim.api.nvim_create_user_command(
  'PtoBudget',
  preview('budget'),
  { desc = 'How full the on-chip buffers of the kernel under the cursor get' }
)
vim.api.nvim_create_user_command('PtoRestart', function()
  require('pto').restart()
end, { desc = 'Restart the PTO language server' })

-- Code lenses name these commands; here they open the same split.
vim.lsp.commands['pto.syncPreview'] = preview('sync')
vim.lsp.commands['pto.canonicalPreview'] = preview('canonical')
vim.lsp.commands['pto.budgetPreview'] = preview('budget')
