// Rows that hold at times, for an integrator that carries them in its steps.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/host/evaluation/run_state.hpp"
#include "framework/host/unilateral/driven_rows.hpp"
#include "framework/host/unilateral/kept_momentum.hpp"
#include "framework/host/unilateral/sparse_response.hpp"
#include "framework/host/unilateral/unilateral_set.hpp"
#include "framework/host/unilateral/unilateral_tally.hpp"
#include "polyform/contract/unilateral_system.hpp"

namespace polyform::host::inline unilateral {

/// Its points are those of the set that are near; `chosen_` has their numbers there.
/// Its functions are those of the interface UnilateralSystem; its members are the arrays that a step over the points
/// fills, which are allocated once.
class SteppedContacts final : public UnilateralSystem {
 public:
  /// All arguments outlive the object. t: the time of the start, s. Empty unless use is `steps`. Failure (bad_input) if
  /// surfaces overlap at the start, or friction grows with the load of a joint, or impacts are Poisson's.
  SteppedContacts(const SystemView&, double t, const ConstStateView& start, Solver&, UnilateralUse use);

  bool empty() const { return set_.empty(); }
  const UnilateralTally& tally() const { return tally_; }
  std::vector<std::string> warnings() const;
  /// Evaluations of the solver's derivative so far.
  std::size_t evaluations() const { return response_.evaluations() + moves_; }
  /// What was counted and the forces of the last step, for begin_from() of the same model.
  void keep(RunState&) const;
  /// False where the state is one of another model.
  bool begin_from(const RunState&);

  Status find_points(double t, std::span<const double> y, double step) noexcept override;
  std::size_t point_count() const noexcept override { return chosen_.size(); }
  void describe_point(std::size_t k, UnilateralPoint& out) const noexcept override;
  Status evaluate(double t, std::span<const double> y, UnilateralOutput& out) noexcept override;
  Status rates_at(double t, std::span<const double> y, std::span<double> rates) noexcept override;
  Status find_response(double t, std::span<const double> y) noexcept override;
  std::span<const std::size_t> starts() const noexcept override { return response_.starts(); }
  std::span<const std::size_t> columns() const noexcept override { return response_.columns(); }
  std::span<const double> blocks() const noexcept override { return response_.blocks(); }
  std::span<const double> last_forces() const noexcept override { return last_forces_; }
  void put_forces(std::span<const double> forces, std::span<double> y) noexcept override;
  void end_step(double t, double step, std::span<const double> forces, std::span<const UnilateralMode> modes,
                std::span<const double> losses, double residual, bool solved, std::span<double> y) noexcept override;
  Status displace(double t, std::span<const double> impulses, std::span<double> y) noexcept override;
  std::string_view failure() const noexcept override { return failure_; }
  /// What to do about the last failure; "" if nothing is known.
  const std::string& remedy() const { return remedy_; }

 private:
  /// A point of the last step, by which it is found again, with its forces.
  struct Kept {
    std::array<std::uint64_t, 3> key;
    std::array<double, 3> forces;
  };
  static constexpr std::size_t three = UnilateralSet::rows_per_point;

  void check(const SystemView&, double t, const ConstStateView& start);
  void take_last_forces();
  void tally_times(double begin, double end, std::span<const UnilateralMode> modes);
  double gap_of(std::size_t point) const;
  void see_depth(double t);
  Status find_velocities(double t, std::span<const double> forces, std::span<const double> y);
  double work_along(double t, std::span<const double> impulses, std::span<const double> y);
  template <class Act>
  Status guard(const Act&) noexcept;

  UnilateralSet set_;
  Solver& solver_;
  SecondOrderSystem* second_;
  SparseResponse response_;
  DrivenRows driven_;
  std::optional<KeptMomentum> kept_momentum_;  ///< of a set that is not empty
  UnilateralTally tally_;
  std::vector<std::size_t> chosen_;  ///< points of the set, by their keys
  std::vector<Kept> kept_;           ///< by their keys
  std::vector<double> last_forces_, all_, rates_, y_, base_, with_;
  std::vector<UnilateralMode> modes_;  ///< per point of the set
  std::vector<char> seen_;             ///< per element: what it did in a step
  std::size_t moves_ = 0, steps_ = 0, unsolved_ = 0;
  double worst_ = 0, worst_time_ = 0;      ///< the largest residual that is not within the tolerance
  double way_ = 0;                         ///< that points move at most in the present step, m
  double deepest_ = 0, deepest_time_ = 0;  ///< of overlaps that are deeper than that
  std::string deepest_point_;
  std::string failure_, remedy_;
};

}  // namespace polyform::host::inline unilateral
