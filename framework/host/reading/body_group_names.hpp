// Named groups of bodies: the entry `groups` of a model.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "framework/host/reading/model_reader.hpp"

namespace polyform::host::inline reading {

/// A group is a list of names: of bodies, of groups above it, and patterns with * and ? for bodies.
class BodyGroupNames {
 public:
  /// groups: the entry of the model, or nullptr. Reports what is wrong. The reading outlives the object.
  BodyGroupNames(Reading&, const Value* groups);

  /// The bodies that one name stands for, in the order of the model where it is a pattern; none after a report.
  std::vector<BodyIndex> bodies_of(const Value& name) const;
  /// Those of a list of names, or of one, each once.
  std::vector<BodyIndex> bodies_of_list(const Value& names) const;

 private:
  std::vector<BodyIndex> fitting(const Value& pattern, std::string_view text) const;

  Reading& reading_;
  std::map<std::string, std::vector<BodyIndex>, std::less<>> groups_;
};

}  // namespace polyform::host::reading
