local M = {}

---Enables the server for Python and .pto buffers.
---@param options table? fields of `vim.lsp.config('pto')`, and `settings.pto` for the server's own settings
function M.setup(options)
  if options then
    vim.lsp.config('pto', options)
  end
  vim.lsp.enable('pto')
end

---The server's client attached to a buffer, or nil.
---@param buffer integer? 0 or nil for the current one
function M.client(buffer)
  return vim.lsp.get_clients({ name = 'pto', bufnr = buffer or 0 })[1]
end

---Stops every running server and attaches new ones to the buffers that they served.
function M.restart()
  local buffers = {}
  for _, client in ipairs(vim.lsp.get_clients({ name = 'pto' })) do
    for buffer in pairs(client.attached_buffers) do
      buffers[buffer] = true
    end
    client:stop()
  end
  local stopped = vim.wait(5000, function()
    return #vim.lsp.get_clients({ name = 'pto' }) == 0
  end, 20)
  if not stopped then
    for _, client in ipairs(vim.lsp.get_clients({ name = 'pto' })) do
      client:stop(true)
    end
  end
  for buffer in pairs(buffers) do
    if vim.api.nvim_buf_is_loaded(buffer) then
      vim.lsp.start(vim.lsp.config.pto, { bufnr = buffer, reuse_client = M._same_root })
    end
  end
end

function M._same_root(client, config)
  return client.name == config.name and client.root_dir == config.root_dir and not client:is_stopped()
end

return M
