# Reading headers of libraries takes as long as compiling what a file holds of its own, so those that most files include
# are compiled once for each kind of target: for each instruction set, for programs, and for tests. The list holds no
# header of Polyform, so that a change of one compiles what includes it and nothing more. Without POLYFORM_UNITY each
# file has what it includes itself, and nothing else: the presets of habits find what is missing.
set(POLYFORM_COMMON_HEADERS
  <algorithm> <array> <cmath> <cstdint> <cstring> <filesystem> <functional> <limits> <map> <memory> <numeric> <optional>
  <span> <string> <string_view> <utility> <vector> <Eigen/Dense> <fmt/format.h>)

# GCC 12 forgets of precompiled headers which lines are those of the system: it warns, where they are inlined, of what
# strings and vectors of the standard library do. Builds without POLYFORM_UNITY keep these warnings.
set(POLYFORM_FORGOTTEN -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread
  -Wno-maybe-uninitialized)

# polyform_precompile(TARGET KIND [header...]): the headers for targets of the kind, which are compiled as TARGET is.
function(polyform_precompile target kind)
  if(NOT POLYFORM_UNITY OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  target_precompile_headers(${target} PRIVATE ${POLYFORM_COMMON_HEADERS} ${ARGN})
  target_compile_options(${target} PRIVATE ${POLYFORM_FORGOTTEN})
  set_property(GLOBAL PROPERTY POLYFORM_PRECOMPILED_${kind} ${target})
endfunction()

# polyform_reuse_precompiled(TARGET KIND)
function(polyform_reuse_precompiled target kind)
  get_property(owner GLOBAL PROPERTY POLYFORM_PRECOMPILED_${kind})
  get_target_property(own ${target} PRECOMPILE_HEADERS)
  get_target_property(disabled ${target} DISABLE_PRECOMPILE_HEADERS)
  if(owner AND NOT own AND NOT disabled)
    target_precompile_headers(${target} REUSE_FROM ${owner})
    target_compile_options(${target} PRIVATE ${POLYFORM_FORGOTTEN})
  endif()
endfunction()

# Gives all libraries of a folder, and of those below it, the headers of their kind.
function(polyform_use_precompiled folder)
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below IN LISTS folders)
    polyform_use_precompiled(${below})
  endforeach()
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(options ${target} COMPILE_OPTIONS)
    if(options MATCHES "-march=([^;]+)")
      polyform_reuse_precompiled(${target} ${CMAKE_MATCH_1})
    elseif(type MATCHES "^(STATIC|MODULE|SHARED|OBJECT)_LIBRARY$")
      polyform_reuse_precompiled(${target} baseline)
    endif()
  endforeach()
endfunction()
