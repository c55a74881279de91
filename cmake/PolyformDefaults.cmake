# Defaults of every target of the project.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

# The command finds its plugins and data from where it stands, so an installation may be moved. The build tree has the
# shape of an installation.
include(GNUInstallDirs)
set(POLYFORM_PLUGIN_INSTALL_DIR ${CMAKE_INSTALL_LIBDIR}/polyform/plugins)
set(POLYFORM_DATA_INSTALL_DIR ${CMAKE_INSTALL_DATADIR}/polyform)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY ${CMAKE_INSTALL_FULL_BINDIR}
  OUTPUT_VARIABLE POLYFORM_BIN_TO_PLUGINS)
string(APPEND POLYFORM_BIN_TO_PLUGINS /polyform/plugins)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_DATADIR BASE_DIRECTORY ${CMAKE_INSTALL_FULL_BINDIR}
  OUTPUT_VARIABLE POLYFORM_BIN_TO_DATA)
string(APPEND POLYFORM_BIN_TO_DATA /polyform)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR BASE_DIRECTORY ${CMAKE_INSTALL_FULL_BINDIR}
  OUTPUT_VARIABLE POLYFORM_BIN_TO_INCLUDE)
cmake_path(SET POLYFORM_PLUGIN_DIRECTORY NORMALIZE ${CMAKE_BINARY_DIR}/bin/${POLYFORM_BIN_TO_PLUGINS})
cmake_path(SET POLYFORM_DATA_DIRECTORY NORMALIZE ${CMAKE_BINARY_DIR}/bin/${POLYFORM_BIN_TO_DATA})
# What compiled models are built with.
cmake_path(SET POLYFORM_INCLUDE_DIRECTORY NORMALIZE ${CMAKE_BINARY_DIR}/bin/${POLYFORM_BIN_TO_INCLUDE})
file(MAKE_DIRECTORY ${POLYFORM_INCLUDE_DIRECTORY})
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/sdk/include/polyform ${POLYFORM_INCLUDE_DIRECTORY}/polyform SYMBOLIC)

set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1 -fno-omit-frame-pointer")
add_compile_options(-fno-math-errno)
# For code that no step of a run depends on.
set(POLYFORM_QUICK $<$<CONFIG:Release>:-O1>)

option(POLYFORM_WARNINGS_AS_ERRORS "Treat compiler warnings as errors" OFF)
option(POLYFORM_SANITIZE "Build with the address and undefined-behaviour sanitizers" OFF)
set(POLYFORM_VARIANTS ON CACHE STRING "Build hot plugins for several instruction sets: ON, OFF, or native for that of this machine")

# Reading headers is a large part of compiling, so several sources of a target make one unit. Names in anonymous
# namespaces are therefore unique in a folder. A unit holds the names of other files too: there only shadowed locals
# are worth a word, and a private struct that holds what its own file alone knows is none.
option(POLYFORM_UNITY "Compile several sources of a target as one unit" ON)
set(CMAKE_UNITY_BUILD ${POLYFORM_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 10 CACHE STRING "")
set(shadow_warning -Wshadow)
if(POLYFORM_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(shadow_warning -Wshadow=local -Wno-subobject-linkage)
endif()

add_library(polyform_warnings INTERFACE)
target_compile_options(polyform_warnings INTERFACE -Wall -Wextra -Wconversion ${shadow_warning}
  $<$<BOOL:${POLYFORM_WARNINGS_AS_ERRORS}>:-Werror>)

if(POLYFORM_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=address,undefined)
  # The checks that are compiled in hide from GCC what is initialized, in its own <regex> for instance.
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()

# The cache takes files that use precompiled headers only when it is told that they hold no time of day.
set(POLYFORM_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(POLYFORM_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
endif()
