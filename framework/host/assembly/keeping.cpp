#include "framework/host/assembly/keeping.hpp"

#include <algorithm>
#include <cmath>

#include "polyform/mechanics/judgement.hpp"
#include "polyform/mechanics/scale.hpp"

namespace polyform::host::inline assembly {

Keeping::Keeping(const SystemView& view, ConstraintJacobian& jacobian, const std::vector<double>& given)
    : view_(view), jacobian_(jacobian), given_(given) {}

void Keeping::keep(std::vector<std::size_t> list) {
  wanted_ = std::move(list);
  columns_.assign(view_.nv_tree + view_.modes, false);
  jacobian_.drop_rates();
  for (const std::size_t one : wanted_) {
    if (one == modes) {
      std::fill(columns_.begin() + static_cast<std::ptrdiff_t>(view_.nv_tree), columns_.end(), true);
      continue;
    }
    const JointData& joint = view_.joints[one];
    if (one < view_.bodies.size())
      std::fill_n(columns_.begin() + static_cast<std::ptrdiff_t>(joint.v_offset), joint.nv, true);
    else
      jacobian_.add_rates(one, std::span(given_).subspan(joint.v_offset, joint.nv));
  }
  rates_ = std::make_unique<NearestRates>(view_, jacobian_, dependence_);
}

bool Keeping::keeps_all(std::span<const double> w, std::span<const BodyVelocity> bodies) {
  keep(std::vector<std::size_t>(wanted_));
  std::vector<const BodyVelocity*> given(view_.bodies.size());
  for (const BodyVelocity& one : bodies) given[at(one.body)] = &one;
  for (const BodyVelocity& one : bodies) {
    // Each twist is taken relative to the nearest body inboard whose velocity is given as completely: then its row
    // contains only the joints between the two bodies.
    BodyIndex in = view_.joints[at(one.body)].inboard();
    while (!is_ground(in) && (given[at(in)] == nullptr || (one.whole && !given[at(in)]->whole)))
      in = view_.joints[at(in)].inboard();
    Spatial twist = one.twist;
    if (!is_ground(in)) {
      const Spatial& other = given[at(in)]->twist;
      const auto frames = jacobian_.tree().frames();
      const Vec3 arm = frames[at(frame_of(one.body))].p - frames[at(frame_of(in))].p;
      twist = twist - Spatial{other.angular, other.linear + cross(other.angular, arm)};
    }
    jacobian_.add_twist(one.body, in, twist, one.whole);
  }
  rates_ = std::make_unique<NearestRates>(view_, jacobian_, dependence_);
  margin_ = NearestRates::Margin::wide;
  return rates_->can_meet(w, columns_, margin_);
}

bool Keeping::goes(std::span<const double> w, const std::vector<std::size_t>& list, NearestRates::Margin margin) {
  keep(list);
  margin_ = margin;
  return rates_->can_meet(w, columns_, margin);
}

/// Looks for rates in `rest` that the rows determine once those in `kept` are given. If such a rate comes out as it was
/// given, it is kept, too. True if there was any.
bool Keeping::sift(std::vector<std::size_t>& kept, std::vector<std::size_t>& rest) {
  const std::vector<double> w(rates_->met_rates().begin(), rates_->met_rates().end());
  const std::vector<char> settled = rates_->settled_columns();
  const double least = least_share * met * rates_->fastest_wanted(), part = rates_->met_part();
  const auto differ = [&](double found, double given) {
    return std::abs(found - given) > std::max(part * std::max(std::abs(found), std::abs(given)), least);
  };
  // For each joint of the rest: whether a rate of it is not settled, and whether it is settled to another value.
  std::vector<char> open(view_.joints.size()), apart(view_.joints.size());
  const std::size_t own = jacobian_.rows().size();
  std::vector<std::size_t> joint_of_row;
  for (const std::size_t one : rest) {
    if (one == modes) continue;
    const JointData& joint = view_.joints[one];
    const std::span<const double> given = std::span(given_).subspan(joint.v_offset, joint.nv);
    if (one >= view_.bodies.size()) {
      jacobian_.add_rates(one, given);
      joint_of_row.insert(joint_of_row.end(), joint.nv, one);
      continue;
    }
    for (std::size_t k = 0; k < joint.nv; ++k) {
      open[one] = open[one] != 0 || settled[joint.v_offset + k] == 0;
      apart[one] = apart[one] != 0 || differ(w[joint.v_offset + k], given[k]);
    }
  }
  std::vector<double> found(joint_of_row.size());
  for (const ConstraintJacobian::Entry& e : jacobian_.entries()) {
    if (e.row < own) continue;
    found[e.row - own] += e.value * w[e.column];
    if (settled[e.column] == 0) open[joint_of_row[e.row - own]] = 1;
  }
  for (std::size_t r = 0; r < found.size(); ++r)
    if (differ(found[r], jacobian_.rows()[own + r].velocity_right)) apart[joint_of_row[r]] = 1;
  const auto undecided = [&](std::size_t one) { return one == modes || open[one] != 0; };
  std::vector<std::size_t> left;
  for (const std::size_t one : rest) {
    if (undecided(one))
      left.push_back(one);
    else if (apart[one] == 0)
      kept.push_back(one);
  }
  const bool any = left.size() < rest.size();
  rest = std::move(left);
  return any;
}

bool Keeping::find(std::span<const double> w, bool moves) {
  using Margin = NearestRates::Margin;
  const std::vector<std::size_t> all = wanted_;
  if (!moves && goes(w, all, Margin::wide)) return true;
  jacobian_.drop_rates();
  const RowScales scales(jacobian_, view_.nv_tree + view_.modes);
  RowFactors own(jacobian_, scales, std::vector<char>(view_.nv_tree + view_.modes));
  own.factorize(least_independent);
  dependence_ = own.left_out_part();
  const auto keep_some = [&](Margin margin) {
    return keep_most(
        all, [&](const std::vector<std::size_t>& list) { return goes(w, list, margin); },
        [&](std::vector<std::size_t>& kept, std::vector<std::size_t>& rest) { return sift(kept, rest); });
  };
  return keep_some(Margin::dependent) || keep_some(Margin::none);
}

}  // namespace polyform::host::assembly
