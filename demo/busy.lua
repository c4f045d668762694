-- The second script of `make demo': reports one after the other, for a profiler to look at.
-- SPDX-License-Identifier: LGPL-2.1-or-later
--
-- As in report.lua, each step goes through C code of Lua and back: a
-- recursion, table.sort, a coroutine, string.gsub, pcall.

local values = { one = "1", two = "2", three = "3" }

local function value (name)
  return values[name] or error (name)
end

local function expand (template)
  return (string.gsub (template, "$(%w+)", function (word)
    return select (2, pcall (value, word))
  end))
end

local function by_name (a, b)
  local expanded = coroutine.wrap (expand)
  return expanded (a.name) < b.name
end

local function render (node, depth)
  if depth == 0 then
    table.sort (node.leaves, by_name)
    return #node.leaves
  end
  return render (node, depth - 1) + 1
end

for _ = 1, tonumber (arg[1]) do
  local leaves = {}
  for i, name in ipairs { "$two", "$one", "$three $one", "$none", "$two" } do
    leaves[i] = { name = name .. i }
  end
  render ({ leaves = leaves }, 8)
end
