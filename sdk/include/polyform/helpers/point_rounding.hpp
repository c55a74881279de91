// How well the places of points on bodies are known, and the lines between two of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

#include "polyform/contract/field.hpp"
#include "polyform/contract/force.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform {

/// Rounding of a place as a part of its distance from the ground origin: 64 roundings, as sums along chains have.
inline constexpr double rounding_of_places = 0x1p-46;
/// Rounding of where a point lies on its body, as a part of its distance from where solvers hold the body.
inline constexpr double rounding_of_arms = 1e-12;

/// What the place of marker k is not known by beside the rounding of its distance from the ground origin, m; 0 on
/// ground. A solver may place the body by its frame origin or by its centre of mass, so that rounding has the size of
/// both even where the marker lies at the ground origin.
inline double point_rounding(const ElementInstance& instance, std::size_t k) noexcept {
  const Marker& marker = instance.markers[k];
  if (is_ground(marker.body)) return 0;
  const BodyInertia body = k < instance.inertias.size() ? instance.inertias[k] : BodyInertia{};
  const double arm = norm(marker.point - body.center_of_mass);
  return rounding_of_arms * arm + rounding_of_places * (norm(marker.point) + norm(body.center_of_mass));
}

/// The place of marker k as drawn, m.
inline Vec3 drawn_place(const ElementInstance& instance, std::size_t k) noexcept {
  const Pose& body = instance.drawn[k];
  return body.position + rotation_matrix(body.orientation) * instance.markers[k].point;
}
/// The distance of the first two markers as drawn, m.
inline double drawn_length(const ElementInstance& instance) noexcept {
  return norm(drawn_place(instance, 1) - drawn_place(instance, 0));
}

/// Warns if the length of the line from marker k to the next one has few digits as drawn. pushes: whether a force acts
/// along the line where it has no length. field: that gives the marker.
inline void warn_of_rounded_line(const ElementInstance& instance, std::size_t k, bool pushes, std::size_t number,
                                 std::size_t field, FieldSink& sink) noexcept {
  constexpr double rounding = 0.5 * std::numeric_limits<double>::epsilon(), told = 1e-7;
  const Vec3 a = drawn_place(instance, k), b = drawn_place(instance, k + 1);
  const double length = norm(b - a), distance = std::max(norm(a), norm(b));
  const double unknown =
      point_rounding(instance, k) + point_rounding(instance, k + 1) + rounding_of_places * (norm(a) + norm(b));
  if (!(length > unknown)) {
    if (pushes)
      sink.report(Severity::warning, number, field,
                  Message("the ends coincide as drawn, to {:.1e} m: a force between them has no direction, and is left "
                          "out until they are further apart than {:.1e} m",
                          length, unknown),
                  "Draw the ends apart.");
  } else if (rounding * distance > told * length) {
    sink.report(Severity::warning, number, field,
                Message("the ends are drawn {:.6g} m apart and {:.1e} m from the ground origin, where a number holds a "
                        "place to {:.1e} m: that is {:.1e} of their distance, and the force has no more digits",
                        length, distance, rounding * distance, rounding * distance / length),
                "Draw the model nearer to the ground origin.");
  }
}

}  // namespace polyform
