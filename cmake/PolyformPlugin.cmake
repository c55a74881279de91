# Code that decides the speed is built for several instruction sets, the variants: `baseline`, and x86-64-v3 …

# polyform_variants(OUT VARIANT...): baseline, and those of the given variants that this build makes.
function(polyform_variants out)
  set(variants baseline)
  if(POLYFORM_VARIANTS AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND variants ${ARGN})
  endif()
  set(${out} ${variants} PARENT_SCOPE)
endfunction()

# polyform_variant_options(TARGET VARIANT)
function(polyform_variant_options target variant)
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
    target_link_libraries(${name}_${variant} PUBLIC polyform_sdk PRIVATE polyform_warnings)
    polyform_variant_options(${name}_${variant} ${variant})
  endforeach()
endfunction()

# polyform_add_plugin(NAME SOURCES file... [VARIANTS x86-64-v3 ...] [LIBRARIES target...] [VARIANT_LIBRARIES name...])
#
# A plugin library NAME.so in the plugin folder. For each of VARIANTS another build of the same sources for that
# instruction set, NAME.<variant>.so beside it; the registry loads the best one for the CPU it finds. LIBRARIES: built
# once; VARIANT_LIBRARIES: names of polyform_add_variant_library.
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
    target_link_libraries(${target} PRIVATE ${PLUGIN_LIBRARIES} polyform_sdk polyform_warnings)
    foreach(library IN LISTS PLUGIN_VARIANT_LIBRARIES)
      target_link_libraries(${target} PRIVATE ${library}_${variant})
    endforeach()
    set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${file}
      LIBRARY_OUTPUT_DIRECTORY ${POLYFORM_PLUGIN_DIRECTORY})
    target_link_options(${target} PRIVATE LINKER:-z,defs LINKER:--exclude-libs,ALL)
    polyform_variant_options(${target} ${variant})
    set_property(GLOBAL APPEND PROPERTY POLYFORM_PLUGINS ${target})
  endforeach()
endfunction()
