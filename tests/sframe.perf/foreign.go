// Calls of a known depth through C and back, for samples of a language with stacks of its own.
// SPDX-License-Identifier: GPL-2.0-only
//
// Usage: foreign SECONDS
package main

/*
static unsigned int
spin_c (unsigned int a, int rounds)
{
  for (int i = 0; i < rounds; ++i)
    a = a * 31 + i;
  return a;
}

extern unsigned int back (unsigned int, int);

static unsigned int
call_back (unsigned int a, int n)
{
  return back (a, n) + 1;
}
*/
import "C"

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

const depth, rounds, repeats = 25, 2000, 20

//go:noinline
func spin(a uint32) uint32 {
	for i := uint32(0); i < rounds; i++ {
		a = a*31 + i
	}
	return a
}

//go:noinline
func descend(a uint32, n int) uint32 {
	switch {
	case n == 0:
		return spin(a) + uint32(C.spin_c(C.uint(a), rounds))
	case n == 10:
		return uint32(C.call_back(C.uint(a), C.int(n-1))) + 1
	}
	return descend(a, n-1) + 1
}

//export back
func back(a C.uint, n C.int) C.uint {
	return C.uint(descend(uint32(a), int(n)))
}

func main() {
	seconds, _ := strconv.Atoi(os.Args[1])
	end := time.Now().Add(time.Duration(seconds) * time.Second)
	sum := uint32(0)
	for time.Now().Before(end) {
		for i := 0; i < repeats; i++ {
			sum += descend(sum, depth)
		}
	}
	fmt.Println(sum != 0)
}
