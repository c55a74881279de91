#include "least_correction.hpp"

#include <algorithm>
#include <utility>

namespace polyform::reduced {

LeastCorrection::LeastCorrection(const SystemView& view, const ConstraintJacobian& jacobian)
    : jacobian_(jacobian), left_out_(jacobian.loops()) {
  struct Use {
    std::size_t loop, block;
  };
  // For every body the directions of its joint, then those of its modes.
  std::vector<std::vector<Use>> uses(2 * view.bodies.size());
  std::vector<std::size_t> sizes;
  std::size_t rows = 0;
  for (std::size_t loop = 0; loop < jacobian.loops(); ++loop) {
    sizes.push_back(jacobian.rows(loop));
    first_row_.push_back(rows);
    rows += sizes.back();
    const auto blocks = jacobian.blocks(loop);
    for (std::size_t b = 0; b < blocks.size(); ++b)
      uses[2 * blocks[b].body + (blocks[b].modal ? 1 : 0)].push_back({loop, b});
  }
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const std::vector<Use>& of_element : uses)
    for (std::size_t a = 0; a < of_element.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) pairs.emplace_back(of_element[a].loop, of_element[b].loop);
  const ElementRows& elements = jacobian.elements();
  const std::size_t cuts = jacobian.loops() - elements.groups();
  for (std::size_t i = 0; i < elements.groups(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (elements.group(i).module != ElementRows::none && elements.group(i).module == elements.group(j).module)
        pairs.emplace_back(cuts + i, cuts + j);
  const std::vector<std::size_t> stages(sizes.size());
  matrix_.analyze(sizes, stages, pairs);
  for (const std::vector<Use>& of_element : uses)
    for (const Use& a : of_element)
      for (const Use& b : of_element)
        if (matrix_.position(a.loop) < matrix_.position(b.loop))
          products_.push_back({a.loop, b.loop, a.block, b.block, matrix_.place(a.loop, b.loop)});
  lambda_.resize(rows);
}

/// The diagonal block of a loop, and the sizes against which its pivots are judged.
void LeastCorrection::form_diagonal(std::size_t loop) noexcept {
  constexpr std::size_t most = MultiplierMatrix::most_rows;
  const std::size_t rows = jacobian_.rows(loop);
  double sum[most][most] = {};
  double columns = 0;
  for (const ConstraintJacobian::Block& block : jacobian_.blocks(loop)) {
    const double* value = jacobian_.values(block);
    columns += static_cast<double>(block.nv);
    for (std::size_t k = 0; k < block.nv; ++k, value += rows)
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t m = 0; m <= r; ++m) sum[r][m] += value[r] * value[m];
  }
  const double terms = columns * jacobian_.term(loop) * jacobian_.term(loop);
  double* out = matrix_.values() + matrix_.place(loop, loop);
  for (std::size_t r = 0; r < rows; ++r) {
    matrix_.weigh(loop, r, sum[r][r], terms, 0);
    for (std::size_t m = 0; m <= r; ++m) out[r * rows + m] = sum[r][m];
  }
}

void LeastCorrection::factorize(bool positions) noexcept {
  matrix_.clear();
  for (std::size_t loop = 0; loop < jacobian_.loops(); ++loop) form_diagonal(loop);
  for (const Product& p : products_) {
    const ConstraintJacobian::Block &a = jacobian_.blocks(p.loop_a)[p.block_a],
                                    &b = jacobian_.blocks(p.loop_b)[p.block_b];
    const std::size_t rows = jacobian_.rows(p.loop_a), columns = jacobian_.rows(p.loop_b);
    const double *of_a = jacobian_.values(a), *of_b = jacobian_.values(b);
    double* out = matrix_.values() + p.place;
    for (std::size_t k = 0; k < a.nv; ++k, of_a += rows, of_b += columns)
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t m = 0; m < columns; ++m) out[r * columns + m] += of_a[r] * of_b[m];
  }
  add_modules(positions);
  for (const std::size_t loop : matrix_.order()) matrix_.eliminate(loop, left_out_[loop]);
}

void LeastCorrection::add_modules(bool positions) noexcept {
  const ElementRows& elements = jacobian_.elements();
  const std::size_t cuts = jacobian_.loops() - elements.groups();
  for (std::size_t i = 0; i < elements.groups() && elements.has_modules(); ++i) {
    const ElementRows::Group& a = elements.group(i);
    if (a.module == ElementRows::none) continue;
    const ModuleSet::Module& module = elements.modules().modules()[a.module];
    const auto product = [&](std::size_t r, std::size_t s) {
      double sum = 0;
      for (std::size_t v = 0; v < module.variables; ++v)
        if (!positions || module.is_integrated(v))
          sum += module.A[r * module.variables + v] * module.A[s * module.variables + v];
      return sum;
    };
    for (std::size_t j = 0; j < elements.groups(); ++j) {
      const ElementRows::Group& b = elements.group(j);
      if (b.module != a.module || matrix_.position(cuts + j) < matrix_.position(cuts + i)) continue;
      double* out = matrix_.values() + matrix_.place(cuts + i, cuts + j);
      for (std::size_t r = 0; r < a.rows; ++r)
        for (std::size_t s = 0; s < (i == j ? r + 1 : b.rows); ++s) {
          const double added = product(a.first + r, b.first + s);
          out[r * b.rows + s] += added;
          if (i == j && r == s) matrix_.weigh(cuts + i, r, added, added, 0);
        }
    }
  }
}

void LeastCorrection::move_modules(std::span<double> x, bool positions) const noexcept {
  const ElementRows& elements = jacobian_.elements();
  const std::size_t cuts = jacobian_.loops() - elements.groups();
  for (std::size_t g = 0; g < elements.groups() && elements.has_modules(); ++g) {
    const ElementRows::Group& group = elements.group(g);
    if (group.module == ElementRows::none) continue;
    const ModuleSet::Module& module = elements.modules().modules()[group.module];
    for (std::size_t r = 0; r < group.rows; ++r) {
      const double* A = module.A.data() + (group.first + r) * module.variables;
      const double lambda = lambda_[first_row_[cuts + g] + r];
      if (positions)
        for (const ModuleSet::Module::Integral& i : module.integrals) x[i.state] += A[i.variable] * lambda;
      else
        for (std::size_t v = 0; v < module.variables; ++v) x[module.u + v] += A[v] * lambda;
    }
  }
}

void LeastCorrection::solve(std::span<double> delta) noexcept {
  const auto order = matrix_.order();
  for (const std::size_t loop : order) matrix_.eliminate_right(loop);
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
