#include "framework/host/assembly/contradictions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "framework/host/expressions/formula_rows.hpp"
#include "polyform/mechanics/constraint_set.hpp"
#include "polyform/solvers/contradiction.hpp"

namespace polyform::host::inline assembly {
namespace {

using Element = ConstraintSet::Element;

constexpr std::size_t no_coordinate = static_cast<std::size_t>(-1);
/// The duration of a run if the model gives none, s.
constexpr double usual_duration = 10;

/// The only joint coordinate in a row, with its coefficient; none if the row has markers, several, or no
/// coordinates.
std::size_t only_coordinate(const SystemView& view, const Element& e, std::size_t row, double& coefficient) {
  for (const Spatial& a : e.A.subspan(row * e.markers.size(), e.markers.size()))
    if (dot(a, a) != 0) return no_coordinate;
  const double* B = e.B.data() + row * e.velocities;
  std::size_t found = no_coordinate;
  for (const JointIndex j : e.joints)
    for (std::size_t k = 0; k < view.joints[at(j)].nv; ++k, ++B) {
      if (*B == 0) continue;
      if (found != no_coordinate) return no_coordinate;
      found = view.joints[at(j)].v_offset + k;
      coefficient = *B;
    }
  return found;
}

/// Right-hand sides of the rows; for positions their residuals. derivative: how often the coordinate is differentiated.
struct Asked {
  std::span<const double> Element::*values;
  std::string_view what;
  int derivative;
};
constexpr Asked kinds[] = {{&Element::residual, "positions", 0},
                           {&Element::velocity_right, "velocities", 1},
                           {&Element::acceleration_right, "accelerations", 2}};

/// The usual amount of a joint's velocity coordinate: 1 rad, or the length of the system for a translation.
double amount_like_a_turn(const Start& start, std::size_t coordinate) {
  const auto joint = std::ranges::find_if(start.view().joints, [coordinate](const JointData& j) {
    return coordinate >= j.v_offset && coordinate < j.v_offset + j.nv;
  });
  std::size_t k = coordinate - joint->v_offset;
  for (const Primitive& p : joint->primitives) {
    if (k < velocity_count(p.kind)) return p.kind == Primitive::Kind::translation ? start.length : 1;
    k -= velocity_count(p.kind);
  }
  return 1;
}

void report_pair(Start& start, std::string_view one, std::string_view other, std::size_t coordinate,
                 std::string_view what, double apart) {
  const auto item = std::ranges::find(start.parts.description.constraints, other, &ConstraintItem::name);
  const auto joint = std::ranges::find_if(start.view().joints, [coordinate](const JointData& j) {
    return coordinate >= j.v_offset && coordinate < j.v_offset + j.nv;
  });
  start.parts.report(start.diagnostics, Severity::error, *item, {}, {},
                     fmt::format("constraints `{}` and `{}` contradict each other: they ask joint `{}` for {} that are "
                                 "{:.3g} apart at t = {:.9g}",
                                 one, other, joint->name, what, apart, start.time()),
                     "Remove one of them, or let both ask for the same.");
}

}  // namespace

bool report_contradiction(Start& start, const std::vector<double>& q) {
  ConstraintSet constraints(start.view(), start.centred.origin());
  if (!constraints.good()) return false;
  start.tree.evaluate(q.data(), start.parts.v.data(), start.parts.eta.data(), start.parts.etadot.data());
  constraints.evaluate(start.time(), start.tree.frames(), q, start.parts.v);
  struct Row {
    const Element* element;
    std::size_t number;
    double coefficient;
    bool on_accelerations;
  };
  // The least that counts moves a joint by a turn or the length of the system within the run.
  const double run = start.parts.description.simulation.duration.value_or(usual_duration);
  const std::vector<char> on_accelerations = expressions::rows_on_accelerations(start.view());
  std::size_t next = 0;
  std::map<std::size_t, Row> first;  // per coordinate, the first row that has it alone
  for (const Element& e : constraints.elements())
    for (std::size_t r = 0; r < e.rows; ++r) {
      double coefficient = 1;
      const std::size_t c = only_coordinate(start.view(), e, r, coefficient);
      const bool on_acceleration = on_accelerations[next++] != 0;
      if (c == no_coordinate) continue;
      const auto [found, is_first] = first.try_emplace(c, Row{&e, r, coefficient, on_acceleration});
      const Row& other = found->second;
      for (const Asked& kind : kinds) {
        if (kind.derivative < 2 && (on_acceleration || other.on_accelerations)) continue;
        const double a = (e.*kind.values)[r] / coefficient,
                     b = (other.element->*kind.values)[other.number] / other.coefficient;
        const double least = amount_like_a_turn(start, c) / std::pow(run, kind.derivative);
        if (is_first || !(std::abs(a - b) > least_contradiction * std::max({least, std::abs(a), std::abs(b)})))
          continue;
        report_pair(start, other.element->name, e.name, c, kind.what, std::abs(a - b));
        return true;
      }
    }
  return false;
}

}  // namespace polyform::host::inline assembly
