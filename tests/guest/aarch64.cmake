# SPDX-License-Identifier: GPL-2.0-or-later
# Builds for the arm64 guest against the libraries that prepare.sh unpacked:
#   cmake -DCMAKE_TOOLCHAIN_FILE=tests/guest/aarch64.cmake -DGUEST_SYSROOT=.../sysroot-arm64
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_SYSROOT "${GUEST_SYSROOT}")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES GUEST_SYSROOT)

set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

set(ENV{PKG_CONFIG_SYSROOT_DIR} "${GUEST_SYSROOT}")
set(ENV{PKG_CONFIG_LIBDIR} "${GUEST_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${GUEST_SYSROOT}/usr/share/pkgconfig")
