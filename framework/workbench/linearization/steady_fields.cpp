#include "framework/workbench/linearization/steady_fields.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "framework/dense_equations.hpp"
#include "framework/workbench/linearization/acting.hpp"

namespace polyform::host::inline linearization {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

bool turns(MotionField::Kind kind) {
  return kind == MotionField::Kind::turn_in_base || kind == MotionField::Kind::turn_in_body;
}

}  // namespace

Linearization frame_of(const SystemView& view, double time, const CanonicalState& state,
                       const MinimalCoordinates& choice) {
  Linearization out;
  out.choice = choice;
  out.nominal = state;
  out.scales = state_scales(view, choice, state, acting_at(view, time, state));
  return out;
}

SteadyFields::SteadyFields(const System& system, const SolverMaker& make, const OperatingPoint& point,
                           const MinimalCoordinates& choice)
    : frame_(frame_of(system.view(), point.time, point.state, choice)), model_(system, make, point, frame_) {
  const SystemView& view = model_.view();
  fields_.emplace(view, point.state, std::span<const double>());
  std::vector<char> turning(view.bodies.size());
  for (std::size_t k = 0; k < fields_->size(); ++k)
    if (turns((*fields_)[k].kind)) turning[(*fields_)[k].joint] = true;
  if (std::find(turning.begin(), turning.end(), true) == turning.end()) return;
  symmetries_ = find_symmetries(model_, *fields_);
  for (std::size_t j = 0; j < turning.size(); ++j)
    for (std::size_t k = 0; turning[j] && k < view.joints[j].nv; ++k) turning_.push_back(view.joints[j].v_offset + k);
  rate_ = model_.acting().rate;
}

void SteadyFields::remove(const CanonicalState& state, std::span<double> vdot, VectorXd& misfits) const {
  const Index n = static_cast<Index>(model_.coordinates()), t = static_cast<Index>(turning_.size());
  const Index m = static_cast<Index>(fields_->size());
  MatrixXd all(n + t, m);
  VectorXd wanted(n + t), weights(n + t);
  for (Index k = 0; k < m; ++k) {
    FieldRates field(model_.view());
    fields_->add(static_cast<std::size_t>(k), 1, state, field);
    for (Index c = 0; c < n; ++c) all(c, k) = field.vdot[static_cast<std::size_t>(c)];
    for (Index i = 0; i < t; ++i) all(n + i, k) = rate_ * field.w[turning_[static_cast<std::size_t>(i)]];
  }
  for (Index c = 0; c < n; ++c) {
    wanted[c] = vdot[static_cast<std::size_t>(c)];
    weights[c] = 1 / model_.coordinate(static_cast<std::size_t>(c)).scale;
  }
  for (Index i = 0; i < t; ++i) {
    const std::size_t c = turning_[static_cast<std::size_t>(i)];
    wanted[n + i] = rate_ * model_.velocity(state, c);
    weights[n + i] = 1 / model_.coordinate(c).scale;
  }
  const MatrixXd along = all * symmetries_.basis;
  constexpr double independent_fields = 1e-9;  // fields of size 1, by formulas
  const VectorXd c = least_squares(weights.asDiagonal() * along, weights.cwiseProduct(wanted), independent_fields);
  const VectorXd left = wanted - along * c;
  std::copy_n(left.data(), n, vdot.begin());
  misfits = left.tail(t);
}

}  // namespace polyform::host::linearization
