#include "framework/workbench/linearization/stability_drift.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include "framework/workbench/linearization/functions_of_time.hpp"

namespace polyform::host::inline linearization {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Displacements between two states close to each other: of coordinates, with turns as vectors in base axes.
VectorXd positions_between(const SystemView& view, const CanonicalState& from, const CanonicalState& to) {
  std::vector<double> out;
  for (const JointData& joint : view.tree_joints()) {
    std::size_t q = joint.q_offset;
    for (const Primitive& p : joint.primitives) {
      const double *a = from.q.data() + q, *b = to.q.data() + q;
      if (p.kind == Primitive::Kind::ball) {
        const Quat turn = Quat{b[0], b[1], b[2], b[3]} * Quat{a[0], -a[1], -a[2], -a[3]};
        for (const double part : {turn.x, turn.y, turn.z}) out.push_back(std::copysign(2.0, turn.w) * part);
      } else
        for (std::size_t k = 0; k < position_count(p.kind); ++k) out.push_back(b[k] - a[k]);
      q += position_count(p.kind);
    }
    for (; joint.primitives.empty() && q < joint.q_offset + joint.nq; ++q) out.push_back(to.q[q] - from.q[q]);
  }
  for (std::size_t k = 0; k < view.modes; ++k) out.push_back(to.eta[k] - from.eta[k]);
  return Eigen::Map<const VectorXd>(out.data(), static_cast<Index>(out.size()));
}

}  // namespace

bool is_drift(const PointModel& model, const MotionFields& fields, const std::vector<double>& carried,
              const Mode& mode) {
  constexpr double small = 1e-4, alike = 1e-2;
  if (mode.kind != Mode::Kind::oscillating) return false;
  const double w = mode.natural_frequency();
  VectorXd first;
  for (const double share : {0.0, later_shares[0], later_shares[1]}) {
    const double t = share * 2 * std::numbers::pi / w;
    const VectorXd z = small * (mode.shape * std::polar(1.0, w * t)).real();
    CanonicalState there;
    if (!model.place(std::span(z.data(), model.states()), there)) return false;
    const VectorXd apart =
        positions_between(model.view(), fields.carry(model.nominal(), carried, t), fields.carry(there, carried, t));
    if (share == 0) first = apart;
    if (!((apart - first).norm() <= alike * first.norm())) return false;
  }
  return true;
}

}  // namespace polyform::host::linearization
