// State of the whole process, which a plugin must not change.
#pragma once

#include <cfenv>
#include <locale>
#include <string>

namespace polyform::host::inline registry {

/// Keeps the floating-point environment, the locale, the working directory and the standard streams, and restores them
/// at its end. Plugins change them on purpose, or by being built with -ffast-math, which lets tiny numbers be zero.
class ProcessState {
 public:
  ProcessState() noexcept;
  ~ProcessState();
  ProcessState(const ProcessState&) = delete;
  ProcessState& operator=(const ProcessState&) = delete;

 private:
  std::fenv_t numbers_{};
  std::locale locale_;
  std::string c_locale_;
  int folder_;
};

}  // namespace polyform::host::registry
