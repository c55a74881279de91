#pragma once

namespace polyform::hierarchy {

/// How constraints are enforced; in the order of the option's choices.
enum class Method {
  udwadia_kalaba,
  square_root_free,
  orthogonal_complement,
  orthonormalization,
  generalized_inverse,
  oblique_projector
};

/// Section 4, with a covariance; the others work on bases of the admissible motions (Theorem 3.2).
constexpr bool is_filter(Method m) { return m == Method::udwadia_kalaba || m == Method::square_root_free; }

}  // namespace polyform::hierarchy
