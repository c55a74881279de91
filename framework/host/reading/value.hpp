// A value of the file together with its path: the argument of every reading function.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/host/reading/document.hpp"
#include "framework/host/reading/scope.hpp"

namespace polyform::host::inline reading {

/// A node, its path and the report for its errors. Items and entries point to the value from which they come, which
/// must outlive them.
class Value {
 public:
  Value(const Node& node, const Path& path, Report& report, const Scope* scope = nullptr)
      : node_(&node), path_(path), report_(&report), scope_(scope) {}

  const Node& node() const noexcept { return *node_; }
  const Path& path() const noexcept { return path_; }
  Report& report() const noexcept { return *report_; }
  /// Its place in the model file; for a value in another file, the place of the placement.
  Place model_place() const noexcept {
    return scope_ != nullptr && scope_->in_other_file ? scope_->placed_at : node_->place;
  }
  /// The scope of the placed part in which it stands; nullptr outside of parts.
  const Scope* scope() const noexcept { return scope_; }
  Place place() const noexcept { return node_->place; }

  Value item(std::size_t i) const { return {*node_->items[i], Path{&path_, {}, i}, *report_, scope_}; }
  Value entry(const Node::Entry& e) const { return {*e.value, Path{&path_, e.key, Path::no_index}, *report_, scope_}; }

  void note(std::string_view message, std::string_view remedy = {}) const {
    report_->note(node_->place, path_, message, remedy);
  }
  void warning(std::string_view message, std::string_view remedy = {}) const {
    report_->warning(node_->place, path_, message, remedy);
  }
  void error(std::string_view message, std::string_view remedy = {}) const {
    report_->error(node_->place, path_, message, remedy);
  }
  /// "found …, expected …".
  void unexpected(std::string_view expected, std::string_view remedy = {}) const;

 private:
  const Node* node_;
  Path path_;
  Report* report_;
  const Scope* scope_;
};

/// What a message calls a node: "the text 'abc'", "a list of 3", "a map", "nothing".
std::string describe(const Node&);

/// Reads the entries of a map by key. Keys that are asked for are known; those left at the end are unknown.
class MapReader {
 public:
  /// Reports if the value is not a map; then nothing is found and nothing more is reported.
  explicit MapReader(const Value&);
  MapReader(const MapReader&) = delete;
  MapReader& operator=(const MapReader&) = delete;

  bool is_map() const noexcept { return value_.node().kind == Node::Kind::map; }
  const Value& value() const noexcept { return value_; }
  std::optional<Value> find(std::string_view key);
  /// Reports a missing key; `meaning` says what it is for.
  std::optional<Value> require(std::string_view key, std::string_view meaning);
  void report_missing(std::string_view key, std::string_view meaning, std::string_view remedy);
  /// Reports the key if it is there: `reason` says why it does not belong.
  void forbid(std::string_view key, std::string_view reason);
  /// Reports every key that has not been asked for.
  void finish();

 private:
  Value value_;
  std::vector<std::string_view> known_, forbidden_;
};

// Each reads one value; nothing after a report.
/// `otherwise` says what else may stand there, for the remedy of a text that is no expression of parameters.
std::optional<double> read_number(const Value&, std::string_view unit = {}, std::string_view otherwise = {});
std::optional<std::int64_t> read_integer(const Value&);
std::optional<bool> read_boolean(const Value&);
/// Text that is not empty; `what` says what it should be, e.g. "the name of a body".
std::optional<std::string> read_text(const Value&, std::string_view what);
std::optional<Vec3> read_vector3(const Value&, std::string_view unit = {});
/// Normalized; zero length is an error.
std::optional<Vec3> read_direction(const Value&);
/// A quaternion w x y z, {axis, angle} or {rpy}; unit.
std::optional<Quat> read_orientation(const Value&);
/// A number or a list of numbers.
std::optional<std::vector<double>> read_numbers(const Value&, std::string_view unit = {});

/// Whether a plain scalar stands for NaN or infinity.
bool is_nonfinite(std::string_view text);

/// "a number in N/m", or "a number" without a unit.
std::string number_in(std::string_view unit);

}  // namespace polyform::host::reading
