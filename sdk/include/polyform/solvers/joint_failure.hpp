// The failures of a solver in joint coordinates.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "polyform/contract/system_view.hpp"
#include "polyform/solvers/joint_loads.hpp"
#include "polyform/solvers/loop_accelerations.hpp"
#include "polyform/solvers/tree_sweep.hpp"

namespace polyform {

/// One sentence, or nothing after success. Nothing allocates after construction.
class JointFailure {
 public:
  /// The arguments outlive the object.
  JointFailure(const SystemView&, const ClosingConstraints&, const JointLoads&);

  std::string_view text() const { return text_; }
  void clear() noexcept { text_.clear(); }

  /// Accelerations or a closing step could not be found at y.
  void cannot_solve(const SweepFailure&, std::span<const double> y) noexcept;
  /// Newton's method does not converge.
  void cannot_close(std::size_t steps) noexcept;
  /// A correction has changed the velocities so much that it invents a motion rather than removes an error. speed: the
  /// largest before.
  void changes_abruptly(double change, double speed) noexcept;
  /// A module whose variables neither mass nor rows hold.
  void leaves_free(std::string_view module) noexcept;
  /// Rows that were left out are met where they depend on the others, unless their right-hand sides do not.
  void contradicts(const LoopContradiction&) noexcept;

 private:
  /// Whether the loop of a cut joint passes the hinge of a body.
  bool is_in_loop(std::size_t body) const noexcept;

  const SystemView& view_;
  const ClosingConstraints& closing_;
  const JointLoads& loads_;
  std::string text_;
};

}  // namespace polyform
