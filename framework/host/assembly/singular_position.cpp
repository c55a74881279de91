#include "framework/host/assembly/singular_position.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "polyform/solvers/absolute_system.hpp"
#include "polyform/mechanics/scale.hpp"

namespace polyform::host::inline assembly {
namespace {

/// How far bodies are moved, relative to their size, and turned, rad: more than rounding and the threshold of ranks
/// (1e-9), and little in relation to any shape of a mechanism.
constexpr double step = 0.02;
/// To which the loops are closed there, m and rad.
constexpr double to_be_closed = 1e-10;

std::vector<double> copy(std::span<const double> x) { return {x.begin(), x.end()}; }

/// Arbitrary numbers that match the proportions of no mechanism.
std::vector<double> some_rates(std::size_t count) {
  std::vector<double> rates(count);
  for (std::size_t k = 0; k < count; ++k) rates[k] = std::sin(1.0 + 2.399963 * static_cast<double>(k));
  return rates;
}

}  // namespace

std::optional<std::size_t> degrees_of_freedom_nearby(const System& system) {
  const SystemView& view = system.view();
  if ((view.cut_joints().empty() && view.constraints.empty()) || !view.modules.empty()) return {};
  const ConstStateView start = system.initial_state();
  std::vector<double> q = copy(start.q), v = some_rates(view.nv), eta = copy(start.eta),
                      etadot = some_rates(view.modes), x = copy(start.x);
  TreeKinematics tree(view);
  tree.evaluate(q.data(), v.data(), eta.data(), etadot.data());
  std::vector<BodyMotion> motions(tree.bodies().begin(), tree.bodies().end());
  std::vector<Quat> orientations(view.frames());
  tree.orientations(q.data(), orientations, eta.data());
  AbsoluteSystem loops(view);
  double violation = 0;
  if (!loops.good() || !loops.project_velocities(0, motions, q, v, violation, false, eta, etadot)) return {};
  const double reach = SystemScales(view).largest_reach();
  double largest = 0;
  for (const BodyMotion& m : motions)
    largest = std::max({largest, norm(m.V.angular), reach > 0 ? norm(m.V.linear) / reach : 0});
  if (!(largest > 0)) return {};
  const double time = step / largest;
  std::vector<Pose> poses(motions.size());
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const Vec3 turn = time * motions[i].V.angular;
    poses[i] = {from_rotation_vector(turn) * orientations[i], motions[i].p + time * motions[i].V.linear};
  }
  PositionCorrection closed;
  if (!loops.correct_positions(0, poses, q, to_be_closed, closed, eta)) return {};
  const std::vector<double> rest(std::max(view.nv, view.modes));
  const ConstStateView there{
      .q = q, .v = std::span(rest).first(view.nv), .eta = eta, .etadot = std::span(rest).first(view.modes), .x = x,
      .discrete = start.discrete};
  const std::size_t nearby = system.count_constraints(there, {}).degrees_of_freedom;
  return nearby < system.count_constraints().degrees_of_freedom ? std::optional(nearby) : std::nullopt;
}

}  // namespace polyform::host::assembly
