// The host's collection of diagnostics, and the exit codes of the command.
#pragma once

#include <deque>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "polyform/contract/diagnostic.hpp"

namespace polyform::host {

/// Exit codes of the command.
enum class Exit { done = 0, simulation_failed = 1, bad_input = 2, plugin = 3, interrupted = 130 };

/// Keeps copies of what is reported. Never throws (a diagnostic that no memory is left for is dropped).
class Diagnostics final : public DiagnosticSink {
 public:
  void report(const Diagnostic&) noexcept override;
  void error(std::string_view message, std::string_view remedy = {}) { report({.message = message, .remedy = remedy}); }
  void warning(std::string_view message, std::string_view remedy = {}) {
    report({.severity = Severity::warning, .message = message, .remedy = remedy});
  }

  bool failed() const noexcept { return errors_ > 0; }
  /// Marks that one of the errors is a plugin's breach of the contract: no model mends it.
  void blame_plugin() noexcept { plugin_at_fault_ = true; }
  bool plugin_at_fault() const noexcept { return plugin_at_fault_; }
  std::size_t errors() const noexcept { return errors_; }
  const std::deque<Diagnostic>& all() const noexcept { return items_; }

 private:
  std::string_view keep(std::string_view);

  std::deque<std::string> texts_;
  std::deque<Diagnostic> items_;
  std::size_t errors_ = 0;
  bool plugin_at_fault_ = false;
};

/// What to do, said in several places.
namespace remedies {
inline constexpr const char* report_defect =
    "This is a defect of polyform or of a plugin; please report it with the model.";
inline constexpr const char* report_to_author =
    "Report this to the author of the plugin; polyform conform FILE looks for the cause.";
inline constexpr const char* close_own_alone =
    "Report this to the author of the plugin, who may close what is its own alone.";
inline constexpr const char* see_plugins =
    "polyform plugins shows where plugins were looked for and why a file was refused.";
inline constexpr const char* own_file =
    "Another program or a plugin writes to the file; give each output a file of its own.";
}  // namespace remedies

/// "file:line:column: error: path: message\n  remedy", as printed for people. `with_color` marks the severity.
std::string format(const Diagnostic&, bool with_color = false);

/// Thrown inside the host (never across the plugin boundary) when a command cannot go on; the diagnostics say why.
class Failure : public std::exception {
 public:
  Failure(Exit code, std::string message, std::string remedy = {}, std::string option = {})
      : code_(code), message_(std::move(message)), remedy_(std::move(remedy)), option_(std::move(option)) {}
  Exit code() const noexcept { return code_; }
  const std::string& message() const noexcept { return message_; }
  const std::string& remedy() const noexcept { return remedy_; }
  /// Name of the formulation's option at fault, or "".
  const std::string& option() const noexcept { return option_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  Exit code_;
  std::string message_, remedy_, option_;
};

/// The name closest to a misspelt one, or "" if none is near.
std::string_view nearest_name(std::string_view wrong, const std::vector<std::string_view>& known);

}  // namespace polyform::host
