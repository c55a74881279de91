// Which rows of the cut joints are independent, told by the directions of the hinges alone.
//
// With masses a row's pivot is what its loop gives way: next to nothing where only heavy bodies move along it. With hinges
// that all give way alike, by 1 rad or by the size of the bodies for a unit load, a small pivot is of a row that depends on
// others, or of a position in which it is about to.
#include <algorithm>
#include <limits>

#include "polyform/solvers/loop_closure.hpp"

namespace polyform {
namespace {

/// Masses that differ by less make pivots differ by no more than levers do.
constexpr double uneven_masses = 1e4;

}  // namespace

void LoopClosure::find_uneven() {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (std::size_t b = 0; b < passages_of_.size(); ++b) {
    const double mass = view_.bodies[b].mass;
    if (passages_of_[b].count == 0 || !(mass > 0)) continue;
    least = std::min(least, mass);
    most = std::max(most, mass);
  }
  uneven_ = flexible_.empty() && most > uneven_masses * least;
}

void LoopClosure::begin_judging(Level level, std::span<const BodyMotion> frames, std::span<const Vec3> to_P) noexcept {
  clear();
  const bool anew = level != Level::acceleration && shows_dependence();
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    dependent_[i] = anew ? 0 : left_out_[i];
    start_columns(i, frames, to_P);
  }
}

void LoopClosure::pass_evenly(std::size_t body, std::span<const Column<double>> hinge, const Vec3& r) noexcept {
  Column<double> even[6];
  const double length = yardstick_.largest_reach();
  for (std::size_t k = 0; k < hinge.size(); ++k) {
    const Spatial& H = hinge[k].H;
    const double stiffness = dot(H.angular, H.angular) + dot(H.linear, H.linear) / (length * length);
    even[k] = {H, {}, stiffness > 0 ? 1 / stiffness : 0, 0};
  }
  pass(body, std::span(even, hinge.size()), {});
  step(body, r, {}, FlexibleLinks::none);
}

void LoopClosure::judge() noexcept {
  for (const std::size_t i : matrix_.order()) {
    matrix_.eliminate(i, dependent_[i]);
    independent_[i] = matrix_.eliminated(i);
  }
  smallest_pivot_ = matrix_.smallest_pivot();
}

void LoopClosure::eliminate(std::size_t i) noexcept {
  if (uneven_) left_out_[i] = dependent_[i];
  matrix_.eliminate(i, left_out_[i], uneven_ ? &independent_[i] : nullptr);
}

}  // namespace polyform
