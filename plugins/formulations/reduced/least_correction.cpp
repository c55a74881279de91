#include "least_correction.hpp"

#include <algorithm>
#include <utility>

namespace polyform::reduced {

LeastCorrection::LeastCorrection(const SystemView& view, const ConstraintJacobian& jacobian)
    : jacobian_(jacobian), left_out_(jacobian.loops()) {
  struct Use {
    std::size_t loop, block;
  };
  std::vector<std::vector<Use>> uses(view.bodies.size());
  std::vector<std::size_t> sizes;
  std::size_t rows = 0;
  for (std::size_t loop = 0; loop < jacobian.loops(); ++loop) {
    sizes.push_back(6 - view.cut_joints()[loop].nv);
    first_row_.push_back(rows);
    rows += sizes.back();
    const auto blocks = jacobian.blocks(loop);
    for (std::size_t b = 0; b < blocks.size(); ++b) uses[blocks[b].body].push_back({loop, b});
  }
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const std::vector<Use>& of_body : uses)
    for (std::size_t a = 0; a < of_body.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) pairs.emplace_back(of_body[a].loop, of_body[b].loop);
  const std::vector<std::size_t> stages(sizes.size());
  matrix_.analyze(sizes, stages, pairs);
  for (const std::vector<Use>& of_body : uses)
    for (const Use& a : of_body)
      for (const Use& b : of_body)
        if (matrix_.position(a.loop) <= matrix_.position(b.loop))
          products_.push_back({a.loop, b.loop, a.block, b.block, matrix_.place(a.loop, b.loop)});
  c_.resize(rows);
  lambda_.resize(rows);
}

/// c_q c_qᵀ, and what its pivots are held against.
void LeastCorrection::form() noexcept {
  matrix_.clear();
  for (const Product& p : products_) {
    const ConstraintJacobian::Block &a = jacobian_.blocks(p.loop_a)[p.block_a], &b = jacobian_.blocks(p.loop_b)[p.block_b];
    const std::size_t rows = jacobian_.rows(p.loop_a), columns = jacobian_.rows(p.loop_b);
    const double *of_a = jacobian_.values(a), *of_b = jacobian_.values(b);
    const double term = jacobian_.term(p.loop_a);
    double* out = matrix_.values() + p.place;
    for (std::size_t k = 0; k < a.nv; ++k, of_a += rows, of_b += columns)
      for (std::size_t r = 0; r < rows; ++r) {
        if (p.loop_a == p.loop_b) matrix_.weigh(p.loop_a, r, of_a[r] * of_a[r], term * term, 0);
        const std::size_t most = p.loop_a == p.loop_b ? r + 1 : columns;  // of a diagonal block the lower triangle
        for (std::size_t m = 0; m < most; ++m) out[r * columns + m] += of_a[r] * of_b[m];
      }
  }
}

void LeastCorrection::solve(std::span<double> delta) noexcept {
  form();
  for (const std::size_t loop : matrix_.order()) {
    double* right = matrix_.right(loop);
    for (std::size_t r = 0; r < jacobian_.rows(loop); ++r) right[r] = -c_[first_row_[loop] + r];
  }
  for (const std::size_t loop : matrix_.order()) matrix_.eliminate(loop, left_out_[loop]);
  const auto order = matrix_.order();
  for (std::size_t k = order.size(); k-- > 0;) matrix_.solve(order[k], nullptr, lambda_.data());
  std::fill(delta.begin(), delta.end(), 0.0);
  for (std::size_t loop = 0; loop < jacobian_.loops(); ++loop) {
    const double* lambda = lambda_.data() + first_row_[loop];
    const std::size_t rows = jacobian_.rows(loop);
    for (const ConstraintJacobian::Block& block : jacobian_.blocks(loop)) {
      const double* value = jacobian_.values(block);
      for (std::size_t k = 0; k < block.nv; ++k, value += rows)
        for (std::size_t r = 0; r < rows; ++r) delta[block.v + k] += value[r] * lambda[r];
    }
  }
}

}  // namespace polyform::reduced
