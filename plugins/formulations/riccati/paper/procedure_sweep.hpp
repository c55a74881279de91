// Algorithms A and B of Rui et al. 2020 as they are printed, as a way to evaluate a system: the paper's transfer
// matrices, Eqs 20 to 34 along chains with free and pinned far ends, Eqs 53 to 60 at a body with several inputs. Built
// to be compared with the recursion that runs by default; it makes its matrices anew in every evaluation.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "polyform/solvers/loop_closure.hpp"
#include "polyform/solvers/tree_sweep.hpp"
#include "subchains.hpp"

namespace polyform::riccati::paper {

/// Whether the procedure, as the paper has it, carries the system; if not, why, by name.
bool can_carry(const SystemView&, Procedure, std::string& why);

/// Chains and one body with several inputs, rigid bodies. A cut joint is a far end that is pinned to ground: its force
/// comes from the transfer, not from the loop closure. recursion: brings positions and velocities back onto such ends.
class ProcedureSweep final : public TreeSweep {
 public:
  /// The system is one that can_carry() takes. View and loops outlive the object.
  ProcedureSweep(const SystemView&, LoopClosure& loops, Procedure, std::unique_ptr<TreeSweep> recursion);
  ~ProcedureSweep() override;
  ProcedureSweep(const ProcedureSweep&) = delete;
  ProcedureSweep& operator=(const ProcedureSweep&) = delete;

  Recursion* recursion() noexcept override { return recursion_->recursion(); }
  void position_rates(const double* q, const double* v, double* qdot) const noexcept override;
  void kinematics(const double* q, const double* v, const double* eta, const double* etadot) noexcept override;
  std::span<const BodyMotion> motions(const double* v) noexcept override { return recursion_->motions(v); }
  bool accelerations(std::span<const FrameIndex> loaded, std::span<const Spatial> wrenches,
                     std::span<const double> efforts, double* vdot, double* etaddot, bool keep) noexcept override;
  SweepFailure failure() const noexcept override;
  /// Nothing is kept from one evaluation to the next.
  void start_anew() noexcept override {}
  void body_accelerations(std::span<Spatial> out) const noexcept override;
  void reactions(std::span<Spatial> out) const noexcept override;

 private:
  struct Work;
  std::unique_ptr<TreeSweep> recursion_;
  std::unique_ptr<Work> work_;
};

}  // namespace polyform::riccati::paper
