# Draws frame.svg, first.svg and threads.svg from the files of these names that bench/plot has made.
# SPDX-License-Identifier: LGPL-2.1-or-later

set terminal svg size 640,360 noenhanced background "white"
set style data linespoints
set linetype cycle 6
set linetype 1 linewidth 3 linecolor "#c00000" pointtype 7
set linetype 2 linewidth 2 linecolor "#e08000" pointtype 5
set linetype 3 linewidth 2 linecolor "#9060c0" pointtype 9
set linetype 4 linewidth 2 linecolor "#606060" pointtype 11
set linetype 5 linewidth 2 linecolor "#2060c0" pointtype 13
set linetype 6 linewidth 2 linecolor "#208040" pointtype 6
set pointsize 0.6
set key outside
set grid ytics
set logscale xy

set xlabel "frames"
set xtics (2, 4, 8, 16, 32, 64, 128, 256)
set xrange [1.7:300]

set output "frame.svg"
set title "backtrace() of a stack that was traced before"
set ylabel "nanoseconds per frame"
plot for [i = 0:5] "frame" index i title columnheader(1)

set output "first.svg"
set title "First backtrace() of a process"
set ylabel "microseconds"
plot for [i = 0:5] "first" index i using 1:($2 / 1000) title columnheader(1)

unset logscale x
set output "threads.svg"
set title "Threads that call backtrace() at once, 16 frames deep"
set ylabel "nanoseconds per frame"
set xlabel "threads"
stats "threads" using 1 nooutput
set xtics ceil(STATS_max / 16)
set xrange [0.5:STATS_max + 0.5]
plot for [i = 0:5] "threads" index i title columnheader(1)
