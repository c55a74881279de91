# Two targets for those who change Polyform; neither is part of `all`.
#
#   tidy      clang-tidy on the sources that differ from POLYFORM_TIDY_BASE (preset `tidy`, which compiles nothing)
#   coverage  all tests, then the share of lines and branches that they reach (preset `coverage`)
set(POLYFORM_TIDY_BASE origin/main CACHE STRING "What `tidy` compares the sources with; `everything` for all of them")
find_program(CLANG_TIDY_PROGRAM clang-tidy)
if(CLANG_TIDY_PROGRAM)
  add_custom_target(tidy
    COMMAND ${CMAKE_COMMAND} -DTIDY=${CLANG_TIDY_PROGRAM} -DBUILD=${CMAKE_BINARY_DIR} -DBASE=${POLYFORM_TIDY_BASE}
      -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/Tidy.cmake
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} USES_TERMINAL)
endif()

option(POLYFORM_COVERAGE "Count which lines the tests reach" OFF)
if(POLYFORM_COVERAGE)
  add_compile_options(--coverage -fprofile-update=atomic)
  add_link_options(--coverage)
  find_program(GCOVR_PROGRAM gcovr REQUIRED)
  add_custom_target(coverage
    COMMAND ${CMAKE_CTEST_COMMAND} --output-on-failure
    COMMAND ${GCOVR_PROGRAM} --root ${CMAKE_CURRENT_SOURCE_DIR} --exclude tests/ --exclude-throw-branches
      --print-summary --html-details ${CMAKE_BINARY_DIR}/coverage.html
    WORKING_DIRECTORY ${CMAKE_BINARY_DIR} USES_TERMINAL)
endif()
