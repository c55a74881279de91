#include "generalized_mass.hpp"

namespace polyform::thompson {
namespace {

/// A block of a matrix stored rows first, n to a row.
Mat3 block_at(std::span<const double> m, std::size_t n, std::size_t row, std::size_t column) {
  Mat3 out;
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c) out(r, c) = m[(row + r) * n + column + c];
  return out;
}

void put_block(Matrix6& M, int row, int column, const Mat3& m) {
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) M(row + r, column + c) = m.m[3 * r + c];
}

Vec3 three(const double* x) { return {x[0], x[1], x[2]}; }

}  // namespace

GeneralizedMass::GeneralizedMass(const SystemView& view, const H2& h2, const ClosingConstraints& closing)
    : view_(view), h2_(h2), flexible_(view) {
  for (const BodyData& body : view.bodies) masses_.push_back(mass_matrix(body));
  for (const FlexibleData& data : view.flexible)
    blocks_.push_back({std::vector<Vector6>(data.modes), std::vector<double>(data.modes * data.modes)});
  std::size_t first = h2.first_variable();
  for (const ModuleSet::Module& module : closing.modules().modules()) {
    modules_.push_back({first, module.variables, module.M});
    first += module.variables;
  }
}

/// The contract's order [α; a; η̈] in body axes becomes [a; α; η̈] with a in ground axes.
void GeneralizedMass::evaluate(const PlacedTree& tree) noexcept {
  if (flexible_.empty()) return;
  flexible_.evaluate(tree.bodies(), tree.eta().data(), tree.etadot().data());
  for (std::size_t f = 0; f < view_.flexible.size(); ++f) {
    const FlexibleData& data = view_.flexible[f];
    const std::size_t n = flexible_.size(f);
    const std::span<const double> m = flexible_.mass(f);
    const Mat3& R = tree.bodies()[at(data.body)].R;
    Matrix6& M = masses_[at(data.body)];
    const Mat3 mixed = R * block_at(m, n, 3, 0);
    put_block(M, 0, 0, R * times_transpose(block_at(m, n, 3, 3), R));
    put_block(M, 0, 3, mixed);
    put_block(M, 3, 0, transpose(mixed));
    put_block(M, 3, 3, block_at(m, n, 0, 0));
    for (std::size_t k = 0; k < data.modes; ++k) {
      const double* row = m.data() + (6 + k) * n;
      blocks_[f].coupling[k] = stacked(R * three(row + 3), three(row));
      std::copy_n(row + 6, data.modes, blocks_[f].modes.data() + k * data.modes);
    }
  }
}

void GeneralizedMass::add_flexible_forces(const PlacedTree& tree, Forces& Q) const noexcept {
  for (std::size_t f = 0; f < view_.flexible.size(); ++f) {
    const FlexibleData& data = view_.flexible[f];
    const std::size_t body = at(data.body);
    const double* own = flexible_.force(f).data();
    const Vector6 weight = stacked(view_.gravity, {});
    Q.bodies[body] += stacked(tree.bodies()[body].R * three(own + 3), three(own)) + masses_[body] * weight;
    for (std::size_t k = 0; k < data.modes; ++k)
      Q.further[h2_.modes(body).first + k] += own[6 + k] + blocks_[f].coupling[k].dot(weight);
  }
}

void GeneralizedMass::multiply(const BodyVectors& rates, const double* u, Forces& out) const noexcept {
  for (std::size_t i = 0; i < masses_.size(); ++i) out.bodies[i].noalias() = masses_[i] * rates[i];
  for (std::size_t f = 0; f < blocks_.size(); ++f) {
    const std::size_t body = at(view_.flexible[f].body), m = view_.flexible[f].modes, first = h2_.modes(body).first;
    for (std::size_t k = 0; k < m; ++k) {
      out.bodies[body] += u[first + k] * blocks_[f].coupling[k];
      double force = blocks_[f].coupling[k].dot(rates[body]);
      for (std::size_t l = 0; l < m; ++l) force += blocks_[f].modes[k * m + l] * u[first + l];
      out.further[first + k] = force;
    }
  }
  for (const OfModule& module : modules_)
    for (std::size_t k = 0; k < module.count; ++k) {
      double force = 0;
      for (std::size_t l = 0; l < module.count; ++l) force += module.M[k * module.count + l] * u[module.first + l];
      out.further[module.first + k] = force;
    }
}

}  // namespace polyform::thompson
