// Step B3 with a single overall equation, for any number of bodies with several inputs: U_all z_all = b.
//
// Unknowns, per such body as in the paper's Eq 60: its accelerations z_b at the output end and the cutting moment and
// force y_k = (m, q) at each input end. Equations: the chain from its output end to the next such body or to ground,
// condensed with its own y_k as columns, and the end of every chain that meets one of its input ends.
#pragma once

#include <vector>

#include "run.hpp"

namespace polyform::riccati::paper {

/// Bodies with several inputs and the number of unknowns of their overall equation.
struct OverallSize {
  std::size_t bodies = 0, unknowns = 0;
  BodyIndex first = BodyIndex::ground;
};
OverallSize overall_size(const SystemView&);

class Overall {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  explicit Overall(const Links&);

  bool empty() const { return bodies_.empty(); }
  /// Place of a body among those with several inputs, or none.
  std::size_t place(std::size_t body) const { return places_[body]; }
  /// Columns of F in the chain that starts with that body: the artificial 1 and its y.
  Index columns(std::size_t place) const { return 1 + 6 * bodies_[place].inputs; }

  void clear() noexcept;
  /// Adds the equations of a chain whose last run has ended: `start`, place of the body it starts with or none (a tip);
  /// relation, at its end; P, p: z_b at its start = P z_b at its end + p [1 y] (used after a start only).
  void add_chain(const Links&, std::size_t last_body, std::size_t start, const Relation& end, const Matrix6& P,
                 const Matrix6X& p) noexcept;
  /// Solves; false when the equation is singular.
  bool solve() noexcept;
  /// [1 y] of a body after solve().
  const Vector& y(std::size_t place) const { return bodies_[place].y; }

 private:
  struct Body {
    Index first;  ///< of its unknowns: z_b, then y
    Index inputs;
    Vector y;
  };
  std::vector<Body> bodies_;
  std::vector<std::size_t> places_;
  std::vector<Index> inputs_;  ///< per body of the system: which input end of its parent it hangs on
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> U_;
  Vector b_;
};

}  // namespace polyform::riccati::paper
