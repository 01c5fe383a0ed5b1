# SPDX-License-Identifier: GPL-2.0-or-later
# install.cmake - what `cmake --install` writes, in components that packages divide among themselves:
#
#   topdown     the program, which has all databases inside
#   simulator   the Valgrind tool and what starts it (analyzer/simulator)
#   dev         topdown.h, for programs that mark their regions
#   data        the databases as files: topdown uses those that were edited. No package has them.
set(CMAKE_SKIP_INSTALL_RPATH ON) # topdown has no library of its own
install(TARGETS topdown COMPONENT topdown)
install(FILES include/topdown.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
install(DIRECTORY events models DESTINATION ${CMAKE_INSTALL_DATADIR}/topdown COMPONENT data
  FILES_MATCHING PATTERN "*.json" PATTERN "*.csv")
add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -DBUILD=${CMAKE_BINARY_DIR} -P ${CMAKE_SOURCE_DIR}/packaging/uninstall.cmake
  USES_TERMINAL VERBATIM)
