// Newton's matrix in absolute coordinates: a sparse system in the displacements of all blocks and the multipliers of all
// rows.
//
// With displacements ξ of the blocks (rotation and displacement of the mass centre, or of a flexible body's frame, and δη),
// what moves them changes by M δẍ + G δẋ + K ξ, and the rows stay as they are:
//
//   [M + γ G + γ² K   −Aᵀ] [ξ    ]
//   [      −A          −ε] [γ² δλ]      = −γ² (what the right-hand sides bring)
//
// G and K: of inertia, of all forces, and of the levers that the forces in the joints have. ε is small beside A M⁻¹ Aᵀ: it
// lets rows be redundant. Left out is how fast the rows turn: small beside 1/γ in steps that resolve the motion.
//
// Angular velocities are ω = φ̇ − …: for steps of a quaternion along φ, ½ φ q, and q̇ = ½ ω q, the algebra of
// (I − γ ∂f/∂y) has δω = (φ − r_φ)/γ − ½ ω×φ, δα = (δω − r_ω)/γ.
#pragma once

#include <complex>
#include <memory>
#include <span>

#include "polyform/solvers/absolute_equations.hpp"
#include "polyform/solvers/joint_hints.hpp"

namespace polyform::absolute {

/// For y as AbsoluteSolver has it. Rigid and flexible bodies, joints, constraint elements and forces.
class Newton {
 public:
  /// The motion to linearize about, of which the equations stand evaluated.
  struct Moment {
    double time = 0;
    std::span<const double> q, v;                   ///< of all joints
    std::span<const double> x;                      ///< first-order states
    std::span<const double> eta, etadot, etaddot;   ///< of all modes
    std::span<const Pose> poses;                    ///< of the bodies' frames
    std::span<const Spatial> accelerations;         ///< of the origins of the bodies' frames
    std::span<const Spatial> reactions;             ///< of all joints, on the moving body at the origin of M
  };

  static bool carries(const SystemView& view) { return view.modules.empty(); }
  /// They outlive the object. origin: what positions count from.
  Newton(const SystemView&, const AbsoluteEquations&, const JointHints&, const Vec3& origin);
  ~Newton();
  Newton(const Newton&) = delete;
  Newton& operator=(const Newton&) = delete;

  bool good() const noexcept;
  void follow(std::span<const std::int32_t> discrete) noexcept;
  void linearize(const Moment&) noexcept;
  /// False where the matrix is singular.
  bool prepare(double gamma) noexcept;
  bool prepare(std::complex<double> gamma) noexcept;
  void solve(std::span<double> x) noexcept;
  void solve(std::span<double> real, std::span<double> imaginary) noexcept;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace polyform::absolute
