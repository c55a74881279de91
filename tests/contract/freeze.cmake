# Keeps a copy of the contract as it is: the headers that plugins include, the sources of the SDK that the example of a
# formulation stands on, and the examples of all kinds. Run once when an SDK version is released, before it changes
# again:
#
#   cmake -DSOURCE=. -DVERSION=1.1 -P tests/contract/freeze.cmake
#
# A copy that was released stays as it is: the plugins built of it are what users have.
cmake_minimum_required(VERSION 3.25)
if(NOT SOURCE OR NOT VERSION)
  message(FATAL_ERROR "usage: cmake -DSOURCE=FOLDER -DVERSION=MAJOR.MINOR -P freeze.cmake")
endif()
get_filename_component(SOURCE ${SOURCE} ABSOLUTE)
set(frozen ${SOURCE}/tests/contract/frozen/${VERSION})
set(headers ${SOURCE}/sdk/include/polyform)

file(REMOVE_RECURSE ${frozen})
include(${CMAKE_CURRENT_LIST_DIR}/kit.cmake)
foreach(name IN LISTS kit)
  file(COPY ${SOURCE}/sdk/${name}.cpp DESTINATION ${frozen}/src)
endforeach()
foreach(name IN LISTS kit_headers)
  file(COPY ${SOURCE}/sdk/${name}.hpp DESTINATION ${frozen}/src)
endforeach()
file(GLOB examples RELATIVE ${SOURCE}/sdk/examples ${SOURCE}/sdk/examples/*-*)
foreach(example IN LISTS examples)
  file(GLOB files ${SOURCE}/sdk/examples/${example}/*.?pp ${SOURCE}/sdk/examples/${example}/model.*)
  list(FILTER files EXCLUDE REGEX "/test.cpp$")
  file(COPY ${files} DESTINATION ${frozen}/plugins/${example})
endforeach()

# All that these include, and all that the contract has beside.
file(GLOB todo RELATIVE ${headers} ${headers}/contract/*)
file(GLOB_RECURSE sources ${frozen}/src/*.?pp ${frozen}/plugins/*.?pp)
set(done)
while(todo OR sources)
  if(todo)
    list(POP_FRONT todo name)
    if(name IN_LIST done)
      continue()
    endif()
    list(APPEND done ${name})
    get_filename_component(folder ${name} DIRECTORY)
    file(COPY ${headers}/${name} DESTINATION ${frozen}/include/polyform/${folder})
    set(file ${headers}/${name})
  else()
    list(POP_FRONT sources file)
  endif()
  file(STRINGS ${file} includes REGEX "^#include \"polyform/")
  foreach(line IN LISTS includes)
    string(REGEX REPLACE ".*polyform/([^\"]*)\".*" "\\1" name "${line}")
    list(APPEND todo ${name})
  endforeach()
endwhile()
