// Friction of the set that grows with what joints transmit.
#include <algorithm>
#include <cmath>

#include "framework/host/unilateral/unilateral_set.hpp"

namespace polyform::host::inline unilateral {

bool UnilateralSet::is_loaded() const {
  return std::ranges::any_of(batches_, [](const Batch& b) { return b.loaded != nullptr; });
}

bool UnilateralSet::is_loaded(std::size_t k) const {
  const Batch& b = batches_[batch_of_[k]];
  return b.loaded != nullptr && b.loaded->is_loaded(elements_[k] - b.first_element);
}

double UnilateralSet::take_reactions(const Observation& now) {
  double change = 0, largest = 0;
  for (Batch& b : batches_) {
    if (b.loaded == nullptr) continue;
    std::ranges::copy(std::span(holding_).subspan(b.first, b.count), before_.begin());
    for (std::size_t k = 0; k < b.joints.size(); ++k) b.reactions[k] = now.reactions[at(b.joints[k])];
    renew_loaded(b);
    for (std::size_t k = 0; k < b.count; ++k) {
      largest = std::max({largest, holding_[b.first + k], before_[k]});
      const double own = std::abs(holding_[b.first + k] - before_[k]);
      if (own <= change || std::isnan(change)) continue;
      change = own;
      changed_element_ = elements_[b.first + k];
    }
  }
  return largest > 0 ? change / largest : 0;
}

void UnilateralSet::copy_loads(std::vector<Spatial>& loads) const {
  loads.clear();
  for (const Batch& b : batches_)
    if (b.loaded != nullptr) loads.insert(loads.end(), b.reactions.begin(), b.reactions.end());
}

void UnilateralSet::put_loads(std::span<const Spatial> loads) {
  for (Batch& b : batches_) {
    if (b.loaded == nullptr) continue;
    std::ranges::copy(loads.first(b.reactions.size()), b.reactions.begin());
    loads = loads.subspan(b.reactions.size());
    renew_loaded(b);
  }
}

void UnilateralSet::renew_loaded(Batch& b) {
  std::ranges::copy(b.given_holding, holding_.begin() + static_cast<std::ptrdiff_t>(b.first));
  std::ranges::copy(b.given_sliding, sliding_.begin() + static_cast<std::ptrdiff_t>(b.first));
  add_loaded(b);
}

void UnilateralSet::add_loaded(Batch& b) {
  b.loaded->add_friction(b.reactions, b.motions, std::span(holding_).subspan(b.first, b.count),
                         std::span(sliding_).subspan(b.first, b.count));
}

}  // namespace polyform::host::inline unilateral
