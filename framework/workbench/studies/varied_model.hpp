// A model file in which values are replaced again and again.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "framework/host/reading/document.hpp"
#include "framework/host/reading/number_renewal.hpp"
#include "framework/host/reading/reader.hpp"

namespace polyform::host::inline studies {

/// A path names a value by keys, by names of items and by indices: bodies.rod.mass, gravity[2],
/// joints.pin.initial.velocity. `solver` and `simulation.integrator` mean the names of these. Keys that the file leaves
/// to their default can be replaced too. What the model does not have is looked for in the files that it includes.
class VariedModel {
 public:
  /// Parses the file, of any format that models are read in. The diagnostics tell what is wrong.
  VariedModel(const std::string& file, const Catalog&, Diagnostics&, const ImportOptions& = {});

  /// Makes the value at the path replaceable, and returns its number for set(). Failure (bad_input), with suggestions,
  /// where the path leads to nothing.
  std::size_t add(std::string_view path);
  /// From now on the value is this number or word.
  void set(std::size_t value, std::string_view text);
  /// The model as it is now, as read_model would give it.
  Description read(const Catalog&, Diagnostics&, bool& missing_plugin, const ReadingOptions&) const;
  /// The values of these numbers as they are read again by themselves, into descriptions as read() gave this one. To be
  /// used while no further value is added; the model and the catalog outlive it.
  NumberRenewal renewal(std::span<const std::size_t> values, const Description&, const Catalog&) const;
  /// The units of the values, in the order of their numbers, as the model is now; "" if a value has none, or is no
  /// number of its own but one of formulas, or of an option.
  std::vector<std::string> units(const Catalog&, const ReadingOptions&) const;
  /// The text of the file, without those that it includes.
  const std::string& text() const { return text_; }

 private:
  struct Place {
    std::string_view whole, rest;  ///< of the path
  };
  Node& keep(Node);
  Node& own(const Node*& link);
  void include(const Node& root, const std::string& file, std::size_t depth);
  const Node*& root_of(std::string_view path);
  Node& enter(Node& from, Place&);
  Node& enter_map(Node& map, Place&);
  Node& enter_list(Node& list, Place&);
  Node& add_default(Node& map, std::string_view key, const Place&);
  void check_parameter(const Node& map, const Place&) const;
  [[noreturn]] void refuse(const Place&, const std::string& why, const std::string& remedy) const;

  std::string file_, text_;
  Document document_;
  const Node* root_ = nullptr;
  struct Included {
    std::string path;  ///< canonical
    Document document;
    const Node* root = nullptr;
  };
  std::deque<Included> included_;
  std::deque<Node> copies_;  ///< of the nodes on the way to the values, so that aliases of these stay as they are
  std::unordered_map<const Node*, Node*> ours_;
  std::vector<Node*> values_;
};

/// Tells how two texts of a model differ: the path of the first value that does, with both values; "" if only comments,
/// places or the order of keys differ, or one of the texts cannot be parsed.
std::string first_difference(std::string_view before, std::string_view now);

}  // namespace polyform::host::inline studies
