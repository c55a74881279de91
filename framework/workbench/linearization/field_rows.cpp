#include "framework/workbench/linearization/field_rows.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <random>

namespace polyform::host::inline linearization {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

VectorXd random_deviation(std::span<const double> scales, double size, unsigned seed) {
  std::mt19937 generator(seed);  // a fixed sequence: the same model has the same verdict each time
  VectorXd out(static_cast<Index>(scales.size()));
  for (Index k = 0; k < out.size(); ++k)
    out[k] = size * scales[static_cast<std::size_t>(k)] *
             (2.0 * static_cast<double>(generator() - std::mt19937::min()) / std::mt19937::max() - 1);
  return out;
}

}  // namespace

bool place_near(const PointModel& model, double size, unsigned seed, CanonicalState& out) {
  for (int tries = 0; tries < 6; ++tries, size /= 3) {
    const VectorXd z = random_deviation(model.scales(), size, seed);
    if (model.place(std::span(z.data(), model.states()), out)) return true;
  }
  return false;
}

void FieldRows::evaluate(const FieldRates& field, const CanonicalState& state, const ChartRates& chart, double* out) {
  scratch_ = state;
  const std::size_t nv = model_.view().nv_tree;
  std::copy_n(field.w.begin(), nv, scratch_.v.begin());
  std::copy(field.w.begin() + static_cast<std::ptrdiff_t>(nv), field.w.end(), scratch_.etadot.begin());
  chart.evaluate(scratch_, rates_);
  const MinimalCoordinates& choice = model_.choice();
  for (const std::size_t c : choice.position.independent) *out++ = rates_[c];
  for (const std::size_t c : choice.velocity.independent) *out++ = field.vdot[c];
  for (const std::size_t c : choice.state.independent) *out++ = field.xdot[c];
}

void FieldRows::evaluate(std::size_t k, const CanonicalState& state, const ChartRates& chart, double* out) {
  FieldRates field(model_.view());
  fields_.add(k, 1, state, field);
  evaluate(field, state, chart, out);
}

}  // namespace polyform::host::linearization
