# The pages of the repository link to what is there.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)

file(GLOB_RECURSE pages RELATIVE ${SOURCE} ${SOURCE}/.github/*.md ${SOURCE}/apps/*.md ${SOURCE}/plugins/*.md
  ${SOURCE}/sdk/*.md ${SOURCE}/tests/benchmark/*.md)
list(FILTER pages EXCLUDE REGEX "node_modules")
check_links(${SOURCE} README.md ${pages})
