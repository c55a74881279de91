// Forces along the line between two points whose law is a function of its length and rate.
#pragma once

#include <array>

#include "polyform/contract/events.hpp"
#include "polyform/contract/force.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/helpers/element_helpers.hpp"
#include "polyform/helpers/point_rounding.hpp"

namespace polyform::springs {

/// The line from marker a to marker b of an instance.
struct Line {
  double length = 0, rate = 0;
  Vec3 direction;  ///< from a to b; zero if the points coincide up to the rounding of where bodies are
};
/// rounding: of both markers, m (rounding_of).
inline Line line_of(const MarkerMotion& a, const MarkerMotion& b, double rounding) noexcept {
  Line line;
  const Vec3 d = b.position - a.position;
  line.length = norm(d);
  if (line.length > rounding_of_places * (norm(a.position) + norm(b.position)) + rounding)
    line.direction = (1 / line.length) * d;
  line.rate = dot(line.direction, b.velocity - a.velocity);
  return line;
}
inline double rounding_of(const ElementInstance& instance) noexcept {
  return point_rounding(instance, 0) + point_rounding(instance, 1);
}

/// What a law gives: the pull along the line, of which `stored` is the slope of the energy.
struct Pull {
  double pull = 0, stored = 0, energy = 0;  ///< N, N, J
};
/// Puts a pull on both ends.
inline void apply(const Pull& p, const Line& line, std::size_t first_marker, ForceOutput& out) noexcept {
  out.wrenches[first_marker].linear += p.pull * line.direction;
  out.wrenches[first_marker + 1].linear -= p.pull * line.direction;
  out.potential_energy += p.energy;
  out.power += (p.stored - p.pull) * line.rate;
}

inline constexpr FieldSpec a_field{
    .name = "a", .type = FieldType::marker, .unit = "", .meaning = "one end: a point of a body", .required = true};
inline constexpr FieldSpec b_field{.name = "b",
                                   .type = FieldType::marker,
                                   .unit = "",
                                   .meaning = "the other end: a point of another body",
                                   .required = true};

/// False after a report where both ends are fixed in one body; a and b are the first fields. Warns where the line has
/// few digits. pushes: whether a force acts along it where it has no length.
inline bool joins_two_bodies(const ElementInstance& instance, std::size_t number, bool pushes,
                             FieldSink& sink) noexcept {
  if (instance.markers[0].body != instance.markers[1].body) {
    warn_of_rounded_line(instance, 0, pushes, number, 0, sink);
    return true;
  }
  sink.report(Severity::error, number, 1, "both ends are fixed in the same body: the force does nothing",
              "Attach one end to another body.");
  return false;
}

/// Outputs of every type here: length of the line, its rate, and the force, positive where it pulls the ends together.
inline constexpr std::array line_outputs{Variable{.name = "length", .unit = "m", .kind = Variable::Kind::length},
                                         Variable{.name = "rate", .unit = "m/s"},
                                         Variable{.name = "tension", .unit = "N"}};

}  // namespace polyform::springs
