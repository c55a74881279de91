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
cmake_path(SET POLYFORM_PLUGIN_DIRECTORY NORMALIZE ${CMAKE_BINARY_DIR}/bin/${POLYFORM_BIN_TO_PLUGINS})
cmake_path(SET POLYFORM_DATA_DIRECTORY NORMALIZE ${CMAKE_BINARY_DIR}/bin/${POLYFORM_BIN_TO_DATA})

set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1 -fno-omit-frame-pointer")
add_compile_options(-fno-math-errno)

option(POLYFORM_WARNINGS_AS_ERRORS "Treat compiler warnings as errors" OFF)
option(POLYFORM_SANITIZE "Build with the address and undefined-behaviour sanitizers" OFF)
option(POLYFORM_VARIANTS "Build hot plugins for several instruction sets" ON)

add_library(polyform_warnings INTERFACE)
target_compile_options(polyform_warnings INTERFACE -Wall -Wextra -Wconversion -Wshadow
  $<$<BOOL:${POLYFORM_WARNINGS_AS_ERRORS}>:-Werror>)

if(POLYFORM_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=address,undefined)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()
