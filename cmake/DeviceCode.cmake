# The general code for devices: PTX of sdk/recursion/device/general_device.cpp by clang alone, without a vendor's headers
# or libraries, as text in a source that solvers are linked with, ${POLYFORM_GENERAL_CODE_SOURCE}. Where clang is not
# found the text is empty, and devices run what clang on the user's machine makes of a model. A clang that cannot make the
# code is told by a warning, and by the tests.
#
# As a script (cmake -DCLANG=... -DINCLUDE=... -DCODE=... -DPTX=... -DSOURCE=... -P) it makes both files; CLANG may be empty.
if(CMAKE_SCRIPT_MODE_FILE)
  set(text "")
  if(CLANG)
    # The headers that clang puts before those of the standard library ask for names of a vendor's header.
    execute_process(RESULT_VARIABLE status COMMAND ${CLANG} -x cuda --cuda-device-only -nocudainc -nocudalib
      --cuda-gpu-arch=sm_70 "-D__host__=__attribute__((host))" "-D__device__=__attribute__((device))" -S -O3 -std=c++20
      -w -DPOLYFORM_DEVICE -I ${INCLUDE} -MD -MT ${SOURCE} -MF ${SOURCE}.d ${CODE} -o ${PTX})
    if(status EQUAL 0)
      file(READ ${PTX} text)
    else()
      message(WARNING "${CLANG} cannot make the general code for devices; polyform is built without it")
      file(WRITE ${SOURCE}.d "${SOURCE}: ${CODE}\n")
    endif()
  endif()
  file(WRITE ${SOURCE} "#include \"polyform/solvers/general_program.hpp\"\n\nnamespace polyform {\n\n"
    "std::string_view general_device_code() noexcept {\n  return R\"PTX(${text})PTX\";\n}\n\n}  // namespace polyform\n")
  return()
endif()

find_program(POLYFORM_CLANG NAMES clang++ clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14)
set(POLYFORM_GENERAL_CODE_SOURCE ${CMAKE_BINARY_DIR}/device/general_code.cpp)
set(POLYFORM_GENERAL_DEVICE_SOURCE ${PROJECT_SOURCE_DIR}/sdk/recursion/device/general_device.cpp)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/device)
set(POLYFORM_GENERAL_CODE_INPUTS
  -DSOURCE=${POLYFORM_GENERAL_CODE_SOURCE} -DCODE=${POLYFORM_GENERAL_DEVICE_SOURCE}
  -DINCLUDE=${PROJECT_SOURCE_DIR}/sdk/include -DPTX=${CMAKE_BINARY_DIR}/device/general.ptx)
set(POLYFORM_GENERAL_CODE_DEPENDS DEPENDS ${POLYFORM_GENERAL_DEVICE_SOURCE} ${CMAKE_CURRENT_LIST_FILE})
if(POLYFORM_CLANG)
  list(APPEND POLYFORM_GENERAL_CODE_INPUTS -DCLANG=${POLYFORM_CLANG})
  list(APPEND POLYFORM_GENERAL_CODE_DEPENDS DEPFILE ${POLYFORM_GENERAL_CODE_SOURCE}.d)
else()
  message(STATUS "clang++ was not found: the general code for devices is not made")
endif()

# For the directory whose targets take the source.
macro(polyform_make_general_code)
  add_custom_command(OUTPUT ${POLYFORM_GENERAL_CODE_SOURCE} ${POLYFORM_GENERAL_CODE_DEPENDS}
    COMMAND ${CMAKE_COMMAND} ${POLYFORM_GENERAL_CODE_INPUTS} -P ${PROJECT_SOURCE_DIR}/cmake/DeviceCode.cmake
    VERBATIM COMMENT "Compiling the general code for devices")
endmacro()
