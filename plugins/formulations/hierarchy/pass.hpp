// One pass up and down the hierarchy.
#pragma once

#include <span>
#include <vector>

#include "basis_merges.hpp"
#include "filter_merges.hpp"
#include "free_blocks.hpp"
#include "recursion_failure.hpp"
#include "subsystem_models.hpp"

namespace polyform::hierarchy {

/// Solves for given loads and right-hand sides: after run() the results are those for them.
class Pass {
 public:
  /// They outlive the object.
  explicit Pass(SubsystemModels&);

  /// Begins a solution: pivots count from here on.
  void begin() noexcept {
    filter_.begin();
    bases_.begin();
  }
  /// loads: of all blocks; right: of all rows. False, with a failure, where accelerations are not determined.
  bool run(std::span<const double> loads, std::span<const double> right, RecursionFailure&) noexcept;
  std::span<const double> accelerations() const { return accelerations_; }  ///< of all blocks
  std::span<const double> multipliers() const { return multipliers_; }      ///< of all rows

  const FilterMerges& filter() const { return filter_; }
  const BasisMerges& bases() const { return bases_; }

 private:
  void start_body(std::size_t body, const Spatial& load) noexcept;
  bool start_block(std::size_t block, const double* load, RecursionFailure&) noexcept;
  void read_rows(Node&, std::span<const double> right) noexcept;
  void set_full_rows(Node&, const NodeRows&, const NodeMember&, const AbsoluteEquations::Coefficients&) noexcept;
  void hand_down_forces(const Node&, const Vector& lambda) noexcept;
  void finish_block(std::size_t block) noexcept;

  SubsystemModels& models_;
  FilterMerges filter_;
  BasisMerges bases_;
  FreeBlocks free_;
  std::vector<Sym3> turn_;  ///< per rigid body: angular part of N in α = N x; the linear part is constant
  std::vector<double> move_;
  std::vector<double> accelerations_, multipliers_;
};

}  // namespace polyform::hierarchy
