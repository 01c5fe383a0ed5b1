# SPDX-License-Identifier: GPL-2.0-or-later
# embed.cmake - the databases as they go into the program: each file compressed by itself, one behind the other, with an index.
#   cmake -DSOURCE=DIR -DLIST=FILE -DOUT=DIR -DGZIP=PROGRAM -P embed.cmake
# LIST has names of files below SOURCE, one a line. OUT gets embedded_files.gz and embedded_files.c (load/embedded_files.h). Nothing
# in them depends on the machine that the program is for.
cmake_minimum_required(VERSION 3.20)
file(STRINGS ${LIST} names)
set(parts ${OUT}/embedded_parts)
file(REMOVE_RECURSE ${parts})
file(MAKE_DIRECTORY ${parts})
set(packed "")
set(rows "")
set(offset 0)
set(number 0)
foreach(name ${names})
  set(part ${parts}/${number}.gz)
  execute_process(COMMAND ${GZIP} -9nc ${SOURCE}/${name} OUTPUT_FILE ${part} COMMAND_ERROR_IS_FATAL ANY)
  file(SIZE ${SOURCE}/${name} size)
  file(SIZE ${part} packed_size)
  string(APPEND rows "\t{ \"${name}\", ${offset}, ${packed_size}, ${size} },\n")
  list(APPEND packed ${part})
  math(EXPR offset "${offset} + ${packed_size}")
  math(EXPR number "${number} + 1")
endforeach()
execute_process(COMMAND ${CMAKE_COMMAND} -E cat ${packed} OUTPUT_FILE ${OUT}/embedded_files.gz COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE_RECURSE ${parts})
file(WRITE ${OUT}/embedded_files.c "/* Made by embed.cmake. */
#include \"load/embedded_files.h\"

__asm__(\".section .rodata\\n\"
\t\".globl embedded_bytes\\n\"
\t\"embedded_bytes:\\n\"
\t\".incbin \\\"${OUT}/embedded_files.gz\\\"\\n\"
\t\".previous\\n\");

const struct embedded_file embedded_files[] = {
${rows}};
const size_t embedded_count = ${number};
")
