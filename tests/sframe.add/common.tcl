# What the tests of sframe-add share.
# SPDX-License-Identifier: LGPL-2.1-or-later

set add $sframe_tools/sframe-add
set add_source $srcdir/$subdir
set add_flags [list -std=gnu17 -O2 -Wall -Wextra -Wno-sign-compare \
		   -idirafter $sframe_top/glibc/include]
set add_core [list $sframe_top/glibc/debug/sframe-header.c \
		  $sframe_top/glibc/debug/sframe-lookup.c]

proc add_run { args } {
    global add
    return [sframe_exec [list $add {*}$args] -timeout 300]
}

# Build the judge of tables for ARCH, libdw.
proc add_oracle { arch sysdeps } {
    global add_flags add_core add_dir add_source srcdir sframe_top
    return [sframe_compile \
		[list $add_source/oracle.c {*}$add_core -ldw -lelf] \
		$add_dir/oracle-$arch \
		[list --arch=$arch --libc=stock {*}$add_flags \
		     -I$srcdir/sframe.eh -I$srcdir/sframe.unit \
		     -idirafter $sframe_top/glibc/sysdeps/$sysdeps \
		     -idirafter $sframe_top/glibc/sysdeps/generic \
		     -idirafter $sframe_top/glibc/debug]]
}
