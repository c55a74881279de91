// Which of several solvers are independent of each other, and so have a vote of their own.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace polyform::host::inline comparison {

/// A kernel that several solvers run, in the order of the solvers.
struct SharedKernel {
  std::string name;
  std::vector<std::size_t> solvers;
};

/// Solvers that share a kernel have one vote together, and so have those that each share one with a third: whatever
/// kernel is wrong, it makes one vote wrong and no other.
class Votes {
 public:
  Votes() = default;
  /// kernels: by solver; each also has one of its own. counts: by solver, whether it votes.
  Votes(std::span<const std::vector<std::string>> kernels, const std::vector<bool>& counts);

  /// How many votes there are.
  std::size_t count() const { return count_; }
  /// The number of a solver's vote, from 0 in the order of the solvers; none if it does not vote.
  std::optional<std::size_t> of(std::size_t solver) const;
  /// The votes of these solvers together: one that shares its vote has an equal part of it.
  double weight(std::span<const std::size_t> solvers) const;
  /// Kernels that two or more solvers run, in the order in which they are met.
  const std::vector<SharedKernel>& shared() const { return shared_; }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::vector<std::size_t> of_;
  std::vector<SharedKernel> shared_;
  std::size_t count_ = 0;
};

/// The share that each of several runs has in its vote, which those with the same number share.
std::vector<double> weights_of(std::span<const std::size_t> votes);

struct Weighted {
  double value = 0, weight = 1;
};
/// The value in the middle by weight; between two halves of the same weight the mean of the values next to them. Sorts
/// them.
double median(std::span<Weighted>);

}  // namespace polyform::host::comparison
