# SPDX-License-Identifier: GPL-2.0-or-later
# install.cmake - what `cmake --install` writes, in components that packages divide among themselves:
#
#   topdown     the program, which has all databases inside; manual pages; what shells complete by
#   simulator   the Valgrind tool and what starts it (analyzer/simulator)
#   dev         topdown.h, for programs that mark their regions
#   data        the databases as files: topdown uses those that were edited. No package has them.
set(CMAKE_SKIP_INSTALL_RPATH ON) # topdown has no library of its own
install(TARGETS topdown COMPONENT topdown)
foreach(FILE bash:bash-completion/completions/topdown zsh:zsh/site-functions/_topdown fish:fish/vendor_completions.d/topdown.fish)
  string(REGEX MATCH "^([a-z]+):(.*)/(.*)$" FILE ${FILE})
  install(FILES analyzer/command/complete.${CMAKE_MATCH_1} DESTINATION ${CMAKE_INSTALL_DATADIR}/${CMAKE_MATCH_2}
    RENAME ${CMAKE_MATCH_3} COMPONENT topdown)
endforeach()
install(FILES include/topdown.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
install(DIRECTORY events models DESTINATION ${CMAKE_INSTALL_DATADIR}/topdown COMPONENT data
  FILES_MATCHING PATTERN "*.json" PATTERN "*.csv")
install(FILES schema/topdown.json DESTINATION ${CMAKE_INSTALL_DATADIR}/topdown/schema COMPONENT topdown)
install(FILES docs/AGENTS.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT topdown)
add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -DBUILD=${CMAKE_BINARY_DIR} -P ${CMAKE_SOURCE_DIR}/packaging/uninstall.cmake
  USES_TERMINAL VERBATIM)
