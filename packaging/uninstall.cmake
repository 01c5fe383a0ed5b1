# SPDX-License-Identifier: GPL-2.0-or-later
# uninstall.cmake - removes what `cmake --install` wrote, by its manifests in the build folder, and the folders of topdown's own
# that are empty then: cmake --build build --target uninstall. $DESTDIR is in front, as it was for installing.
#
#   cmake -DBUILD=FOLDER -P uninstall.cmake
file(GLOB manifests "${BUILD}/install_manifest*.txt")
if(NOT manifests)
  message(FATAL_ERROR "nothing was installed from ${BUILD}: install_manifest.txt is not there")
endif()
foreach(manifest IN LISTS manifests)
  file(STRINGS "${manifest}" installed ENCODING UTF-8)
  foreach(name IN LISTS installed)
    set(path "$ENV{DESTDIR}${name}")
    if(EXISTS "${path}" OR IS_SYMLINK "${path}")
      message(STATUS "Removing ${path}")
      file(REMOVE "${path}")
    endif()
    get_filename_component(folder "${path}" DIRECTORY)
    while(folder MATCHES "/topdown(/|$)")
      file(GLOB left LIST_DIRECTORIES true "${folder}/*")
      if(left OR NOT IS_DIRECTORY "${folder}")
        break()
      endif()
      file(REMOVE_RECURSE "${folder}")
      get_filename_component(folder "${folder}" DIRECTORY)
    endwhile()
  endforeach()
  file(REMOVE "${manifest}")
endforeach()
