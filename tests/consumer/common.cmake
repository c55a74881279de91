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

# expect(TEXT PATTERN): the text must match the regular expression.
function(expect text pattern)
  if(NOT text MATCHES "${pattern}")
    message(FATAL_ERROR "expected ${pattern} in:\n${text}")
  endif()
endfunction()
