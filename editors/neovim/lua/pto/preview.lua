-- A split that shows what the compiler or the assembler makes of the kernel under the cursor, and follows it.
local M = {}

local COMMANDS = { sync = 'pto.syncPreview', canonical = 'pto.canonicalPreview', budget = 'pto.budgetPreview' }
local QUIET_MS = 120

---@type table<string, { buffer: integer, timer: uv.uv_timer_t, latest: integer }>
local previews = {}

local function scratch(kind)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].filetype = kind == 'canonical' and 'python' or 'pto' .. kind
  vim.api.nvim_buf_set_name(buffer, ('pto://%s'):format(kind))
  return buffer
end

local function show(buffer, answer)
  if not vim.api.nvim_buf_is_valid(buffer) then
    return
  end
  local lines = vim.split(answer.content, '\n', { plain = true })
  if answer.stale then
    table.insert(lines, 1, '# The kernel does not parse at the moment; this is the last good preview.')
  end
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
end

local function ask(kind, source)
  local client = require('pto').client(source)
  local preview = previews[kind]
  if not client or not preview then
    return
  end
  preview.latest = preview.latest + 1
  local ticket = preview.latest
  local window = vim.fn.bufwinid(source)
  local position = vim.lsp.util.make_position_params(window ~= -1 and window or 0, client.offset_encoding)
  local argument = {
    uri = vim.uri_from_bufnr(source),
    line = position.position.line,
    character = position.position.character,
    format = 'text',
  }
  client:request('workspace/executeCommand', { command = COMMANDS[kind], arguments = { argument } }, function(err, answer)
    if err then
      vim.notify(('pto: %s'):format(err.message), vim.log.levels.WARN)
    elseif answer and answer ~= vim.NIL and preview.latest == ticket then
      show(preview.buffer, answer)
    end
  end, source)
end

local function follow(kind, source)
  local group = vim.api.nvim_create_augroup('pto.preview.' .. kind, { clear = true })
  vim.api.nvim_create_autocmd({ 'CursorMoved', 'CursorMovedI', 'TextChanged', 'TextChangedI', 'BufEnter' }, {
    group = group,
    callback = function(event)
      if not require('pto').client(event.buf) then
        return
      end
      local preview = previews[kind]
      preview.timer:start(QUIET_MS, 0, vim.schedule_wrap(function()
        if previews[kind] and vim.api.nvim_buf_is_valid(event.buf) then
          ask(kind, event.buf)
        end
      end))
    end,
  })
  vim.api.nvim_create_autocmd('BufWipeout', {
    group = group,
    buffer = previews[kind].buffer,
    callback = function()
      previews[kind].timer:close()
      previews[kind] = nil
      vim.api.nvim_del_augroup_by_id(group)
    end,
  })
  ask(kind, source)
end

---Opens the split for a kind of preview, or refreshes it when it is open.
---@param kind 'sync'|'canonical'|'budget'
function M.open(kind)
  local source = vim.api.nvim_get_current_buf()
  if not require('pto').client(source) then
    vim.notify('pto: no server is attached to this buffer; :checkhealth pto tells why', vim.log.levels.WARN)
    return
  end
  if previews[kind] then
    ask(kind, source)
    return
  end
  local buffer = scratch(kind)
  previews[kind] = { buffer = buffer, timer = assert(vim.uv.new_timer()), latest = 0 }
  vim.api.nvim_open_win(buffer, false, { split = 'right', win = 0 })
  follow(kind, source)
end

return M
