// The rows of a system's constraints that a solver leaves out because they depend on others: a discrete state of the
// solver.
#pragma once

#include <cstdint>
#include <vector>

#include "polyform/mechanics/discrete_values.hpp"

namespace polyform {

/// Groups of rows (those of a cut joint, of a constraint element) with a bit for each row, in the discrete values of a
/// solver. Up to 64 rows a group. It holds the rows that were found where the constraints held, at the start of a run
/// or at the end of a step; rows that a factorization finds on its way do not belong here.
class RowsLeftOut {
 public:
  /// Both arguments outlive the object. No row is left out.
  explicit RowsLeftOut(DiscreteValues& values) : values_(values) {}
  RowsLeftOut(const RowsLeftOut&) = delete;
  RowsLeftOut& operator=(const RowsLeftOut&) = delete;

  /// Adds the next group; at construction of the solver. owner: its name, which lives as long as the values.
  void add(std::string_view owner, std::size_t rows) {
    Group group{values_.values().size(), 0};
    for (std::size_t left = rows; left > 0; ++group.words) {
      const std::size_t here = left < bits ? left : bits;
      values_.add(owner, "dependent rows", 0, static_cast<std::int32_t>((std::uint32_t{1} << here) - 1));
      left -= here;
    }
    groups_.push_back(group);
  }
  std::size_t groups() const { return groups_.size(); }
  std::uint64_t operator[](std::size_t group) const {
    const Group& g = groups_[group];
    std::uint64_t rows = 0;
    for (std::size_t w = 0; w < g.words; ++w) rows |= static_cast<std::uint64_t>(values_[g.first + w]) << (bits * w);
    return rows;
  }
  void keep(std::size_t group, std::uint64_t rows) noexcept {
    const Group& g = groups_[group];
    for (std::size_t w = 0; w < g.words; ++w)
      values_.put(g.first + w, static_cast<std::int32_t>(rows >> (bits * w) & mask));
  }
  /// No row is left out.
  void clear() noexcept {
    for (std::size_t g = 0; g < groups_.size(); ++g) keep(g, 0);
  }

 private:
  static constexpr std::size_t bits = 31;  ///< of a value
  static constexpr std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  struct Group {
    std::size_t first, words;
  };
  DiscreteValues& values_;
  std::vector<Group> groups_;
};

}  // namespace polyform
