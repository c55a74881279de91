# A program of somebody who has only the installed package: find_package(polyform), a model read and run, an error.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)

set(folder ${WORKSHOP}/program)
file(REMOVE_RECURSE ${folder})
file(MAKE_DIRECTORY ${folder})
file(WRITE ${folder}/CMakeLists.txt [[
cmake_minimum_required(VERSION 3.25)
project(program CXX)
find_package(polyform 0.1 REQUIRED)
add_executable(program program.cpp)
target_link_libraries(program PRIVATE polyform::polyform)
]])
configure_file(${CMAKE_CURRENT_LIST_DIR}/library_program.cpp ${folder}/program.cpp COPYONLY)
run(${CMAKE_COMMAND} -S ${folder} -B ${folder}/build -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${PREFIX}
  -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}
  "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wconversion -Wshadow -Werror")
run(${CMAKE_COMMAND} --build ${folder}/build)
run(${folder}/build/program ${PREFIX}/share/polyform/models)
expect("${LAST_OUTPUT}" "all is well")

# Nothing but the library's own names is to be seen in it.
find_program(NM nm)
if(NM)
  file(GLOB library ${PREFIX}/${LIBDIR}/libpolyform.so)
  run(${NM} -D --defined-only -C ${library})
  if(LAST_OUTPUT MATCHES "polyform::(host|apps)::")
    message(FATAL_ERROR "${library} shows what it should hide: ${CMAKE_MATCH_0}")
  endif()
endif()
