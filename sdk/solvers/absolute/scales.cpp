#include "polyform/solvers/absolute/scales.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "polyform/mechanics/kinematics.hpp"
#include "polyform/solvers/light_bodies.hpp"
#include "polyform/solvers/singular_inertia.hpp"

namespace polyform::absolute {

namespace {

/// A module's variable has no inertia of its own if that is below this part of what the bodies give it through the
/// rows.
constexpr double least_own_mass = 1e-6;
/// Eigenvalues of a scaled mass matrix, of size 1, below which a direction has no inertia: its data are rounded.
constexpr double no_own_inertia = 1e-12;

}  // namespace

Scales::Scales(Model& model)
    : model_(model),
      own_mass_(model.blocks.owns()),
      own_length_(model.blocks.owns()),
      massless_(model.view.flexible.size()) {
  model.inertia.evaluate();
  make_bodies();
  for (std::size_t f = 0; f < model.view.flexible.size(); ++f) make_flexible(f);
  if (!model.modules.empty()) make_modules(model);
}

bool Scales::any_lacking() const noexcept {
  return std::any_of(scales_.begin(), scales_.end(), [](const BlockScale& s) { return s.lacking; });
}

/// Finds bodies that are next to massless compared with those that they are tied to.
std::vector<bool> Scales::find_light() const {
  std::vector<double> mass;
  for (const BlockScale& s : scales_) mass.push_back(s.mass);
  std::vector<std::vector<std::size_t>> bodies;
  for (const Constraints::Constraint& constraint : model_.constraints.all()) {
    if (constraint.rows == 0) continue;
    std::vector<std::size_t>& tied = bodies.emplace_back();
    for (const Constraints::Entry& e : model_.constraints.entries_of(constraint))
      if (e.block < mass.size()) tied.push_back(e.block);
  }
  return light_bodies(mass, bodies);
}

/// Finds sizes of masses, inertias and levers per body. A body with no mass, or next to none, takes the smallest mass
/// of the bodies that it is tied to, because the joints give it about that. A body without inertia of its own also
/// takes the largest lever of these bodies: if its joints lie next to each other, their distance may be the rounding of
/// a model's numbers, and is no size.
void Scales::make_bodies() {
  const std::size_t n = model_.view.bodies.size();
  scales_.assign(n, {});
  for (const JointData& joint : model_.view.joints) {
    const auto lever = [&](FrameIndex f, const Vec3& point) {
      if (is_ground(f)) return;
      const std::size_t b = model_.blocks.body_of(f);
      const Vec3 from_frame = at(f) < scales_.size() ? point : model_.view.nodes[at(f) - scales_.size()].point;
      const bool rigid = model_.blocks.flexible(b) == nullptr;
      const double l = norm(rigid ? from_frame - model_.view.bodies[b].center_of_mass : from_frame);
      scales_[b].length = std::max(scales_[b].length, l);
    };
    lever(joint.base_frame, joint.p_base);
    lever(joint.moving_frame, joint.p_moving);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const FlexibleData* flexible = model_.blocks.flexible(i);
    const BodyData& body = model_.view.bodies[i];
    scales_[i].mass =
        flexible == nullptr ? body.mass : model_.inertia.flexible().mass(body.flexible)[3 * (7 + flexible->modes)];
  }
  const std::vector<bool> light = find_light();
  for (std::size_t i = 0; i < n; ++i)
    if (light[i]) scales_[i].mass = 0;
  spread();
  for (std::size_t i = 0; i < n; ++i) {
    BlockScale& s = scales_[i];
    const BodyData& body = model_.view.bodies[i];
    const Sym3& J = body.inertia;
    const double half_trace = 0.5 * (J.xx + J.yy + J.zz);
    s.inertia = std::max(half_trace, least_inertia_share * s.mass * s.length * s.length);
    s.lacking = !(body.mass > 0 && is_definite_beside(J, half_trace));
    s.singular = light[i] || !(body.mass > 0 && is_definite_beside(J, s.inertia));
  }
}

/// Gives bodies without mass, marked by a scale of zero, and bodies without inertia the sizes of those they are tied
/// to.
void Scales::spread() {
  const std::size_t n = model_.view.bodies.size();
  std::vector<bool> has_inertia(n);
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < n; ++i) {
    BlockScale& s = scales_[i];
    const Sym3& J = model_.view.bodies[i].inertia;
    const double half_trace = 0.5 * (J.xx + J.yy + J.zz);
    if (!(s.mass > 0)) continue;
    smallest = std::min(smallest, s.mass);
    has_inertia[i] = model_.blocks.flexible(i) != nullptr || half_trace > 0;
    if (half_trace > 0) s.length = std::max(s.length, std::sqrt(half_trace / s.mass));
  }
  const std::span<const Constraints::Constraint> constraints = model_.constraints.all();
  std::for_each(constraints.begin(), constraints.end(),
                [&](const Constraints::Constraint& constraint) { spread_over(constraint, has_inertia); });
  std::for_each(constraints.rbegin(), constraints.rend(),
                [&](const Constraints::Constraint& constraint) { spread_over(constraint, has_inertia); });
  for (std::size_t i = 0; i < n; ++i) {
    if (!(scales_[i].mass > 0)) scales_[i].mass = std::isfinite(smallest) ? smallest : 1;
    if (!(scales_[i].length > 0)) scales_[i].length = 1;
  }
}

void Scales::spread_over(const Constraints::Constraint& constraint, const std::vector<bool>& has_inertia) {
  const std::size_t n = model_.blocks.bodies();
  double mass = std::numeric_limits<double>::infinity(), length = 0;
  for (const Constraints::Entry& e : model_.constraints.entries_of(constraint)) {
    if (e.block >= n) continue;
    const BlockScale& s = scales_[e.block];
    if (s.mass > 0) mass = std::min(mass, s.mass);
    length = std::max(length, s.length);
  }
  for (const Constraints::Entry& e : model_.constraints.entries_of(constraint)) {
    if (e.block >= n) continue;
    BlockScale& s = scales_[e.block];
    if (!(s.mass > 0) && std::isfinite(mass)) s.mass = mass;
    if (!has_inertia[e.block] || !(s.length > 0)) s.length = std::max(s.length, length);
  }
}

/// Sizes of a flexible body, from the mass matrix of the undeformed body, which is about the frame origin.
void Scales::make_flexible(std::size_t f) {
  const FlexibleData& data = model_.view.flexible[f];
  BlockScale& s = scales_[at(data.body)];
  const std::size_t n = model_.inertia.flexible().size(f);
  std::vector<double> M(model_.inertia.flexible().mass(f).begin(), model_.inertia.flexible().mass(f).end());
  const double half_trace = 0.5 * (M[0] + M[n + 1] + M[2 * n + 2]);
  s.length = std::max(s.length, std::sqrt(half_trace / s.mass));
  if (!(s.length > 0)) s.length = 1;
  s.inertia = std::max(half_trace, least_inertia_share * s.mass * s.length * s.length);
  for (std::size_t k = 0; k < data.modes; ++k) {
    const double own = M[(6 + k) * (n + 1)];
    own_mass_[data.mode_offset + k] = own > 0 ? own : s.mass;
    own_length_[data.mode_offset + k] = std::sqrt(own_mass_[data.mode_offset + k] / s.mass);
  }
  // Directions without inertia, each unknown relative to its size alone. Only these get the larger δ. For a slender
  // beam without a hub that is the turn about its axis, but not the motions of its frame that the modes follow, which
  // have a little inertia left.
  const auto root = [&](std::size_t j) {
    return std::sqrt(j < 3 ? s.inertia : j < 6 ? s.mass : own_mass_[data.mode_offset + j - 6]);
  };
  Eigen::MatrixXd scaled(n, n);
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c < n; ++c)
      scaled(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) = M[r * n + c] / (root(r) * root(c));
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> principal(scaled);
  for (Eigen::Index k = 0; k < principal.eigenvalues().size() && !(principal.eigenvalues()[k] > no_own_inertia); ++k)
    for (std::size_t r = 0; r < n; ++r)
      massless_[f].push_back(root(r) * principal.eigenvectors()(static_cast<Eigen::Index>(r), k));
  s.singular = s.lacking = !massless_[f].empty();
}

/// Finds the sizes of the modules' variables, from their mass matrices as drawn, at rest. A variable without inertia,
/// or with next to none of its own, takes the inertia that the bodies give it through the rows.
void Scales::make_modules(Model& model) {
  Motions& motions = model.motions;
  std::vector<double> q(model_.view.nq), v(model_.view.nv);
  for (const JointData& joint : model_.view.joints) joint_neutral(joint, q.data() + joint.q_offset);
  TreeKinematics tree(model_.view);
  tree.evaluate(q.data(), v.data(), motions.eta.data(), motions.etadot.data());
  std::copy(tree.frames().begin(), tree.frames().end(), motions.frames.begin());
  model.modules.initial_states(motions.states);
  motions.states_given = true;
  model.evaluate(0, Level::velocity, q.data(), v.data());
  const std::size_t n = model_.view.bodies.size();
  const auto has_no_mass = [](const BodyData& b) { return b.mass == 0; };
  if (std::all_of(model_.view.bodies.begin(), model_.view.bodies.end(), has_no_mass) && model_.view.flexible.empty())
    scale_bodies_by_modules();
  for (std::size_t i = 0; i < model_.modules.modules().size(); ++i) {
    BlockScale& s = scales_.emplace_back(BlockScale{1, 1, 1});
    const std::size_t size = model_.blocks.own(n + i).count;
    const double* M = model_.modules.modules()[i].M.data();
    Eigen::MatrixXd scaled(size, size);
    double* own_mass = own_mass_.data() + model_.blocks.own(n + i).first;
    for (std::size_t k = 0; k < size; ++k) {
      const double own = M[k * (size + 1)], reflected = reflected_mass(model_.constraints.first_module() + i, k);
      own_mass[k] = own > least_own_mass * reflected ? own : reflected > 0 ? reflected : 1;
      own_length_[model_.blocks.own(n + i).first + k] = std::sqrt(own_mass[k]);
    }
    for (std::size_t r = 0; r < size; ++r)
      for (std::size_t c = 0; c < size; ++c)
        scaled(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) =
            M[r * size + c] / std::sqrt(own_mass[r] * own_mass[c]);
    if (size == 0) continue;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> principal(scaled, Eigen::EigenvaluesOnly);
    s.singular = s.lacking = !(principal.eigenvalues()[0] > no_own_inertia);
  }
}

/// If no body has mass, the modules' variables give the made-up masses of all bodies their size through the rows.
void Scales::scale_bodies_by_modules() noexcept {
  double factor = 0;
  for (std::size_t i = 0; i < model_.modules.modules().size(); ++i) {
    const std::size_t size = model_.blocks.own(model_.view.bodies.size() + i).count;
    for (std::size_t k = 0; k < size; ++k) {
      const double reflected = reflected_mass(model_.constraints.first_module() + i, k);
      if (reflected > 0) factor = std::max(factor, model_.modules.modules()[i].M[k * (size + 1)] / reflected);
    }
  }
  if (!(factor > 0)) return;
  for (std::size_t i = 0; i < model_.view.bodies.size(); ++i) {
    scales_[i].mass *= factor;
    scales_[i].inertia *= factor;
  }
}

/// A_k² / (C M⁻¹ Cᵀ) of a module's variable k, the smallest of the rows; zero if no row ties it to a body.
double Scales::reflected_mass(std::size_t constraint, std::size_t k) const noexcept {
  double least = std::numeric_limits<double>::infinity();
  const Constraints::Constraint& tied = model_.constraints[constraint];
  for (std::size_t r = 0; r < tied.rows; ++r) {
    const Constraints::Entry& own = model_.constraints.own_entry(tied);
    double compliance = 0;
    for (const Constraints::Entry& e : model_.constraints.entries_of(tied)) {
      if (&e == &own) continue;
      const Spatial& c = model_.rows.frame(e, r);
      const BlockScale& s = scales_[e.block];
      compliance += dot(c.angular, c.angular) / s.inertia + dot(c.linear, c.linear) / s.mass;
    }
    const double a = model_.rows.own(own, r)[k];
    if (a != 0 && compliance > 0) least = std::min(least, a * a / compliance);
  }
  return std::isfinite(least) ? least : 0;
}

}  // namespace polyform::absolute
