// The one diagnostic type of host and plugins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "polyform/contract/growth.hpp"

namespace polyform {

enum class Severity : std::int32_t { note, warning, error };

/// What was found, where, and what to do about it. The views live as long as the call that gets them;
/// a sink that keeps a diagnostic copies the text.
struct Diagnostic {
  Size<Diagnostic> size{};
  Severity severity = Severity::error;
  std::string_view message{};  ///< what was found and what is expected
  std::string_view remedy{};   ///< what to do; may be empty
  std::string_view path{};     ///< place in the model, e.g. joints[2].axis, or a formulation's option; may be empty
  std::string_view file{};     ///< may be empty
  std::int32_t line = 0, column = 0;  ///< from 1; 0 if not known
};

/// Takes diagnostics. Implemented by the host; never throws.
class DiagnosticSink {
 public:
  virtual void report(const Diagnostic&) noexcept = 0;
  /// A further ability by name, or nullptr: a new ability is a new interface, never a new virtual function here.
  virtual void* query(std::string_view interface_name) noexcept {
    (void)interface_name;
    return nullptr;
  }

 protected:
  ~DiagnosticSink() = default;
};

/// Takes what an element type says about one field of one instance; the host adds file, line, column and path.
/// field: index into the type's fields, or no_field for the instance as a whole.
class FieldSink {
 public:
  static constexpr std::size_t no_field = static_cast<std::size_t>(-1);
  virtual void report(Severity, std::size_t instance, std::size_t field, std::string_view message,
                      std::string_view remedy) noexcept = 0;
  /// A further ability by name, or nullptr: a new ability is a new interface, never a new virtual function here.
  virtual void* query(std::string_view interface_name) noexcept {
    (void)interface_name;
    return nullptr;
  }

 protected:
  ~FieldSink() = default;
};

}  // namespace polyform
