// Reads the names of the things in an SDF model.
#pragma once

#include <string>
#include <vector>

#include "sdf_files.hpp"
#include "sdf_model.hpp"

namespace polyform::importers {

/// What an <include> with merge="true" places: its things become those of the model that includes it.
bool merges(const Element& include);

/// Puts the links, joints, frames and nested models of an element, and of the files that it includes, into a scope of
/// names. One object per scope.
class SdfCollector {
 public:
  /// The arguments outlive the object. outer: that of the model around this one.
  SdfCollector(SdfModel& model, SdfFiles& files, const SdfCollector* outer = nullptr)
      : model_(model), files_(files), outer_(outer) {}

  /// depth: how many models are around this one.
  void collect(std::size_t depth);

 private:
  void gather(const Element& from, const std::string& within, std::size_t depth);
  void add(const Element&, const std::string& name, SdfItem::Kind, const std::string& within);
  void add_model(const Element& model, const Element& include, const std::string& within, bool alone,
                 std::size_t depth);
  void merge(const Element& model, const Element& include, const std::string& within, std::size_t depth);
  bool is_within(const Element& model) const;

  SdfModel& model_;
  SdfFiles& files_;
  const SdfCollector* outer_;
  std::vector<Element> merged_;  ///< models whose things are those of this one
};

}  // namespace polyform::importers
