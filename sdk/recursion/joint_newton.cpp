#include "polyform/solvers/joint_newton.hpp"

#include <algorithm>
#include <complex>
#include <new>

namespace polyform {

NewtonMatrix* JointNewton::matrix() noexcept {
  if (!is_carried()) return nullptr;
  if (newton_) return this;
  try {
    const LoopClosure& loops = dynamics_.loops();
    auto made = std::make_unique<TreeNewton>(dynamics_.view(), dynamics_.state(), dynamics_.centred().origin(),
                                             loops.empty() ? nullptr : &loops.constraints());
    rates_.resize(dynamics_.state().size());
    error_.resize(dynamics_.state().size());
    cuts_.resize(dynamics_.view().cut_joints().size());
    if (!made->good()) return nullptr;
    made->follow(dynamics_.discrete().of_elements());
    newton_ = std::move(made);
    return this;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

Status JointNewton::linearize(double t, std::span<const double> y) noexcept {
  PlacedState here;
  if (dynamics_.solve(t, y, dynamics_.state().rates(rates_), true, here) == Status::failed) return Status::failed;
  for (std::size_t i = 0; i < cuts_.size(); ++i)
    cuts_[i] = dynamics_.loads().cut_reaction(i, motion_of(dynamics_.view().cut_joints()[i].base_frame, here.motions));
  newton_->linearize(t, y, here, rates_, dynamics_.loops().multipliers().all(), cuts_);
  prepared_ = false;
  return Status::ok;
}

Status JointNewton::prepare(double gamma) noexcept {
  prepared_ = newton_->prepare(gamma);
  return prepared_ ? Status::ok : Status::failed;
}

Status JointNewton::prepare_complex(double real, double imaginary) noexcept {
  return newton_->prepare(std::complex<double>(real, imaginary)) ? Status::ok : Status::failed;
}

Status JointNewton::derivative_to_solve(double t, std::span<const double> y, std::span<double> ydot) noexcept {
  if (prepared_) dynamics_.sweep().tolerate(this);
  const Status status = solver_.derivative(t, y, ydot);
  dynamics_.sweep().tolerate(nullptr);
  return status;
}

void JointNewton::apply(std::span<double> error) noexcept {
  const std::size_t first = dynamics_.view().nq_tree;
  std::ranges::fill(error_, 0.0);
  std::copy(error.begin(), error.end(), error_.data() + first);
  newton_->solve(error_);
  std::copy_n(error_.data() + first, error.size(), error.begin());
}

}  // namespace polyform
