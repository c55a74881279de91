# Plugins, in Polyform's own tree and, as a part of the installed package, in that of others.
#
# Code that decides the speed is built for several instruction sets, the variants: `baseline`, and x86-64-v3 …

# polyform_native_variant(OUT): the highest level of x86-64 that the processor of this machine has, or nothing.
function(polyform_native_variant out)
  set(level "")
  if(EXISTS /proc/cpuinfo)
    file(STRINGS /proc/cpuinfo flags REGEX "^flags" LIMIT_COUNT 1)
    if(flags MATCHES " avx2 " AND flags MATCHES " bmi2 " AND flags MATCHES " fma ")
      set(level x86-64-v3)
    endif()
    if(flags MATCHES " avx512f " AND flags MATCHES " avx512bw " AND flags MATCHES " avx512dq " AND
       flags MATCHES " avx512vl ")
      set(level x86-64-v4)
    endif()
  endif()
  set(${out} "${level}" PARENT_SCOPE)
endfunction()

# polyform_variants(OUT VARIANT...): baseline, and those of the given variants that this build makes.
function(polyform_variants out)
  set(variants baseline)
  if(POLYFORM_VARIANTS AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(wanted ${ARGN})
    if(POLYFORM_VARIANTS STREQUAL native)
      polyform_native_variant(native)
      list(FILTER wanted INCLUDE REGEX "^${native}$")
    endif()
    list(APPEND variants ${wanted})
  endif()
  set(${out} ${variants} PARENT_SCOPE)
endfunction()

# polyform_target_options(TARGET VARIANT)
function(polyform_target_options target variant)
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  if(TARGET polyform_warnings)  # those of Polyform's own tree
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:polyform_warnings>)
  endif()
  if(NOT variant STREQUAL baseline)
    target_compile_options(${target} PRIVATE -march=${variant} -mtune=skylake-avx512)
  endif()
endfunction()

# polyform_add_variant_library(NAME SOURCES file... VARIANTS x86-64-v3 ...)
#
# A static library for plugins that are built for several instruction sets: NAME_baseline, NAME_x86-64-v3 …
function(polyform_add_variant_library name)
  cmake_parse_arguments(LIBRARY "" "" "SOURCES;VARIANTS" ${ARGN})
  polyform_variants(variants ${LIBRARY_VARIANTS})
  foreach(variant IN LISTS variants)
    add_library(${name}_${variant} STATIC ${LIBRARY_SOURCES})
    target_link_libraries(${name}_${variant} PUBLIC Polyform::sdk)
    set_target_properties(${name}_${variant} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    polyform_target_options(${name}_${variant} ${variant})
  endforeach()
endfunction()

# polyform_add_plugin(NAME SOURCES file... [VARIANTS x86-64-v3 ...] [LIBRARIES target...] [VARIANT_LIBRARIES name...])
#
# A plugin library NAME.so in the plugin folder. For each of VARIANTS another build of the same sources for that
# instruction set, NAME.<variant>.so beside it; the registry loads the best one for the CPU it finds. LIBRARIES: built
# once; VARIANT_LIBRARIES: names of polyform_add_variant_library (outside Polyform's tree Polyform::recursion is one).
# The target is plugin_NAME, of another build plugin_NAME_<variant>; `cmake --install` puts the files where the command
# looks for plugins, lib/polyform/plugins below the prefix.
function(polyform_add_plugin name)
  cmake_parse_arguments(PLUGIN "" "" "SOURCES;VARIANTS;LIBRARIES;VARIANT_LIBRARIES" ${ARGN})
  polyform_variants(variants ${PLUGIN_VARIANTS})
  foreach(variant IN LISTS variants)
    if(variant STREQUAL baseline)
      set(target plugin_${name})
      set(file ${name})
    else()
      set(target plugin_${name}_${variant})
      set(file ${name}.${variant})
    endif()
    add_library(${target} MODULE ${PLUGIN_SOURCES})
    target_link_libraries(${target} PRIVATE ${PLUGIN_LIBRARIES} Polyform::sdk)
    foreach(library IN LISTS PLUGIN_VARIANT_LIBRARIES)
      target_link_libraries(${target} PRIVATE ${library}_${variant})
    endforeach()
    set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${file})
    if(POLYFORM_PLUGIN_DIRECTORY)
      set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${POLYFORM_PLUGIN_DIRECTORY})
    endif()
    if(POLYFORM_PLUGIN_INSTALL_DIR)
      install(TARGETS ${target} LIBRARY DESTINATION ${POLYFORM_PLUGIN_INSTALL_DIR})
    endif()
    target_link_options(${target} PRIVATE LINKER:-z,defs LINKER:--exclude-libs,ALL)
    polyform_target_options(${target} ${variant})
    set_property(GLOBAL APPEND PROPERTY POLYFORM_PLUGINS ${target})
  endforeach()
endfunction()

# polyform_add_plugin_test(NAME SOURCES file... MODEL file)
#
# For projects outside Polyform's tree, two tests: NAME_results compares what every formulation makes of a model with
# what the program says (polyform/helpers/testing.hpp); NAME_conforms is `polyform conform` with the model as its
# example.
function(polyform_add_plugin_test name)
  cmake_parse_arguments(TEST "" "MODEL" "SOURCES" ${ARGN})
  add_executable(test_${name} ${TEST_SOURCES})
  target_link_libraries(test_${name} PRIVATE Polyform::sdk)
  cmake_path(ABSOLUTE_PATH TEST_MODEL)
  add_test(NAME ${name}_results
    COMMAND test_${name} $<TARGET_FILE:Polyform::polyform> $<TARGET_FILE:plugin_${name}> ${TEST_MODEL})
  add_test(NAME ${name}_conforms COMMAND Polyform::polyform conform $<TARGET_FILE:plugin_${name}> --model ${TEST_MODEL})
endfunction()
