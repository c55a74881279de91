// The laws of all forces of a system, for a model that is compiled with its forces (contract/force_law.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "polyform/contract/force_law.hpp"
#include "polyform/mechanics/force_set.hpp"

namespace polyform {

class ForceLaws {
 public:
  /// The set outlives the object. positions, velocities: how many coordinates the joints of the tree have; the joints
  /// after them close loops.
  ForceLaws(const ForceSet&, std::size_t positions, std::size_t velocities);

  /// Why the laws cannot all be told: a sentence without a full stop, "its force cable does not tell its law"; empty
  /// where they can.
  const std::string& obstacle() const { return obstacle_; }
  /// Why the forces keep the model from runs in which the host looks at no single step; empty where they do not.
  const std::string& events() const { return events_; }
  /// How many event functions the forces tell (EventLaw), at which a law only bends; part after part.
  std::size_t event_count() const { return event_count_; }
  bool told() const { return obstacle_.empty(); }

  /// What the laws depend on: the point from which positions of the frames count; then of each part the points of its
  /// markers, and its parameters. Empty where the laws are not told.
  std::span<const double> numbers() const { return numbers_; }
  /// All of the laws but the numbers: types, how many, what they are attached to.
  std::uint64_t structure() const { return structure_; }

  const ForceSet& forces() const { return forces_; }
  static ForceLaw* law_of(const ForceSet::Part& part);
  static std::size_t events_of(const ForceSet::Part& part);

 private:
  void find_obstacle(std::size_t positions, std::size_t velocities);
  void collect();

  const ForceSet& forces_;
  std::string obstacle_, events_;
  std::vector<double> numbers_;
  std::uint64_t structure_ = 0;
  std::size_t event_count_ = 0;
};

}  // namespace polyform
