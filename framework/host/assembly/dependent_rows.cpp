#include "framework/host/assembly/dependent_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "framework/host/assembly/constraint_jacobian.hpp"
#include "framework/host/assembly/parts.hpp"
#include "framework/host/assembly/row_factors.hpp"
#include "polyform/mechanics/scale.hpp"

namespace polyform::host::inline assembly {

namespace {

/// From this part of least_independent on, rows are so near to it that solvers may judge them differently, because each
/// solver measures a row in its own unknowns.
constexpr double beside_the_bound = 0.5;
/// How much farther than rows are independent a loop may come open: it turns by radians and has levers of some lengths.
constexpr double levers_of_loop = 100;
/// Less than this of a row opens loops by less than they are closed to.
constexpr double unfelt = 1e-12;
constexpr const char* judged_differently =
    ". That is so near to the bound that solvers may judge it differently: their accelerations differ by some per cent "
    "then, which evaluate --solver all shows";

}  // namespace

NearlyDependent nearly_dependent(const SystemView& view, double t, const ConstStateView& at, double least) {
  if (view.cut_joints().empty() && view.constraints.empty()) return {};
  ConstraintJacobian jacobian(view);
  if (!jacobian.good()) return {};  // reported where forces and modules start
  const auto copy = [](const auto& x) { return std::vector(x.begin(), x.end()); };
  auto q = copy(at.q), v = copy(at.v), eta = copy(at.eta), etadot = copy(at.etadot), x = copy(at.x);
  auto discrete = copy(at.discrete);
  jacobian.evaluate(t, {.q = q, .v = v, .eta = eta, .etadot = etadot, .x = x, .discrete = discrete});
  if (jacobian.rows().empty()) return {};
  const RowScales scales(jacobian, jacobian.columns());
  RowFactors factors(jacobian, scales, std::vector<char>(jacobian.columns()));
  const double rounding = 16 * jacobian.place_rounding();
  factors.factorize(std::max(least_independent, rounding));
  const double part = factors.left_out_part();
  if (!(part > std::max(least, rounding))) return {};
  const ConstraintJacobian::Row& row = jacobian.rows()[factors.nearly_independent()];
  return {part, row.kind, row.name};
}

double opening_of_loops(const System& system) {
  const SystemView& view = system.view();
  const double part = nearly_dependent(view, system.start_time(), system.initial_state(), unfelt).part;
  if (part == 0) return 0;
  // One number bounds radians, metres and their rates: it is that of the largest. What swings by its weight has the
  // rates of a pendulum of that reach.
  const double reach = SystemScales(view).largest_reach(), g = norm(view.gravity);
  double largest = std::max(1.0, reach);
  if (reach > 0) largest = std::max({largest, std::sqrt(g / reach), std::sqrt(g * reach)});
  for (const double rate : system.initial_state().v) largest = std::max(largest, std::abs(rate));
  return levers_of_loop * part * largest;
}

void warn_of_dependent_rows(const System::Parts& parts, Diagnostics& diagnostics) {
  const ConstStateView start{
      .q = parts.q, .v = parts.v, .eta = parts.eta, .etadot = parts.etadot, .x = parts.x, .discrete = parts.discrete};
  const NearlyDependent row = nearly_dependent(parts.view, parts.description.start_time, start);
  if (row.part == 0) return;
  diagnostics.report(
      {.severity = Severity::warning,
       .message = fmt::format(
           "what {} `{}` constrains depends on the other constraints to {:.1e} of its size, as rounded "
           "lengths make it of a loop that moves, or a position next to a singular one: it is taken "
           "as dependent, does not lock what it would lock by so little, and comes open by about that{}",
           row.kind, row.name, row.part, row.part > beside_the_bound * least_independent ? judged_differently : ""),
       .remedy =
           fmt::format("write lengths and angles with more digits, or change them by more than {:g} of their size "
                       "where they are to lock the motion",
                       least_independent),
       .file = parts.description.file});
}

}  // namespace polyform::host::assembly
