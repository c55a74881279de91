#include "residuals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "polyform/mechanics/scale.hpp"

namespace polyform::hierarchy {
namespace {

/// The least size of a force relative to the largest, where inertia does not count and what is left must be told from
/// rounding.
constexpr double singular_floor = 1e-5;
/// Rounding of forces, as a part of what is no result.
constexpr double force_rounding = 2e-15 / Residuals::largest;

}  // namespace

Residuals::Residuals(const SubsystemModels& models) : models_(models) {
  const AbsoluteEquations& system = models.system();
  const std::size_t unknowns = system.offset(system.blocks());
  load_residual_.resize(unknowns);
  load_size_.resize(unknowns);
  right_.resize(system.rows());
  row_size_.resize(system.rows());
  for (std::size_t i = 0; i < system.blocks(); ++i)
    if (models.inertia(i).singular) fine_left_.resize(unknowns);
}

void Residuals::begin(std::span<const double> loads) noexcept {
  std::ranges::copy(models_.system().right(), right_.begin());
  std::ranges::copy(loads, load_residual_.begin());
}

double Residuals::find(std::span<const double> loads, std::span<const double> accelerations,
                       std::span<const double> multipliers) noexcept {
  const AbsoluteEquations& system = models_.system();
  double worst = 0;
  double &most = largest_force_ = 0, &largest_share = largest_term_ = 0;
  for (std::size_t i = 0; i < system.blocks(); ++i) {
    const std::size_t first = system.offset(i);
    double* left = load_residual_.data() + first;
    system.multiply_inertia(i, accelerations.data() + first, left);
    for (std::size_t k = 0; k < system.size(i); ++k) {
      load_size_[first + k] = std::max(std::abs(left[k]), std::abs(loads[first + k]));
      most = std::max(most, load_size_[first + k]);
      left[k] = loads[first + k] - left[k];
    }
  }
  std::copy(system.right().begin(), system.right().end(), right_.begin());
  for (const Node& node : models_.nodes())
    for (const NodeRows& rows : node.rows) {
      double* right = right_.data() + system.first_row(rows.constraint);
      const double* lambda = multipliers.data() + system.first_row(rows.constraint);
      const auto count = static_cast<std::size_t>(rows.count);
      double* terms = row_size_.data() + system.first_row(rows.constraint);
      std::fill_n(terms, count, 0.0);
      bool own_terms = false;
      for (std::size_t i = 0; i < system.constrained_blocks(rows.constraint); ++i) {
        const AbsoluteEquations::Coefficients c = system.coefficients(rows.constraint, i);
        const double* x = accelerations.data() + system.offset(c.block);
        double* left = load_residual_.data() + system.offset(c.block);
        double* size = load_size_.data() + system.offset(c.block);
        const std::size_t own = c.own.size() / count, frame = c.frame.empty() ? 0 : 6;
        const bool own_size = models_.inertia(c.block).singular || system.is_module(c.block);
        own_terms |= own_size;
        for (std::size_t r = 0; r < count; ++r) {
          double share = 0;
          const auto add = [&](std::size_t k, double a) {
            share += a * x[k];
            left[k] += lambda[r] * a;
            if (own_size) size[k] = std::max(size[k], std::abs(lambda[r] * a));
          };
          for (std::size_t k = 0; k < frame; ++k) add(k, c.frame[r][k]);
          for (std::size_t k = 0; k < own; ++k) add(frame + k, c.own[r * own + k]);
          right[r] -= share;
          terms[r] = std::max(terms[r], std::abs(share));
        }
      }
      for (std::size_t r = 0; r < count; ++r) {
        right[r] -= node.noise[static_cast<std::size_t>(rows.first) + r] * lambda[r];
        largest_share = std::max(largest_share, terms[r]);
        if (!own_terms) terms[r] = std::numeric_limits<double>::infinity();
      }
    }
  const auto compare = [&](double left, double size) {
    if (left > worst * size) worst = left / size;
  };
  for (std::size_t i = 0; i < system.blocks(); ++i) {
    double left = 0, size = models_.inertia(i).singular ? 0 : least_share * most;
    for (std::size_t k = system.offset(i); k < system.offset(i + 1); ++k) {
      if (system.is_module(i)) compare(std::abs(load_residual_[k]), load_size_[k]);  // each of a nature of its own
      left = std::max(left, std::abs(load_residual_[k]));
      size = std::max(size, load_size_[k]);
    }
    compare(left, size);
  }
  for (const Node& node : models_.nodes())
    for (const NodeRows& rows : node.rows)
      for (std::size_t r = system.first_row(rows.constraint), end = r + system.rows(rows.constraint); r < end; ++r)
        compare(std::abs(right_[r]), std::max(std::min(row_size_[r], largest_share), least_share * largest_share));
  return worst;
}

bool Residuals::check(std::span<const double> loads, std::span<const double> multipliers,
                      RecursionFailure& failure) noexcept {
  const AbsoluteEquations& system = models_.system();
  double worst = largest;
  std::string_view kind, name;
  const auto compare = [&](double left, double size, std::string_view its_kind, std::string_view its_name) {
    if (!(left > worst * size) || !(left > 1e-20)) return;  // nearly nothing moves
    worst = left / size;
    kind = its_kind;
    name = its_name;
  };
  for (std::size_t i = 0; i < system.blocks(); ++i) {
    const bool module = system.is_module(i);
    const double floor = (module || models_.inertia(i).singular ? singular_floor : least_share) * largest_force_;
    double left = 0, size = floor;
    for (std::size_t k = system.offset(i); k < system.offset(i + 1); ++k) {
      if (module) left = size = 0;  // each of a nature of its own
      left = std::max(left, std::abs(load_residual_[k]));
      size = std::max({floor, size, load_size_[k]});
      if (module) compare(left, size, "module", system.name_of_block(i));
    }
    if (!module) compare(left, size, "body", system.name_of_block(i));
  }
  find_free_sizes(loads, multipliers);
  for (const Node& node : models_.nodes())
    for (const NodeRows& rows : node.rows)
      for (Index r = 0; r < rows.count; ++r) {
        if (node.is_left_out(rows.first + r, models_.is_by_basis(node))) continue;
        const std::size_t row = system.first_row(rows.constraint) + static_cast<std::size_t>(r);
        double alone = 0;
        for (std::size_t i = 0; i < system.constrained_blocks(rows.constraint); ++i)
          models_.for_coefficients(rows, r, i, [&](std::size_t k, double a) { alone += std::abs(a) * load_size_[k]; });
        const double size = std::max({std::min(row_size_[row], largest_term_), least_share * largest_term_, alone,
                                      std::abs(system.right()[row])});
        compare(std::abs(right_[row]), size, system.kind_of_constraint(rows.constraint),
                system.name_of_constraint(rows.constraint));
      }
  if (name.empty()) return true;
  return failure.say(
      "The equations of {} `{}` are not met (relative error {:.1e}): rounding has taken the digits of this method. "
      "Likely causes: very heavy bodies beside very light ones, or a long chain that is stiff against most motions. "
      "Choose "
      "another method ({}), or the solver cartesian",
      kind, name, worst, is_filter(models_.method()) ? "orthogonal-complement" : "udwadia-kalaba");
}

/// Writes the accelerations that rounding of loads and multipliers would give each block alone into load_size_.
void Residuals::find_free_sizes(std::span<const double> loads, std::span<const double> multipliers) noexcept {
  const AbsoluteEquations& system = models_.system();
  std::transform(loads.begin(), loads.end(), load_size_.begin(), [](double f) { return force_rounding * std::abs(f); });
  for (const Node& node : models_.nodes())
    for (const NodeRows& rows : node.rows)
      for (Index r = 0; r < rows.count; ++r) {
        const double lambda =
            force_rounding * std::abs(multipliers[system.first_row(rows.constraint) + static_cast<std::size_t>(r)]);
        for (std::size_t i = 0; i < system.constrained_blocks(rows.constraint); ++i)
          models_.for_coefficients(rows, r, i, [&](std::size_t k, double a) { load_size_[k] += lambda * std::abs(a); });
      }
  for (std::size_t i = 0; i < system.blocks(); ++i) {
    const BlockInertia& inertia = models_.inertia(i);
    double* size = load_size_.data() + system.offset(i);
    const auto unit = [&](std::size_t k) {
      return !inertia.rigid ? inertia.units[k] : k < 3 ? inertia.turn : inertia.move;
    };
    double most = 0;  // of a body in any direction: its joints make turning of pulling
    for (std::size_t k = 0; k < system.size(i); ++k) most = std::max(most, size[k] *= unit(k));
    for (std::size_t k = 0; k < system.size(i); ++k) size[k] = unit(k) * (system.is_module(i) ? size[k] : most);
  }
}

}  // namespace polyform::hierarchy
