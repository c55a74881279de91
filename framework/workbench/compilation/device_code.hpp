// From the source of a model (model_source.hpp) to code for devices.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace polyform::host::inline compilation {

/// The form of the code that is made here (DeviceType::code).
inline constexpr std::string_view device_code_form = "ptx";

struct DeviceCode {
  std::filesystem::path file;
  std::string text;      ///< PTX, with the functions polyform_<method> (compiled_device.hpp)
  bool kept = false;     ///< it was there already
  double seconds = 0;    ///< that compiling took
  std::string compiler;  ///< its version

  /// Whether it has a function for the integrator of that name.
  bool has(std::string_view method) const;
};

/// PTX by clang alone, without a vendor's headers or libraries, kept as compile_plugin() keeps plugins. Failure
/// (simulation_failed) without clang, after an error of it, where the SDK is not installed, and where nothing can be
/// kept.
DeviceCode compile_device_code(const std::string& name, const std::string& source, const std::string& version);

}  // namespace polyform::host::inline compilation
