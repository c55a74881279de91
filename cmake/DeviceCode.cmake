# The general code for devices: PTX of sdk/recursion/device/general_device.cpp by clang alone, without a vendor's headers
# or libraries, as text in a source that solvers are linked with, ${POLYFORM_GENERAL_CODE_SOURCE}. Where clang is not
# found the text is empty, and devices run what clang on the user's machine makes of a model.
#
# As a script (cmake -DPTX=... -DSOURCE=... -P) it writes that source.
if(CMAKE_SCRIPT_MODE_FILE)
  set(text "")
  if(PTX)
    file(READ ${PTX} text)
  endif()
  file(WRITE ${SOURCE} "#include \"polyform/solvers/general_program.hpp\"\n\nnamespace polyform {\n\n"
    "std::string_view general_device_code() noexcept {\n  return R\"PTX(${text})PTX\";\n}\n\n}  // namespace polyform\n")
  return()
endif()

find_program(POLYFORM_CLANG NAMES clang++ clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14)
set(POLYFORM_GENERAL_CODE_SOURCE ${CMAKE_BINARY_DIR}/device/general_code.cpp)
set(POLYFORM_GENERAL_DEVICE_SOURCE ${PROJECT_SOURCE_DIR}/sdk/recursion/device/general_device.cpp)
# For the directory whose targets take the source.
macro(polyform_make_general_code)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/device)
  set(ptx "")
  if(POLYFORM_CLANG)
    set(ptx ${CMAKE_BINARY_DIR}/device/general.ptx)
    # The headers that clang puts before the standard library's ask for the names of a vendor's header.
    add_custom_command(OUTPUT ${ptx}
      COMMAND ${POLYFORM_CLANG} -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_70
        "-D__host__=__attribute__((host))" "-D__device__=__attribute__((device))" -S -O3 -std=c++20 -w -DPOLYFORM_DEVICE
        -I ${PROJECT_SOURCE_DIR}/sdk/include -MD -MT ${ptx} -MF ${ptx}.d ${POLYFORM_GENERAL_DEVICE_SOURCE} -o ${ptx}
      DEPENDS ${POLYFORM_GENERAL_DEVICE_SOURCE} DEPFILE ${ptx}.d
      VERBATIM COMMENT "Compiling the general code for devices")
  else()
    message(STATUS "clang++ was not found: the general code for devices is not made")
  endif()
  add_custom_command(OUTPUT ${POLYFORM_GENERAL_CODE_SOURCE}
    COMMAND ${CMAKE_COMMAND} -DPTX=${ptx} -DSOURCE=${POLYFORM_GENERAL_CODE_SOURCE} -P ${PROJECT_SOURCE_DIR}/cmake/DeviceCode.cmake
    DEPENDS ${ptx} ${PROJECT_SOURCE_DIR}/cmake/DeviceCode.cmake VERBATIM COMMENT "Writing the general code for devices as a source")
endmacro()
