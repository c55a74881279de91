// What stands in Newton's matrix in absolute coordinates, gathered from a system at a motion.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "newton_blocks.hpp"
#include "polyform/mechanics/flexible_derivatives.hpp"
#include "polyform/solvers/absolute/newton.hpp"
#include "polyform/solvers/newton/linearized_forces.hpp"

namespace polyform::absolute {

/// Displacements of a frame are taken about the mass centre of a rigid body, and about the origin of a frame of a flexible
/// one.
class NewtonGather {
 public:
  using Moment = Newton::Moment;
  using Pattern = TreeBlocks::Pattern;

  NewtonGather(const SystemView&, const AbsoluteEquations&, const Vec3& origin);
  bool good() const { return forces_.good() && flexible_.good(); }
  void follow(std::span<const std::int32_t> discrete) noexcept { forces_.follow(discrete); }
  void gather(const Moment&, NewtonSum&);

  const ForceDerivatives& derivatives() const { return forces_.derivatives(); }
  /// What of a relative displacement is a velocity coordinate of a joint, counted as in v.
  const Pattern& direction(std::size_t v) const { return directions_[v]; }
  /// The value of a pattern for displacements of all blocks.
  template <class T>
  T value(const Pattern&, const T* blocks) const;

 private:
  struct Station {
    std::size_t body = 0, node = none;
    Vec3 r;                            ///< from the point of the body's block, ground axes
  };
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::size_t modes_of(std::size_t frame) const;
  Spatial mode(std::size_t frame, std::size_t k) const;
  void place(const Moment&);
  void add_body(std::size_t body, const Moment&, NewtonSum&);
  void add_block(std::size_t body, const Vec3& omega, const Vec3& alpha, NewtonSum&);
  void add_levers(const Moment&);
  void add_forces(const Moment&, NewtonSum&);
  void add_far(const LinearizedForces::Far&, NewtonSum&);
  void add_joint(std::size_t joint, NewtonSum&);
  void add_patterns(std::span<const Pattern*>, const double* K, const double* G, NewtonSum&);
  void add(std::size_t to, std::size_t by, const Six<double>& K, const Six<double>& G, NewtonSum&);
  double inertia_of(std::size_t body, std::size_t e) const;
  void add_rows(NewtonSum&);

  const SystemView& view_;
  const AbsoluteEquations& equations_;
  TreeBlocks blocks_;
  LinearizedForces forces_;
  FlexibleDerivatives flexible_;
  std::vector<Station> stations_;      ///< per frame
  std::vector<Pattern> directions_;
  std::vector<double> M_, G_, K_, left_, right_;   ///< room for one block
};

template <class T>
T NewtonGather::value(const Pattern& p, const T* blocks) const {
  T sum{};
  for (std::size_t k = 0; k < 2; ++k) {
    if (p.frame[k] == TreeBlocks::none) continue;
    const Station& s = stations_[p.frame[k]];
    const Spatial& w = p.wrench[k];
    const T* const x = blocks + equations_.offset(s.body);
    const Vec3 moment = w.angular + cross(s.r, w.linear);
    for (std::size_t c = 0; c < 3; ++c) sum += moment[c] * x[c] + w.linear[c] * x[3 + c];
    for (std::size_t m = 0; m < modes_of(p.frame[k]); ++m) sum += dot(w, mode(p.frame[k], m)) * x[6 + m];
  }
  return sum;
}

}  // namespace polyform::absolute
