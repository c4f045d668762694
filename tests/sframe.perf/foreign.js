// Calls of a known depth, for samples of what a JIT compiler makes of them.
// SPDX-License-Identifier: GPL-2.0-only
//
// Usage: node foreign.js SECONDS

const depth = 25, rounds = 2000, repeats = 20;
let sum = 0;

function spin (n)
{
  let a = n;
  for (let i = 0; i < rounds; ++i)
    a = (a * 31 + i) | 0;
  return a;
}

function descend (n)
{
  return n === 0 ? spin (sum) : descend (n - 1) + 1;
}

const end = Date.now () + Number (process.argv[2]) * 1000;
while (Date.now () < end)
  for (let i = 0; i < repeats; ++i)
    sum += descend (depth);
console.log (sum !== 0);
