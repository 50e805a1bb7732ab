-- What every scenario starts from: the plugin alone, and helpers that wait instead of sleeping.
vim.opt.runtimepath:prepend(vim.env.PTO_PLUGIN)
vim.cmd('filetype plugin on')
vim.cmd.runtime('plugin/pto.lua')
require('pto').setup()

local T = {}

function T.wait(what, condition)
  local last
  local ok = vim.wait(60000, function()
    last = condition()
    return last
  end, 20)
  assert(ok, 'waited in vain for ' .. what)
  return last
end

function T.open(name)
  vim.cmd.edit(name)
  return T.wait('a client', function()
    local client = vim.lsp.get_clients({ name = 'pto', bufnr = 0 })[1]
    return client and client.initialized and client
  end)
end

function T.codes()
  local codes = vim.tbl_map(function(each)
    return each.code
  end, vim.diagnostic.get(0))
  table.sort(codes)
  return codes
end

function T.codes_become(expected)
  return T.wait('the findings ' .. table.concat(expected, ' '), function()
    local codes = T.codes()
    return vim.deep_equal(codes, expected) and codes
  end)
end

function T.text(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer or 0, 0, -1, false), '\n')
end

-- Runs a scenario, writes what it returns, and leaves.
function T.run(scenario)
  local ok, result = xpcall(scenario, debug.traceback)
  local file = assert(io.open(vim.env.PTO_RESULT, 'w'))
  file:write(vim.json.encode(ok and result or { error = result }))
  file:close()
  vim.cmd('qa!')
end

_G.T = T
