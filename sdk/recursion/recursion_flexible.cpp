// What flexible bodies add to the passes.
#include "polyform/solvers/recursion.hpp"

namespace polyform {

/// After place() of the carried frame: all frames of a flexible body.
void Recursion::place_frames(std::size_t i) noexcept {
  const std::size_t element = flexible_.element_of(i);
  flexible_.place(element, times_transpose(work_[i].R, frames_[i].K), work_[i].omega);
  for (std::size_t a = flexible_.first_attachment(element); a < flexible_.end_attachment(element); ++a)
    work_[frame_work(a)] = {flexible_.attachment(a).R * frames_[i].K, flexible_.attachment(a).omega, {}};
}

/// S and e of a flexible body and all outboard of it, at P; the loops through it pass its modes.
bool Recursion::gather_flexible(std::size_t i, Transfer<double>& s) noexcept {
  const std::size_t element = flexible_.element_of(i);
  if (!flexible_.condense(element, s)) {
    failed_ = i;
    failed_in_mode_ = true;
    return false;
  }
  if (links_[i].looped) loops_.pass_modes(i, element);
  return true;
}

/// η̈ of a flexible body, and the accelerations of its frames.
void Recursion::modal_rates(std::size_t i, double* etaddot) noexcept {
  const std::size_t element = flexible_.element_of(i);
  double* rates = etaddot + flexible_.mode_offset(element);
  for (std::size_t k = 0; k < flexible_.modes(element); ++k)
    taken_[k] = links_[i].looped ? loops_.mode_rate(i, k) : 0.0;
  flexible_.rates(element, z_[i], taken_.data(), rates);
  for (std::size_t a = flexible_.first_attachment(element); a < flexible_.end_attachment(element); ++a)
    z_[frame_work(a)] = flexible_.acceleration(a, z_[i], rates);
}

}  // namespace polyform
