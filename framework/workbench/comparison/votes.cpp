#include "framework/workbench/comparison/votes.hpp"

#include <algorithm>
#include <numeric>

namespace polyform::host::inline comparison {

Votes::Votes(std::span<const std::vector<std::string>> kernels, const std::vector<bool>& counts)
    : of_(kernels.size(), none) {
  std::vector<SharedKernel> met;
  for (std::size_t s = 0; s < kernels.size(); ++s) {
    if (!counts[s]) continue;
    for (const std::string& name : kernels[s]) {
      auto known = std::ranges::find(met, name, &SharedKernel::name);
      if (known == met.end()) known = met.insert(met.end(), {name, {}});
      known->solvers.push_back(s);
    }
  }
  // The first of those that are joined represents them.
  std::vector<std::size_t> first(kernels.size());
  std::iota(first.begin(), first.end(), std::size_t{0});
  for (const SharedKernel& kernel : met)
    for (const std::size_t s : kernel.solvers) {
      const std::size_t a = std::min(first[kernel.solvers.front()], first[s]);
      const std::size_t b = std::max(first[kernel.solvers.front()], first[s]);
      std::ranges::replace(first, b, a);
    }
  for (std::size_t s = 0; s < kernels.size(); ++s)
    if (counts[s]) of_[s] = first[s] == s ? count_++ : of_[first[s]];
  for (SharedKernel& kernel : met)
    if (kernel.solvers.size() > 1) shared_.push_back(std::move(kernel));
}

std::optional<std::size_t> Votes::of(std::size_t solver) const {
  return solver < of_.size() && of_[solver] != none ? std::optional(of_[solver]) : std::nullopt;
}

double Votes::weight(std::span<const std::size_t> solvers) const {
  double sum = 0;
  for (const std::size_t s : solvers)
    if (of(s)) sum += 1 / static_cast<double>(std::ranges::count(of_, of_[s]));
  return sum;
}

std::vector<double> weights_of(std::span<const std::size_t> votes) {
  std::vector<double> weights;
  for (const std::size_t vote : votes) weights.push_back(1 / static_cast<double>(std::ranges::count(votes, vote)));
  return weights;
}

double median(std::span<Weighted> all) {
  std::sort(all.begin(), all.end(), [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
  double half = 0, below = 0;
  for (const Weighted& one : all) half += 0.5 * one.weight;
  // Shares are quotients of small numbers: sums of them that are equal differ by rounding alone.
  constexpr double rounding = 1e-9;
  for (std::size_t k = 0; k < all.size(); ++k) {
    below += all[k].weight;
    if (below > half + rounding) return all[k].value;
    if (below > half - rounding) return 0.5 * (all[k].value + all[std::min(k + 1, all.size() - 1)].value);
  }
  return 0;
}

}  // namespace polyform::host::comparison
