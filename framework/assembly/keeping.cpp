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

/// The longest run of further wishes that goes is found by halving: few factorizations for few contradictions.
bool Keeping::find(std::span<const double> w) {
  const std::vector<std::size_t> all = wanted_;
  for (const auto margin : {NearestRates::Margin::wide, NearestRates::Margin::none}) {
    if (goes(w, all, margin)) return true;
    if (!goes(w, {}, margin)) continue;
    std::vector<std::size_t> kept;
    for (std::size_t from = 0; from < all.size();) {
      const auto with = [&](std::size_t count) {
        std::vector<std::size_t> list = kept;
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(from);
        list.insert(list.end(), first, first + static_cast<std::ptrdiff_t>(count));
        return list;
      };
      const std::size_t rest = all.size() - from;
      std::size_t good = 0, bad = from == 0 ? rest : rest + 1;  // so many further ones go, so many do not
      if (from > 0 && goes(w, with(rest), margin)) good = rest;
      while (bad - good > 1) {
        const std::size_t middle = (good + bad) / 2;
        (goes(w, with(middle), margin) ? good : bad) = middle;
      }
      kept = with(good);
      from += good + 1;
    }
    return goes(w, kept, margin);
  }
  return false;
}

}  // namespace polyform::host
