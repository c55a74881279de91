// What is wrong with a model file: paths to values, and the list of errors with its cap.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "framework/diagnostics.hpp"
#include "framework/host/reading/description.hpp"

namespace polyform::host::inline reading {

/// The path of a value, as a chain of steps on the stack: text is made only when something is reported.
/// Each step points to the one before, which must outlive it.
struct Path {
  static constexpr std::size_t no_index = static_cast<std::size_t>(-1);

  const Path* parent = nullptr;
  std::string_view key;
  std::size_t index = no_index;

  /// E.g. joints[2].axis.
  std::string text() const;
};

/// Collects the errors of one file and hands them on in the order of the file. After `most` errors the rest is only
/// counted.
class Report {
 public:
  static constexpr std::size_t most = 100;

  Report(Diagnostics& diagnostics, std::string_view file) : diagnostics_(diagnostics), file_(file) {}

  void error(Place, const Path&, std::string_view message, std::string_view remedy = {});
  void note(Place, const Path&, std::string_view message, std::string_view remedy = {});
  void warning(Place, const Path&, std::string_view message, std::string_view remedy = {});
  /// An error that a further plugin would cure.
  void missing_plugin(Place, const Path&, std::string_view message, std::string_view remedy);
  /// Hands the errors to the diagnostics and says how many were left out. Call once, at the end.
  void finish();

  /// True when further errors are only counted: their remedies need not be found.
  bool full() const noexcept { return errors_ >= most; }
  std::size_t errors() const noexcept { return errors_; }
  std::string_view file_name() const noexcept { return file_; }
  /// True when there are errors and all of them would be cured by a plugin.
  bool only_missing_plugins() const noexcept { return missing_ > 0 && missing_ == errors_; }

 private:
  struct Entry {
    Severity severity;
    Place place;
    std::string path, message, remedy;
  };
  Diagnostics& diagnostics_;
  std::string_view file_;
  std::vector<Entry> entries_;
  std::size_t errors_ = 0, warnings_ = 0, missing_ = 0;
};

/// Text in single quotes for a message: control characters escaped, long text cut.
std::string show(std::string_view text);

/// "Did you mean 'x'? " when a known name is near, otherwise "".
std::string did_you_mean(std::string_view wrong, const std::vector<std::string_view>& known);

/// "a, b, c", cut after some 20 names.
std::string listing(const std::vector<std::string_view>& names);

}  // namespace polyform::host::reading
