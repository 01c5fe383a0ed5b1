# SPDX-License-Identifier: GPL-2.0-or-later
# hardening.cmake - harden(TARGET): what distributions expect of a program, and no path of this machine in it.
#
# Each flag is tried, because compilers and architectures differ. tests/package/hardened.py reads the result from the program.
# The Valgrind tool has none of it. It is loaded at a fixed address, links no C library, and runs on stacks and thread
# registers of Valgrind's own: there is no canary, no checked function and no dynamic linker. Its libraries have no CET marks.
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C) # else CMake links no program with -pie

option(TOPDOWN_HARDENING "PIE, RELRO, FORTIFY_SOURCE, stack protection and control-flow protection in what is installed" ON)
set(HARDENING_FLAGS "")
foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection -mbranch-protection=standard)
  string(MAKE_C_IDENTIFIER "HAS${flag}" found)
  set(CMAKE_REQUIRED_FLAGS -Werror)
  check_c_compiler_flag(${flag} ${found})
  unset(CMAKE_REQUIRED_FLAGS)
  if(${found})
    list(APPEND HARDENING_FLAGS ${flag})
  endif()
endforeach()

# Level 3 also checks sizes that only the running program knows. Headers that can't do it say so.
set(CMAKE_REQUIRED_FLAGS "-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
check_c_source_compiles("#include <stdio.h>
#if __USE_FORTIFY_LEVEL < 3
#error \"not level 3\"
#endif
int main(void) { return 0; }" HAS_FORTIFY_3)
unset(CMAKE_REQUIRED_FLAGS)
if(HAS_FORTIFY_3)
  set(FORTIFY_LEVEL 3)
else()
  set(FORTIFY_LEVEL 2)
endif()
# Of the types that CMake optimises; where a package's build has flags of its own, it says the level itself.
set(HARDENING_FORTIFY $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE$<SEMICOLON>-D_FORTIFY_SOURCE=${FORTIFY_LEVEL}>)

# -fPIE rather than CMake's property, which makes a library's code -fPIC: slower, because any function might be replaced.
function(harden target)
  target_compile_options(${target} PRIVATE -ffile-prefix-map=${CMAKE_SOURCE_DIR}/= -ffile-prefix-map=${CMAKE_BINARY_DIR}/=)
  set(link $<$<BOOL:${TOPDOWN_STATIC}>:-static>)
  if(TOPDOWN_HARDENING AND NOT TOPDOWN_SANITIZE AND NOT TOPDOWN_FUZZ) # the sanitizers have checks of their own
    target_compile_options(${target} PRIVATE -fPIE ${HARDENING_FLAGS} ${HARDENING_FORTIFY})
    set(link -Wl,-z,relro,-z,now,-z,noexecstack $<IF:$<BOOL:${TOPDOWN_STATIC}>,-static-pie,-pie>)
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    target_link_options(${target} PRIVATE ${link})
  endif()
endfunction()
