# polyform_fixture_plugin(NAME [SOURCE file] [DEFINE name=value...] [LINK library...])
#
# A small plugin library NAME.so for tests, in POLYFORM_FIXTURES, which no search reaches; the target fixture_plugins
# builds all of them. The default source is fixture.cpp, whose manifest and contents DEFINE changes; the plugin in it is
# called NAME unless FIXTURE_NAME says otherwise.
include_guard(DIRECTORY)
set(POLYFORM_FIXTURES ${CMAKE_BINARY_DIR}/tests/fixture_plugins)
set(POLYFORM_FIXTURE_SOURCES ${CMAKE_CURRENT_LIST_DIR}/fixtures)
if(NOT TARGET fixture_plugins)
  add_custom_target(fixture_plugins)
endif()

function(polyform_fixture_plugin name)
  cmake_parse_arguments(FIXTURE "" "SOURCE" "DEFINE;LINK" ${ARGN})
  if(NOT FIXTURE_SOURCE)
    set(FIXTURE_SOURCE fixture.cpp)
  endif()
  set(target fixture_${name})
  add_library(${target} MODULE ${POLYFORM_FIXTURE_SOURCES}/${FIXTURE_SOURCE})
  target_link_libraries(${target} PRIVATE polyform_sdk polyform_warnings ${FIXTURE_LINK})
  target_compile_definitions(${target} PRIVATE FIXTURE_TARGET="${name}" ${FIXTURE_DEFINE})
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${name}
    LIBRARY_OUTPUT_DIRECTORY ${POLYFORM_FIXTURES})
  add_dependencies(fixture_plugins ${target})
endfunction()
