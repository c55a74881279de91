#include "polyform/solvers/module_variables.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "polyform/mechanics/constraint.hpp"

namespace polyform {
namespace {

/// The accelerations of a row have at least this rounding, relative to the terms of the row.
constexpr double row_rounding = 1e-14;

/// The coefficients A of a row.
const double* coefficients(const ModuleSet::Module& module, const ElementGroups::Group& g, std::size_t row) {
  return module.A.data() + (g.first + row) * module.variables;
}

}  // namespace

ModuleVariables::ModuleVariables(const ModuleSet& set, const ElementGroups& groups) : set_(set), groups_(groups) {
  std::size_t most = 0;
  for (const ModuleSet::Module& module : set.modules()) {
    modules_.emplace_back(module);
    most = std::max(most, module.rows.rows);
  }
  missing_.resize(most);
  rounding_.resize(most);
}

double ModuleVariables::rate(const Group& g, std::size_t row, std::span<const double> x) const noexcept {
  const ModuleSet::Module& module = set_.modules()[g.module];
  const double* A = coefficients(module, g, row);
  return std::inner_product(A, A + module.variables, x.data() + module.u, 0.0);
}

unsigned ModuleVariables::given_up(const Group& g) const {
  if (g.module == ElementGroups::none) return 0;
  unsigned rows = 0;
  for (std::size_t r = 0; r < g.rows; ++r)
    if (modules_[g.module].pairs().has(g.first + r)) rows |= 1u << r;
  return rows;
}

void ModuleVariables::prepare(Level level, const FrameRows& asked, FrameRows& solved) noexcept {
  level_ = level;
  unheld_ = {};
  for (std::size_t m = 0; m < modules_.size(); ++m) {
    if (!modules_[m].prepare(level == Level::position, level == Level::acceleration))
      unheld_ = set_.modules()[m].rows.name;
    if (modules_[m].rows() > 0) take_from_rows(m, asked, solved);
  }
}

/// Subtracts the rows that give variables from the other rows of a module. Its groups tie the same frames, one after
/// the other.
void ModuleVariables::take_from_rows(std::size_t m, const FrameRows& asked, FrameRows& solved) const noexcept {
  const ModuleRows& rows = modules_[m];
  const Group& first = groups_.first_of(m);
  const std::size_t n = first.frame_count;
  std::copy_n(&asked.row(first, 0), rows.rows(), &solved.row(first, 0));
  std::copy_n(asked.shares(first, 0), rows.rows() * n, solved.shares(first, 0));
  for (std::size_t s = 0; s < rows.rows(); ++s) {
    FrameRows::Share* const shares = solved.shares(first, s);
    if (rows.pairs().has(s)) {
      std::fill_n(shares, n, FrameRows::Share{});
      continue;
    }
    FrameRows::Row& row = solved.row(first, s);
    for (std::size_t k = 0; k < rows.pairs().count(); ++k) {
      const double c = rows.pairs().C(s, k);
      const FrameRows::Row& taken = asked.row(first, rows.pairs().row(k));
      row.residual -= c * taken.residual;
      row.rate -= c * taken.rate;
      row.acceleration -= c * taken.acceleration;
      for (std::size_t f = 0; f < n; ++f) {
        const FrameRows::Share& share = asked.share(first, rows.pairs().row(k), f);
        shares[f].add(-c * share.row, std::abs(c) * share.angular, std::abs(c) * share.linear);
      }
    }
  }
}

void ModuleVariables::complete(const FrameRows& asked, std::span<double> multipliers,
                               std::span<const Spatial> accelerations) noexcept {
  for (std::size_t m = 0; m < modules_.size(); ++m) {
    ModuleRows& rows = modules_[m];
    double* of_module = nullptr;
    if (rows.rows() > 0) {
      const Group& first = groups_.first_of(m);
      const std::span<const FrameIndex> tied = groups_.frames(first);
      of_module = multipliers.data() + first.row;
      rows.complete(of_module);
      for (std::size_t r = 0; r < rows.rows(); ++r) {
        const FrameRows::Row& row = asked.row(first, r);
        double missing = level_ == Level::position   ? -row.residual
                         : level_ == Level::velocity ? -row.rate
                                                     : row.acceleration;
        double terms = std::abs(missing);
        for (std::size_t f = 0; f < tied.size(); ++f) {
          const FrameRows::Share& share = asked.share(first, r, f);
          const Spatial& a = accelerations[at(tied[f])];
          missing -= dot(share.row, a);
          terms += share.angular * size(a.angular) + share.linear * size(a.linear);
        }
        missing_[r] = missing;
        rounding_[r] = row_rounding * terms;
      }
    }
    rows.find_rates(of_module, missing_.data(), rounding_.data());
  }
}

double ModuleVariables::share(const Group& g, std::size_t row, std::span<const double> multipliers) const noexcept {
  if (g.module == ElementGroups::none) return 0;
  const ModuleRows& rows = modules_[g.module];
  const double* of_module = multipliers.data() + groups_.first_of(g.module).row;
  double sum = 0;
  for (std::size_t s = 0; s < rows.rows(); ++s)
    if (!rows.pairs().has(s)) sum += rows.compliance(g.first + row, s) * of_module[s];
  return sum;
}

double ModuleVariables::acceleration(const Group& g, std::size_t row) const noexcept {
  const ModuleRows& rows = modules_[g.module];
  const double* A = coefficients(rows.module(), g, row);
  return std::inner_product(A, A + rows.variables(), rows.rates().data(), 0.0);
}

double ModuleVariables::largest_term(const Group& g) const noexcept {
  if (g.module == ElementGroups::none || g.frame_count > 0) return 0;
  const ModuleRows& rows = modules_[g.module];
  const double* A = coefficients(rows.module(), g, 0);
  double largest = 0;
  for (std::size_t r = 0; r < g.rows; ++r)
    for (const double rate : rows.rates()) largest = std::max(largest, std::abs(*A++ * rate));
  return largest;
}

void ModuleVariables::put_rates(std::span<double> xdot) const noexcept {
  for (const ModuleRows& rows : modules_) std::ranges::copy(rows.rates(), xdot.data() + rows.module().u);
  set_.put_rates(xdot);
}

void ModuleVariables::move(std::span<double> x, bool positions) const noexcept {
  for (const ModuleRows& rows : modules_) {
    const ModuleSet::Module& module = rows.module();
    if (positions)
      for (const ModuleSet::Module::Integral& i : module.integrals) x[i.state] += rows.rates()[i.variable];
    else
      for (std::size_t k = 0; k < module.variables; ++k) x[module.u + k] += rows.rates()[k];
  }
}

}  // namespace polyform
