// The paper's variants of one evaluation, with the functions of Recursion: chains by the Riccati recursion or by the
// plain product of transfer matrices, branches condensed or by one overall equation. Built to be inspected and
// compared, from the paper's 13 × 13 objects; Recursion is the fast one.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "polyform/mechanics/kinematics.hpp"
#include "polyform/contract/system_view.hpp"

namespace polyform::riccati::paper {

struct Variant {
  bool product = false;   ///< transfer-product instead of riccati
  bool overall = false;   ///< overall instead of condensed
};

/// Whether the variant can carry the system; if not, why, naming option, body or joint.
bool can_carry(const SystemView&, const Variant&, std::string& why);

class Sweep {
 public:
  Sweep(const SystemView&, const Variant&);
  ~Sweep();
  Sweep(const Sweep&) = delete;
  Sweep& operator=(const Sweep&) = delete;

  // As in Recursion.
  void position_rates(const double* q, const double* v, double* qdot) const noexcept;
  void kinematics(const double* q, const double* v, const double* eta, const double* etadot) noexcept;
  std::span<const BodyMotion> motions(const double* v) noexcept;
  /// Bodies are rigid, and the forces of all hinges are always kept: the last two arguments have no meaning here.
  bool accelerations(std::span<const FrameIndex> loaded, std::span<const Spatial> wrenches,
                     std::span<const double> efforts, double* vdot, double* etaddot, bool keep) noexcept;
  std::size_t failed_joint() const;
  /// About the part of the last accelerations that products have left to rounding.
  double lost() const noexcept;
  void body_accelerations(std::span<Spatial> out) const noexcept;
  void reactions(std::span<Spatial> out) const noexcept;
  /// Why accelerations() failed, to follow "joint `j`"; nullptr when the joint has no inertia to move.
  const char* failure() const;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace polyform::riccati::paper
