# Compare each trace that backtrace() makes in a program with gdb's stack of the same thread at the same time; for gdb to source.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# TRACES is the file that is written: a line "trace VERDICT COUNT OUTSIDE" for
# each call, followed by its frames, and a last one "end HOW".  COUNT frames
# were returned, OUTSIDE of them are not in libc.  VERDICT is
#   whole   gdb's stack up to where the program or the thread began, or as much
#           of it as the caller has room for
#   foreign gdb's stack up to code that is in no object, as a JIT compiler's
#   short   the first frames of gdb's stack only, or all of a stack that does not
#           reach the start of the program or thread
#   wrong   another stack than gdb's
#   died    none: the program died in the call
#
# TRIGGER says what makes the program crash: empty, if it crashes by itself;
# "signal NAME", a signal to the first thread when the program waits for something;
# "thread THREAD NAME", a signal to the thread with that name; "socket FILE TEXT",
# a text for the socket on which the program listens.

import ctypes
import os
import signal
import socket
import threading
import time

import gdb

SETTINGS = """
pagination off
confirm off
width 0
backtrace past-main on
backtrace past-entry on
backtrace limit 100000
breakpoint pending off
debuginfod enabled off
disable-randomization off
print thread-events off
startup-with-shell off
"""
LIBC = "/libc.so."
# How many calls of backtrace() are judged.
MOST_CALLS = 40

traces = open(os.environ["TRACES"], "w")


def do(command):
    return gdb.execute(command, to_string=True)


def say(*words):
    print(*words, file=traces, flush=True)


def object_of(pc):
    """The file that PC belongs to, or None."""
    name = gdb.solib_name(pc)
    if name is None:
        block = gdb.current_progspace().filename
        if any(start <= pc < end for start, end in program_text):
            name = block
    return name


def find_program_text():
    """The entry point of the program and the ranges of its sections."""
    name = gdb.current_progspace().filename
    entry, text = None, []
    for line in do("info files").splitlines():
        words = line.split()
        if words[:2] == ["Entry", "point:"]:
            entry = int(words[2], 16)
        elif len(words) == 5 and words[1] == "-" and words[3] == "is":
            text.append((int(words[0], 16), int(words[2], 16)))
    return entry, text


def describe(pc):
    symbol = do("info symbol %d" % pc).split(" in section ")[0].strip()
    if symbol.startswith("No symbol"):
        symbol = "?"
    return "%#x %s %s" % (pc, object_of(pc) or "-", symbol)


def stack():
    """Return addresses of the selected thread by gdb.  Frames that have no
    place on the stack are left out: of inlined functions, and of those that
    gdb thinks to have jumped to another function at their end."""
    frame = gdb.newest_frame()
    pcs = []
    while frame is not None:
        if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
            pcs.append(frame.pc())
        try:
            frame = frame.older()
        except gdb.error as error:
            say("# gdb:", error)
            break
    return pcs


def is_outermost(pc):
    """Whether a program or a thread begins at PC.  In Debian's libc, which is
    stripped, the functions of threads have no names."""
    _, file, symbol = describe(pc).split(None, 2)
    return (0 < pc - entry < 64
            or (LIBC in file and ("clone" in symbol or symbol == "?")))


def judge(ours, theirs, size):
    """The verdict on OURS, a trace of at most SIZE frames, if THEIRS is gdb's
    stack."""
    if ours != theirs[:len(ours)]:
        return "wrong"
    if ours and (len(ours) == size or is_outermost(ours[-1])):
        return "whole"
    if ours and None in map(object_of, theirs[len(ours) - 1:len(ours) + 1]):
        return "foreign"
    return "short"


def read_trace(array, count):
    if count <= 0:
        return []
    memory = gdb.selected_inferior().read_memory(array, 8 * count).tobytes()
    return [int.from_bytes(memory[i:i + 8], "little")
            for i in range(0, 8 * count, 8)]


def has_died():
    """Whether the program is gone, or this thread of it.  A signal that kills
    all threads ends them one after the other, and gdb stops in between."""
    def is_gone():
        return gdb.selected_inferior().pid == 0

    try:
        if not is_gone():
            gdb.newest_frame()
            return False
    except gdb.error as error:
        say("# gdb:", error)
    for command in ["set scheduler-locking off"] + 5 * ["thread 1", "continue"]:
        try:
            if not is_gone():
                time.sleep(0.1)
                do(command)
        except gdb.error as error:
            say("# gdb:", error)
    return True


def one_call():
    """Let backtrace(), at the start of which the program stands, return, and
    judge its trace.  Return whether the program goes on."""
    array = int(gdb.parse_and_eval("(unsigned long) $rdi"))
    size = int(gdb.parse_and_eval("(int) $esi"))
    theirs = stack()[1:]
    do("set scheduler-locking on")
    do("disable")
    try:
        do("finish")
    except gdb.error as error:
        say("# gdb:", error)
    if has_died():
        say("trace died 0 0")
        return False
    do("enable")
    do("set scheduler-locking off")
    ours = read_trace(array, int(gdb.parse_and_eval("(int) $eax")))
    outside = [pc for pc in ours if LIBC not in (object_of(pc) or "")]
    say("trace", judge(ours, theirs, size), len(ours), len(outside))
    for i in range(max(len(ours), min(size, len(theirs)))):
        mine = describe(ours[i]) if i < len(ours) else "nothing"
        other = describe(theirs[i]) if i < len(theirs) else "nothing"
        say("  #%d" % i, mine, "" if mine == other else "gdb: " + other)
    return True


def threads(pid):
    return sorted(map(int, os.listdir("/proc/%d/task" % pid)))


def wait_until_idle(pid):
    """A program that has used no time for a second waits for something."""
    used = None
    while True:
        now = []
        for thread in threads(pid):
            with open("/proc/%d/task/%d/stat" % (pid, thread)) as file:
                now.append(file.read().rsplit(")", 1)[1].split()[11:13])
        if now == used:
            return
        used = now
        time.sleep(1)


def find_thread(pid, name):
    for thread in threads(pid):
        with open("/proc/%d/task/%d/comm" % (pid, thread)) as file:
            if file.read().strip() == name:
                return thread
    return pid


def send_text(file, text):
    with socket.socket(socket.AF_UNIX) as client:
        while client.connect_ex(file) != 0:
            time.sleep(0.1)
        client.sendall(text.encode() + b"\r\n")
        try:
            client.recv(1000)
        except OSError:
            pass


def pull_trigger(pid):
    kind, what = os.environ["TRIGGER"].split(None, 1)
    if kind == "socket":
        send_text(*what.split(None, 1))
        return
    wait_until_idle(pid)
    words = what.split()
    thread = find_thread(pid, words[0]) if kind == "thread" else pid
    ctypes.CDLL(None).tgkill(pid, thread, getattr(signal, "SIG" + words[-1]))


def start():
    """Run the program up to the loading of libc."""
    for setting in SETTINGS.split("\n"):
        if setting:
            do("set " + setting)
    do("handle all nostop noprint pass")
    do("handle SIGTRAP SIGINT nopass")
    if os.environ.get("CRASH_HANDLER"):
        do("set environment LD_PRELOAD " + os.environ["CRASH_HANDLER"])
    do("catch load libc\\.so\\.6")
    do("run")
    do("delete")


def follow():
    """Judge all traces until the program ends."""
    function = int(gdb.parse_and_eval("(unsigned long) &backtrace"))
    do("break *%d" % function)
    if os.environ.get("TRIGGER"):
        threading.Thread(target=pull_trigger, daemon=True,
                         args=(gdb.selected_inferior().pid,)).start()
    for _ in range(MOST_CALLS):
        if gdb.selected_inferior().pid != 0:
            do("continue")
        if gdb.selected_inferior().pid == 0:
            break
        if gdb.newest_frame().pc() != function:
            say("# stopped at", describe(gdb.newest_frame().pc()))
            break
        if not one_call():
            break


def how_it_ended():
    if gdb.selected_inferior().pid != 0:
        try:
            do("kill")
        except gdb.error as error:
            say("# gdb:", error)
        return "killed"
    for variable in "_exitsignal", "_exitcode":
        value = gdb.convenience_variable(variable)
        if value is not None:
            return "%s %d" % (variable[5:], value)
    return "unknown"


start()
entry, program_text = find_program_text()
follow()
say("end", how_it_ended())
