# Installs the build, and moves the installation: nothing in it may know where it was.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)

file(REMOVE_RECURSE ${WORKSHOP})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORKSHOP}/first)
file(RENAME ${WORKSHOP}/first ${PREFIX})

foreach(file bin/polyform include/polyform/contract/plugin.hpp include/polyform/polyform.hpp
    ${LIBDIR}/libpolyform.so ${LIBDIR}/cmake/polyform/polyformConfig.cmake ${LIBDIR}/cmake/Polyform/PolyformConfig.cmake
    share/polyform/polyform.schema.json share/polyform/models/heavy_top.yaml share/doc/polyform/sdk/GUIDE.md
    share/doc/polyform/apps/pages/commands.md share/doc/polyform/README.md share/doc/polyform/LICENSE)
  if(NOT EXISTS ${PREFIX}/${file})
    message(FATAL_ERROR "${file} was not installed")
  endif()
endforeach()

# The inside of solvers is not installed, and no header that is includes one that is not.
foreach(inside multiplier_matrix flexible_links loop_closure block_ldlt recursion)
  if(EXISTS ${PREFIX}/include/polyform/solvers/${inside}.hpp)
    message(FATAL_ERROR "solvers/${inside}.hpp was installed")
  endif()
endforeach()
file(GLOB_RECURSE headers ${PREFIX}/include/*.hpp)
foreach(header IN LISTS headers)
  file(STRINGS ${header} lines REGEX "^#include \"polyform/")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^#include \"([^\"]*)\".*" "\\1" included "${line}")
    if(NOT EXISTS ${PREFIX}/include/${included})
      message(FATAL_ERROR "${header} includes ${included}, which was not installed")
    endif()
  endforeach()
endforeach()

# The pages link to each other and to the models.
file(GLOB_RECURSE pages RELATIVE ${PREFIX}/share/doc/polyform ${PREFIX}/share/doc/polyform/*.md)
check_links(${PREFIX}/share/doc/polyform ${pages})

# The plugins are found where the executable is now, and are all of them.
run(${PREFIX}/bin/polyform plugins --json)
string(JSON place GET ${LAST_OUTPUT} search_path 0 path)
cmake_path(IS_PREFIX PREFIX ${place} NORMALIZE inside)
if(NOT inside)
  message(FATAL_ERROR "plugins are looked for in ${place}")
endif()
string(JSON count LENGTH ${LAST_OUTPUT} plugins)
file(GLOB built ${BUILD}/${LIBDIR}/polyform/plugins/*.so)
list(LENGTH built expected)
if(NOT count EQUAL expected)
  message(FATAL_ERROR "${count} plugins installed, ${expected} built")
endif()
run(${PREFIX}/bin/polyform run ${PREFIX}/share/polyform/models/heavy_top.yaml --duration 0.1 --quiet)

# No text says where it was built or first installed.
file(GLOB_RECURSE texts ${PREFIX}/${LIBDIR}/cmake/* ${PREFIX}/share/*)
foreach(file IN LISTS texts)
  file(READ ${file} text)
  string(FIND "${text}" ${BUILD} found)
  if(NOT found EQUAL -1)
    message(FATAL_ERROR "${file} names ${BUILD}")
  endif()
endforeach()
