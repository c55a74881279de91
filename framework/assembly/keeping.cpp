#include "framework/assembly/keeping.hpp"

#include <algorithm>

namespace polyform::host {

Keeping::Keeping(const SystemView& view, ConstraintJacobian& jacobian, const std::vector<double>& given,
                 const StateView& at)
    : view_(view), jacobian_(jacobian), given_(given), at_(at) {}

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
  rates_ = std::make_unique<NearestRates>(view_, jacobian_);
}

bool Keeping::goes(std::span<const double> w, const std::vector<std::size_t>& list, NearestRates::Margin margin) {
  keep(list);
  return rates_->can_meet(w, columns_, margin);
}

bool Keeping::find(std::span<const double> w) {
  const std::vector<std::size_t> all = wanted_;
  for (const auto margin : {NearestRates::Margin::wide, NearestRates::Margin::none})
    if (keep_most(all, [&](const std::vector<std::size_t>& list) { return goes(w, list, margin); })) return true;
  return false;
}

}  // namespace polyform::host
