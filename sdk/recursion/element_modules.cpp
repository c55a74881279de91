// What modules add to the rows of elements: their variables, and their wrenches and efforts.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "polyform/mechanics/constraint.hpp"
#include "polyform/solvers/element_rows.hpp"

namespace polyform {

namespace {

/// The accelerations of a row have at least this rounding, relative to the terms of the row.
constexpr double row_rounding = 1e-14;

void add_frame(std::vector<FrameIndex>& frames, FrameIndex f) {
  if (!is_ground(f) && std::ranges::find(frames, f) == frames.end()) frames.push_back(f);
}

}  // namespace

void ElementRows::add_modules() {
  std::size_t most = 0;
  for (std::size_t m = 0; m < set_.modules().size(); ++m) {
    const ConstraintSet::Element& e = set_.modules()[m].rows;
    first_group_.push_back(groups_.size());
    rows_of_.emplace_back(set_.modules()[m]);
    most = std::max(most, e.rows);
    add_groups(elements_.elements().size() + m, m);
    first_motion_.push_back(module_motions_.size());
    module_motions_.resize(module_motions_.size() + e.joints.size());
    for (const Marker& marker : e.markers) add_frame(loaded_, marker.frame);
    for (const JointIndex j : e.joints)
      for (const FrameIndex f : {view_.joints[at(j)].base_frame, view_.joints[at(j)].moving_frame})
        add_frame(loaded_, f);
  }
  missing_.resize(most);
  rounding_.resize(most);
}

void ElementRows::evaluate_modules(double t, std::span<const BodyMotion> frames, std::span<const double> q,
                                   std::span<const double> v, std::span<const double> x) noexcept {
  set_.evaluate(t, frames, q, v, x);
  JointMotion* motion = module_motions_.data();
  for (const ModuleSet::Module& module : set_.modules())
    for (const JointIndex j : module.rows.joints) {
      const JointData& joint = view_.joints[at(j)];
      joint_motion(joint, q.data() + joint.q_offset, v.data() + joint.v_offset, *motion++);
    }
}

/// Calls visit(joint, its index, wrench on the moving body in F) for the efforts of a module.
template <class Visit>
void ElementRows::each_effort(const ModuleSet::Module& module, const Visit& visit) const noexcept {
  const JointMotion* motion =
      module_motions_.data() + first_motion_[static_cast<std::size_t>(&module - set_.modules().data())];
  const double* effort = module.efforts.data();
  for (const JointIndex j : module.rows.joints) {
    const JointData& joint = view_.joints[at(j)];
    visit(joint, j, effort_wrench(*motion++, joint.nv, effort));
    effort += joint.nv;
  }
}

/// A u for one row.
double ElementRows::rate_of_variables(const Group& g, std::size_t row, std::span<const double> x) const noexcept {
  const ModuleSet::Module& module = set_.modules()[g.module];
  const double* A = module.A.data() + row * module.variables;
  return std::inner_product(A, A + module.variables, x.data() + module.u, 0.0);
}

unsigned ElementRows::given_up(std::size_t g) const {
  const Group& group = groups_[g];
  if (group.module == none) return 0;
  unsigned rows = 0;
  for (std::size_t r = 0; r < group.rows; ++r)
    if (rows_of_[group.module].gives(group.first + r)) rows |= 1u << r;
  return rows;
}

void ElementRows::prepare(Level level) noexcept {
  if (!has_modules()) return;
  level_ = level;
  unheld_ = {};
  for (std::size_t m = 0; m < rows_of_.size(); ++m) {
    if (!rows_of_[m].prepare(level == Level::position, level == Level::acceleration))
      unheld_ = set_.modules()[m].rows.name;
    if (rows_of_[m].rows() > 0) take_from_rows(m);
  }
}

/// Subtracts the rows that give variables from the other rows of a module. Its groups tie the same frames, one after
/// the other.
void ElementRows::take_from_rows(std::size_t m) noexcept {
  const ModuleRows& rows = rows_of_[m];
  const Group& first = groups_[first_group_[m]];
  const std::size_t n = first.frame_count;
  std::copy_n(asked_.data() + first.row, rows.rows(), rows_.data() + first.row);
  std::copy_n(asked_shares_.data() + first.share, rows.rows() * n, shares_.data() + first.share);
  for (std::size_t s = 0; s < rows.rows(); ++s) {
    if (rows.gives(s)) {
      std::fill_n(shares_.data() + first.share + s * n, n, Share{});
      continue;
    }
    Row& row = rows_[first.row + s];
    for (std::size_t k = 0; k < rows.pairs(); ++k) {
      const double c = rows.C(s, k);
      const Row& taken = asked_[first.row + rows.row_of_R(k)];
      row.residual -= c * taken.residual;
      row.rate -= c * taken.rate;
      row.acceleration -= c * taken.acceleration;
      for (std::size_t f = 0; f < n; ++f) {
        const Share& share = asked_shares_[first.share + rows.row_of_R(k) * n + f];
        shares_[first.share + s * n + f].add(-c * share.row, std::abs(c) * share.angular, std::abs(c) * share.linear);
      }
    }
  }
}

void ElementRows::complete(std::span<double> multipliers, std::span<const Spatial> accelerations) noexcept {
  for (std::size_t m = 0; m < rows_of_.size(); ++m) {
    ModuleRows& rows = rows_of_[m];
    double* of_module = nullptr;
    if (rows.rows() > 0) {
      const Group& first = groups_[first_group_[m]];
      of_module = multipliers.data() + first.row;
      rows.complete(of_module);
      for (std::size_t r = 0; r < rows.rows(); ++r) {
        const Row& row = asked_[first.row + r];
        double missing = level_ == Level::position   ? -row.residual
                         : level_ == Level::velocity ? -row.rate
                                                     : row.acceleration;
        double terms = std::abs(missing);
        for (std::size_t f = 0; f < first.frame_count; ++f) {
          const Share& share = asked_shares_[first.share + r * first.frame_count + f];
          const Spatial& a = accelerations[at(frames_[first.frames + f])];
          missing -= dot(share.row, a);
          terms += share.angular * size(a.angular) + share.linear * size(a.linear);
        }
        missing_[r] = missing;
        rounding_[r] = row_rounding * terms;
      }
    }
    rows.find_rates(of_module, missing_.data(), rounding_.data());
  }
}

double ElementRows::own_share(std::size_t g, std::size_t row, std::span<const double> multipliers) const noexcept {
  const Group& group = groups_[g];
  if (group.module == none) return 0;
  const ModuleRows& rows = rows_of_[group.module];
  const double* of_module = multipliers.data() + groups_[first_group_[group.module]].row;
  double sum = 0;
  for (std::size_t s = 0; s < rows.rows(); ++s)
    if (!rows.gives(s)) sum += rows.compliance(group.first + row, s) * of_module[s];
  return sum;
}

double ElementRows::missed_by(std::size_t g, std::span<const Spatial> accelerations) const noexcept {
  const Group& group = groups_[g];
  const std::span<const FrameIndex> tied = frames(g);
  double missed = 0;
  for (std::size_t r = 0; r < group.rows; ++r) {
    double off = asked(g, r).acceleration;
    for (std::size_t f = 0; f < tied.size(); ++f)
      off -= dot(asked_share(g, r, f).row, accelerations[at(tied[f])]);
    if (group.module != none) {
      const ModuleRows& rows = rows_of_[group.module];
      const double* A = rows.module().A.data() + (group.first + r) * rows.variables();
      off -= std::inner_product(A, A + rows.variables(), rows.rates().data(), 0.0);
    }
    missed = std::max(missed, std::abs(off));
  }
  return missed;
}

void ElementRows::put_multipliers(std::span<const double> multipliers, std::span<double> out) const noexcept {
  std::size_t next = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (std::size_t r = 0; r < groups_[g].rows && groups_[g].module != none; ++r)
      out[next++] = multipliers[groups_[g].row + r] + effort(g, r);
}

/// The wrenches and efforts of a module, on the frames of its markers and joints.
void ElementRows::add_module_loads(const ModuleSet::Module& module, std::span<const BodyMotion> frames,
                                   std::span<Spatial> wrenches) const noexcept {
  const ConstraintSet::Element& e = module.rows;
  for (std::size_t m = 0; m < e.markers.size(); ++m) {
    const Spatial& w = module.wrenches[m];
    if (!is_ground(e.markers[m].frame))
      wrenches[at(e.markers[m].frame)] += Spatial{w.angular + cross(e.arms[m], w.linear), w.linear};
  }
  each_effort(module, [&](const JointData& joint, JointIndex, const Spatial& t) {
    const ConstraintRow w =
        constraint_row(joint, motion_of(joint.base_frame, frames), motion_of(joint.moving_frame, frames), t);
    if (!is_ground(joint.base_frame)) wrenches[at(joint.base_frame)] += w.base;
    if (!is_ground(joint.moving_frame)) wrenches[at(joint.moving_frame)] += w.moving;
  });
}

void ElementRows::add_module_reactions(const ModuleSet::Module& module, std::span<const BodyMotion> frames,
                                       std::span<Spatial> reactions) const noexcept {
  each_effort(module, [&](const JointData& joint, JointIndex j, const Spatial& t) {
    reactions[at(j)] += reaction_in_ground(motion_of(joint.base_frame, frames), t);
  });
}

void ElementRows::put_rates(std::span<double> xdot) const noexcept {
  for (const ModuleRows& rows : rows_of_) std::ranges::copy(rows.rates(), xdot.data() + rows.module().u);
  set_.put_rates(xdot);
}

void ElementRows::move(std::span<double> x, bool positions) const noexcept {
  for (const ModuleRows& rows : rows_of_) {
    const ModuleSet::Module& module = rows.module();
    if (positions)
      for (const ModuleSet::Module::Integral& i : module.integrals) x[i.state] += rows.rates()[i.variable];
    else
      for (std::size_t k = 0; k < module.variables; ++k) x[module.u + k] += rows.rates()[k];
  }
}

}  // namespace polyform
