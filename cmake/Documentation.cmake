# The documentation site: `cmake --build build --target docs` makes build/docs/html, without a network.
#
# It needs Sphinx, MyST and the theme furo (Debian: python3-sphinx python3-myst-parser furo), and takes pictures where node
# and chromium are found. With POLYFORM_DOCS=ON it is a part of every build, and so of the Debian package; otherwise what
# is there is installed.
option(POLYFORM_DOCS "Build the documentation site with everything else" OFF)

# Sets `out` to a Python that has Sphinx with MyST and furo, or to nothing.
function(polyform_find_sphinx out)
  set(${out} "" PARENT_SCOPE)
  find_program(POLYFORM_PYTHON3 python3)
  foreach(candidate IN ITEMS /usr/bin/python3 ${POLYFORM_PYTHON3})
    execute_process(COMMAND ${candidate} -c "import sphinx, myst_parser, furo, yaml" RESULT_VARIABLE status
      OUTPUT_QUIET ERROR_QUIET)
    if(status EQUAL 0)
      set(${out} ${candidate} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

set(POLYFORM_DOCS_FOLDER ${CMAKE_BINARY_DIR}/docs)
polyform_find_sphinx(sphinx_python)
if(sphinx_python)
  get_property(plugins GLOBAL PROPERTY POLYFORM_PLUGINS)
  set(everything)
  if(POLYFORM_DOCS)
    set(everything ALL)
  endif()
  add_custom_target(docs ${everything}
    COMMAND ${CMAKE_COMMAND} -E env --unset=POLYFORM_PLUGIN_PATH ${sphinx_python}
      ${PROJECT_SOURCE_DIR}/apps/pages/site/build.py --polyform $<TARGET_FILE:polyform> --output ${POLYFORM_DOCS_FOLDER}
    DEPENDS polyform ${plugins} USES_TERMINAL VERBATIM COMMENT "Building the documentation site")
else()
  if(POLYFORM_DOCS)
    message(FATAL_ERROR "POLYFORM_DOCS is ON, but Sphinx was not found. "
      "Debian: apt-get install python3-sphinx python3-myst-parser furo")
  endif()
  add_custom_target(docs
    COMMAND ${CMAKE_COMMAND} -E echo "The site needs Sphinx with MyST and furo, which were not found."
    COMMAND ${CMAKE_COMMAND} -E echo
      "Debian: apt-get install python3-sphinx python3-myst-parser furo libjs-katex; then run cmake again."
    COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
endif()
install(DIRECTORY ${POLYFORM_DOCS_FOLDER}/html DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
