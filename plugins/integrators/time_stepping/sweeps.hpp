// What is the same in all problems of impulses that sweeps solve: conjugate directions, and Newton's method at the end.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace polyform::time_stepping {

/// Between two looks at the residual, which costs as much as a sweep.
inline constexpr std::size_t sweeps_per_look = 8;
/// Whether the residual is looked at after sweep k. What ends a solution is a sweep: only that has impulses that obey
/// their laws.
inline bool is_look(std::size_t k, std::size_t sweeps, double square) {
  return k % sweeps_per_look == 1 || k == sweeps || !(square > 0);
}

/// Arrays of the methods below; they keep their room from one problem to the next.
struct SweepRoom {
  std::vector<double> before, direction, best;

  /// The change of λ since `before`, in squares of rates over answers. own: the answer of each row to itself.
  double square_of_step(std::span<const double> own, std::span<const double> lambda) const {
    double square = 0;
    for (std::size_t r = 0; r < lambda.size(); ++r) {
      const double step = lambda[r] - before[r];
      square += own[r] * step * step;
    }
    return square;
  }
};

/// Sweeps as the steps of a method of nonlinear conjugate gradients (Silcowitz-Hansen, Niebe, Erleben 2010). Problem:
/// sweep(λ), is_solved(λ), which finds its residual. True if it is solved; not_finite: where sweeps overflow.
template <class Problem>
bool relax(const Problem& problem, SweepRoom& room, std::span<const double> own, std::span<double> lambda,
           std::size_t sweeps, double& not_finite) {
  // Steps that are all alike add up: so they are where friction creeps to its bound.
  constexpr double steady = 1.05;
  room.direction.assign(lambda.size(), 0.0);
  double last = 0;
  for (std::size_t k = 1; k <= sweeps; ++k) {
    room.before.assign(lambda.begin(), lambda.end());
    problem.sweep(lambda);
    const double square = room.square_of_step(own, lambda);
    if (!std::isfinite(square)) {
      not_finite = square;
      return false;
    }
    if (is_look(k, sweeps, square) && problem.is_solved(lambda)) return true;
    if (k == sweeps) break;
    const double ratio = last > 0 ? square / last : 2, share = ratio < steady ? std::min(ratio, 1.0) : 0;
    last = square;
    for (std::size_t r = 0; r < lambda.size(); ++r) {
      const double step = lambda[r] - room.before[r];
      room.direction[r] *= share;
      lambda[r] += room.direction[r];
      room.direction[r] += step;
    }
  }
  return false;
}

/// Steps of Newton's method, each with a sweep after it. A step that makes the residual larger is made once more with
/// more softening. λ and the residual stay as they were unless the residual becomes smaller. Problem: as above, and
/// step(softening, λ), which is false where the step cannot be made. True if it is solved.
template <class Problem>
bool sharpen(const Problem& problem, SweepRoom& room, std::span<double> lambda, double& residual) {
  constexpr int most_steps = 25;
  constexpr double softest = 0.1, hardest = 1e-10, softer = 100, harder = 0.1;
  room.best.assign(lambda.begin(), lambda.end());
  double least = residual, softening = hardest;
  bool solved = false;
  for (int k = 0; k < most_steps && !solved && softening <= softest; ++k) {
    const bool stepped = problem.step(softening, lambda);
    if (stepped) problem.sweep(lambda);
    solved = stepped && problem.is_solved(lambda);
    if (stepped && residual < least) {
      least = residual;
      room.best.assign(lambda.begin(), lambda.end());
      softening = std::max(hardest, harder * softening);
    } else {
      std::ranges::copy(room.best, lambda.begin());
      softening *= softer;
    }
  }
  std::ranges::copy(room.best, lambda.begin());
  residual = least;
  return solved;
}

}  // namespace polyform::time_stepping
