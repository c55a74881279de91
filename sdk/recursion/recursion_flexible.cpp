// The parts of the sweeps over the tree that only flexible bodies need.
#include "polyform/solvers/hinge_sweep.hpp"

namespace polyform {

/// Places all frames of flexible body i. The frame that its hinge carries has been placed before, by place().
void TreeMotion::place_frames(std::size_t i) noexcept {
  const std::size_t element = flexible_.element_of(i);
  const Mat3& K = tree_.frames[i].K;
  flexible_.place(element, times_transpose(work_[i].R, K), work_[i].omega);
  for (std::size_t a = flexible_.element(element).first; a < flexible_.element(element).end; ++a)
    work_[tree_.index_of(a)] = {flexible_.attachment(a).R * K, flexible_.attachment(a).omega, {}};
}

/// Finds S and e of flexible body i with all outboard of it, at the hinge point P. Loops through the body then take
/// their part of its modes.
bool HingeSweep::gather_flexible(std::size_t i, Transfer<double>& s) noexcept {
  const std::size_t element = flexible_.element_of(i);
  if (!flexible_.condense(element, s)) {
    failure_ = {i, true, nullptr};
    return false;
  }
  if (tree_.links[i].looped) loops_.pass_modes(i, element);
  return true;
}

/// Finds the second rates η̈ of the modes of flexible body i, and then the accelerations of its frames.
void HingeSweep::find_modal_rates(std::size_t i, double* modal_rates) noexcept {
  const std::size_t element = flexible_.element_of(i);
  double* rates = modal_rates + flexible_.element(element).mode;
  for (std::size_t k = 0; k < flexible_.element(element).modes; ++k)
    taken_[k] = tree_.links[i].looped ? loops_.mode_rate(i, k) : 0.0;
  flexible_.rates(element, z_[i], taken_.data(), rates);
  for (std::size_t a = flexible_.element(element).first; a < flexible_.element(element).end; ++a)
    z_[tree_.index_of(a)] = flexible_.acceleration(a, z_[i], rates);
}

}  // namespace polyform
