// Algorithm A of Rui et al. 2020, Sect. 4.1: the Riccati recursion along a chain of given transfer matrices.
//
// One equation is missing in the paper. Its hinge takes Ω̇ of the outboard body from the condition that this body's
// other end carries no moment (Eq 10). So every hinge sees to the condition of the next one, and the condition of the
// first hinge, m = 0 at the output end of the first body, is never imposed: the boundary equations of the root are then
// short of as many equations as a hinge has rotations, and m = 0 at the root is an identity. The condition is carried
// along here, as rows condition() on z_b, and imposed at the root.
//
// If Eqs 24 and 10 do not go together, regular() is false: at single configurations (in the plane at
// 3 cos(θ3 − θ5) + 2 = 0, the denominator of Eq 46), and always in space from the second hinge of a chain on, where m
// before the hinge is zero whatever the accelerations are, so that Ω̇ before it is felt behind it only through r̃ q,
// which has no part along r. The solver's hinges (Run, Recursion) use their own condition and have no such limit.
#pragma once

#include <optional>
#include <vector>

#include "riccati_step.hpp"

namespace polyform::riccati::paper {

/// What is known at an end: free m = q = 0; pinned r̈ = 0, m = 0; fixed r̈ = 0, Ω̇ = 0.
enum class Boundary { free, pinned, fixed };
/// Places of the known states, half of all.
std::vector<Index> known_states(const Layout&, Boundary);

struct Element {
  Matrix U;  ///< size × size
  bool hinge = false;
};

/// G z_b = g.
struct Condition {
  Matrix G;  ///< rows × half
  Vector g;
};

class Chain {
 public:
  /// Steps A1–A3, from the tip through the elements in order. The first element is a body.
  Chain(const Layout&, Boundary tip, std::vector<Element> elements);

  const Partition& partition() const { return partition_; }
  /// S_{i+1}, e_{i+1}: z_a = S z_b + e at the output end of element i (from 1); i = 0: at the tip.
  const Matrix& S(std::size_t i) const { return S_[i]; }
  const Vector& e(std::size_t i) const { return e_[i]; }
  /// Whether P of Eq 24 exists in every step.
  bool regular() const { return regular_; }
  /// z_O = U_tip [z_b 1] at the end of the chain, Eqs 42, 48: size × (half + 1).
  Matrix tip_matrix() const;
  /// The moment condition of the chain's first hinge, at the end of the chain; of a chain without hinges, the moment
  /// condition of the hinge that follows its end.
  Condition condition() const;

  /// Step A4: z_b at the end of the chain from its boundary there. Nothing when the boundaries do not determine it,
  /// when the chain is not regular(), and for a fixed end of a chain with hinges: a held body carries a moment, so
  /// Eq 10 does not apply; for the other bodies the hinge on it is a pinned end.
  std::optional<Vector> root(Boundary) const;
  /// Step A5, Eq 33: the states of all connection points, from the tip to the end.
  std::vector<Vector> states(const Vector& z_b) const;

 private:
  Condition moment(std::size_t i) const;
  Vector state(std::size_t i, const Vector& z_b) const;

  Layout layout_;
  Boundary tip_;
  bool regular_ = true;
  Partition partition_;
  std::vector<RiccatiStep<Eigen::Dynamic, Eigen::Dynamic>> steps_;
  std::vector<Matrix> S_;
  std::vector<Vector> e_;
  std::optional<Condition> carried_;
};

}  // namespace polyform::riccati::paper
