local function preview(kind)
  local buffer = vim.fn.bufnr('pto://' .. kind)
  return buffer ~= -1 and buffer or nil
end

local function holds(kind, text)
  return function()
    local buffer = preview(kind)
    return buffer and T.text(buffer):find(text, 1, true) and T.text(buffer)
  end
end

local function change(from, to)
  local row = vim.fn.search(vim.fn.escape(from, '[]'), 'w')
  assert(row > 0, from .. ' is not in the buffer')
  vim.fn.setline(row, (vim.fn.getline(row):gsub(vim.pesc(from), to)))
  vim.api.nvim_exec_autocmds('TextChanged', { buffer = 0 })
end

T.run(function()
  T.open('copied.py')
  vim.fn.search('pl.load')
  vim.cmd('PtoCanonical')
  vim.cmd('PtoSync')
  vim.cmd('PtoBudget')
  local result = {
    canonical = T.wait('the canonical form', holds('canonical', 'pl.tile.extract(')),
    budget = T.wait('the budget', holds('budget', 'of 188,416 bytes')),
    sync = T.wait('the synchronisation', holds('sync', 'MTE2')),
  }
  change('[0, 6]', '[0, 16]')
  result.followed = T.wait('the new offset', holds('canonical', '0, 16'))
  change('[0, 16])', '[0, 16')
  T.wait('the note about the broken text', holds('canonical', 'last good'))
  result.kept_on_broken_text = holds('canonical', '0, 16')() ~= nil
  return result
end)
