// What flexible bodies add to the sweeps.
#include "polyform/solvers/hinge_sweep.hpp"

namespace polyform {

/// After place() of the carried frame: all frames of a flexible body.
void TreeMotion::place_frames(std::size_t i) noexcept {
  const std::size_t element = flexible_.element_of(i);
  const Mat3& K = tree_.frames[i].K;
  flexible_.place(element, times_transpose(work_[i].R, K), work_[i].omega);
  for (std::size_t a = flexible_.element(element).first; a < flexible_.element(element).end; ++a)
    work_[tree_.index_of(a)] = {flexible_.attachment(a).R * K, flexible_.attachment(a).omega, {}};
}

/// S and e of a flexible body and all outboard of it, at P; the loops through it pass its modes.
bool HingeSweep::gather_flexible(std::size_t i, Transfer<double>& s) noexcept {
  const std::size_t element = flexible_.element_of(i);
  if (!flexible_.condense(element, s)) {
    failure_ = {i, true, nullptr};
    return false;
  }
  if (tree_.links[i].looped) loops_.pass_modes(i, element);
  return true;
}

/// η̈ of a flexible body, and the accelerations of its frames.
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
