// How fast bodies pass things that they may meet.
#pragma once

#include <limits>
#include <vector>

#include "polyform/contract/formulation.hpp"

namespace polyform::host::inline watches {

/// The shortest time in which a body, at its mass centre or where a force, constraint or module is attached to it,
/// moves by its radius of gyration, or in which it turns by a radian.
class PassingTime {
 public:
  explicit PassingTime(const SystemView&);
  void see(const Observation&);
  /// The shortest time of all states that see() was given, s; infinite if nothing moves.
  double shortest() const { return shortest_; }

 private:
  struct Point {
    std::size_t body;
    Vec3 at;      ///< of the undeformed body, body axes
    double size;  ///< radius of gyration, m
  };
  std::vector<Point> points_;
  double shortest_ = std::numeric_limits<double>::infinity();
};

}  // namespace polyform::host::watches
