# The pages of `polyform report`, of runs and of a study, and that of `polyform view`: their sources in apps/report/page
# and the libraries of its package-lock.json become one file of HTML each, ${POLYFORM_RUNS_PAGE}, ${POLYFORM_STUDY_PAGE}
# and ${POLYFORM_VIEW_PAGE}, which the program carries.
#
# The libraries come by `npm ci`, as pinned with their checksums, into the build folder; once, unless the lock file
# changes. Where there is no npm, or its registry cannot be reached, or POLYFORM_REPORT is OFF, the pages are empty:
# everything else is built, and `polyform report` says why it cannot do its work.
option(POLYFORM_REPORT "Build the page of polyform report (needs node, npm and its registry)" ON)
set(POLYFORM_RUNS_PAGE ${CMAKE_BINARY_DIR}/report/runs.html)
set(POLYFORM_STUDY_PAGE ${CMAKE_BINARY_DIR}/report/study.html)
set(POLYFORM_VIEW_PAGE ${CMAKE_BINARY_DIR}/report/view.html)

# Sets `out` to what went wrong, or to nothing.
function(polyform_install_page_packages sources folder out)
  set(${out} "" PARENT_SCOPE)
  file(MAKE_DIRECTORY ${folder})
  file(SHA256 ${sources}/package-lock.json wanted)
  set(stamp ${folder}/installed)
  if(EXISTS ${stamp})
    file(READ ${stamp} installed)
    if(installed STREQUAL wanted)
      return()
    endif()
  endif()
  message(STATUS "Report page: npm ci")
  file(COPY ${sources}/package.json ${sources}/package-lock.json DESTINATION ${folder})
  execute_process(
    COMMAND ${NPM_PROGRAM} ci --ignore-scripts --no-audit --no-fund --fetch-retries 1 --fetch-timeout 60000
    WORKING_DIRECTORY ${folder} RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said TIMEOUT 300)
  if(status EQUAL 0)
    file(WRITE ${stamp} ${wanted})
  else()
    set(${out} "npm ci failed:\n${said}" PARENT_SCOPE)
  endif()
endfunction()

function(polyform_add_report_page)
  set(sources ${PROJECT_SOURCE_DIR}/apps/report/page)
  set(folder ${CMAKE_BINARY_DIR}/report)
  find_program(NODE_PROGRAM NAMES node nodejs)
  find_program(NPM_PROGRAM npm)
  set(problem "")
  if(NOT POLYFORM_REPORT)
    set(problem "POLYFORM_REPORT is OFF")
  elseif(NOT NODE_PROGRAM OR NOT NPM_PROGRAM)
    set(problem "node or npm was not found")
  else()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources}/package-lock.json)
    polyform_install_page_packages(${sources} ${folder} problem)
  endif()
  if(problem)
    message(WARNING "polyform report will not work in this build: ${problem}")
    file(CONFIGURE OUTPUT ${POLYFORM_RUNS_PAGE} CONTENT "")
    file(CONFIGURE OUTPUT ${POLYFORM_STUDY_PAGE} CONTENT "")
    file(CONFIGURE OUTPUT ${POLYFORM_VIEW_PAGE} CONTENT "")
    return()
  endif()
  file(GLOB parts CONFIGURE_DEPENDS ${sources}/*.js ${sources}/*.css ${sources}/*.html ${sources}/*.mjs)
  set_property(GLOBAL PROPERTY POLYFORM_HAS_REPORT_PAGE ON)
  add_custom_command(OUTPUT ${POLYFORM_RUNS_PAGE} ${POLYFORM_STUDY_PAGE} ${POLYFORM_VIEW_PAGE}
    COMMAND ${NODE_PROGRAM} ${sources}/build.mjs ${folder} ${POLYFORM_RUNS_PAGE} runs
    COMMAND ${NODE_PROGRAM} ${sources}/build.mjs ${folder} ${POLYFORM_STUDY_PAGE} study
    COMMAND ${NODE_PROGRAM} ${sources}/build.mjs ${folder} ${POLYFORM_VIEW_PAGE} view
    DEPENDS ${parts} ${folder}/installed COMMENT "Building the report pages" VERBATIM)
endfunction()
