// The paper's variants of one evaluation: chains by the Riccati recursion or by the
// plain product of transfer matrices, branches condensed or by one overall equation. Built to be inspected and
// compared, from the paper's 13 × 13 objects; Recursion is the fast one.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "polyform/contract/system_view.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/solvers/tree_sweep.hpp"

namespace polyform::riccati::paper {

struct Variant {
  bool product = false;  ///< transfer-product instead of riccati
  bool overall = false;  ///< overall instead of condensed
};

/// Whether the variant can carry the system; if not, why, naming option, body or joint.
bool can_carry(const SystemView&, const Variant&, std::string& why);

/// The sweep for rigid bodies: modes have no meaning here, and the forces of all hinges are always kept. lost() is
/// about the part of the accelerations that rounding of the products has taken.
class Sweep final : public TreeSweep {
 public:
  Sweep(const SystemView&, const Variant&);
  ~Sweep() override;
  Sweep(const Sweep&) = delete;
  Sweep& operator=(const Sweep&) = delete;

  void position_rates(const double* q, const double* v, double* qdot) const noexcept override;
  void kinematics(const double* q, const double* v, const double* eta, const double* etadot) noexcept override;
  std::span<const BodyMotion> motions(const double* v) noexcept override;
  bool accelerations(std::span<const FrameIndex> loaded, std::span<const Spatial> wrenches,
                     std::span<const double> efforts, double* vdot, double* etaddot, bool keep) noexcept override;
  SweepFailure failure() const noexcept override;
  /// Nothing is kept from one evaluation to the next.
  void start_anew() noexcept override {}
  void body_accelerations(std::span<Spatial> out) const noexcept override;
  void reactions(std::span<Spatial> out) const noexcept override;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace polyform::riccati::paper
