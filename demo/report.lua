-- The script of `make demo': a report whose output file turns out to be no file.
-- SPDX-License-Identifier: LGPL-2.1-or-later
--
-- Lua's debug library can pass any pointer for an open file.  This one points
-- to unmapped memory, as a FILE that was freed may; fwrite in libc crashes on
-- it.  On the way there each step goes through C code of Lua and back:
-- a recursion, table.sort, a coroutine, string.gsub, pcall.

local function bad_file ()
  local closure = coroutine.wrap (print)
  debug.setupvalue (closure, 1, 0xdeadbeef000)
  local file = debug.upvalueid (closure, 1)
  debug.setmetatable (file, getmetatable (io.stdout))
  return file
end

local log = bad_file ()

local function note (text)
  return log:write (text)
end

local function expand (template)
  return (string.gsub (template, "$(%w+)", function (word)
    return select (2, pcall (note, word))
  end))
end

local function by_name (a, b)
  local expanded = coroutine.wrap (expand)
  return expanded (a.name) < b.name
end

local function render (node, depth)
  if depth == 0 then
    table.sort (node.leaves, by_name)
    return
  end
  render (node, depth - 1)
end

render ({ leaves = { { name = "$two" }, { name = "$one" } } }, 3)
