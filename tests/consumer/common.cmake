# Helpers of the scripts in this folder.
cmake_minimum_required(VERSION 3.25)
unset(ENV{POLYFORM_PLUGIN_PATH})

# run(argument...): runs a command to its end; what it says is shown only when it fails. LAST_OUTPUT has its output.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  set(LAST_OUTPUT "${output}" PARENT_SCOPE)
  if(NOT status EQUAL 0)
    string(JOIN " " line ${ARGV})
    message(FATAL_ERROR "${line}\nended with ${status}:\n${output}${errors}")
  endif()
endfunction()

# check_links(FOLDER PAGE...): what the pages link to lies in the folder.
function(check_links folder)
  foreach(page IN LISTS ARGN)
    cmake_path(GET page PARENT_PATH place)
    file(READ ${folder}/${page} text)
    string(REPLACE ";" " " text "${text}")
    string(REPLACE "](" "\nlink:" text "${text}")
    string(REGEX REPLACE "[][]" " " text "${text}")
    string(REGEX MATCHALL "\nlink:[A-Za-z0-9_./-]*[./][A-Za-z0-9_./-]*[)#]" links "${text}")
    foreach(link IN LISTS links)
      string(REGEX REPLACE "\nlink:(.*)[)#]$" "\\1" link "${link}")
      cmake_path(SET target NORMALIZE ${folder}/${place}/${link})
      if(NOT EXISTS ${target})
        message(FATAL_ERROR "${page} links to ${link}, which does not exist")
      endif()
    endforeach()
  endforeach()
endfunction()

# expect(TEXT PATTERN): the text must match the regular expression.
function(expect text pattern)
  if(NOT text MATCHES "${pattern}")
    message(FATAL_ERROR "expected ${pattern} in:\n${text}")
  endif()
endfunction()
