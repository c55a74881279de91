// Passes until the equations of motion and the constraints hold to rounding.
#include <cmath>
#include <limits>
#include <numeric>

#include "polyform/mechanics/scale.hpp"
#include "recursion_detail.hpp"

namespace polyform::hierarchy {
namespace {

/// A residual relative to its terms, divided by the smallest pivot, is about the error of the multipliers. The first is
/// the wanted error, within the limits of rounding and of the usual residual.
constexpr double wanted_accuracy = 1e-9, least_residual = 1e-15, usual_residual = 1e-12;
/// Passes that may be made to get there.
constexpr std::size_t most_rounds = 3;
/// A motion with less inertia than this, relative to the largest: rounding of forces moves it by more than 1e-12.
constexpr double light_motion = 1e-3;
/// The same if inertia does not count and the rest must be distinguished from rounding.
constexpr double singular_floor = 1e-5;
/// A residual above this is no result.
constexpr double largest_residual = 1e-8;
/// Rounding of forces, as a part of what is no result.
constexpr double force_rounding = 2e-15 / largest_residual;
/// A covariance below this part of its value without constraints has lost too many digits. For parallel hinges, where
/// it falls as n⁻³, accelerations are wrong by 1e-8 soon after (3000 bodies), and without square roots by a fifth at
/// 8000.
constexpr double least_covariance = 2e-10;

}  // namespace

/// What rounding leaves of M α − f − Aᵀλ and A α − b is solved for once more where joints are nearly dependent.
bool Recursion::solve(std::span<const double> loads, Accelerations wanted) noexcept {
  failure_size_ = 0;
  smallest_pivot_ = stiffest_pivot_ = lightest_ = 1;
  std::copy(system_.right().begin(), system_.right().end(), right_.begin());
  std::fill(total_accelerations_.begin(), total_accelerations_.end(), 0.0);
  std::fill(total_multipliers_.begin(), total_multipliers_.end(), 0.0);
  std::copy(loads.begin(), loads.end(), load_residual_.begin());
  double error = 0, before = std::numeric_limits<double>::infinity();
  for (std::size_t round = 0; round < most_rounds; ++round) {
    if (!pass(load_residual_)) return false;
    for (std::size_t i = 0; i < accelerations_.size(); ++i) total_accelerations_[i] += accelerations_[i];
    for (std::size_t r = 0; r < multipliers_.size(); ++r) total_multipliers_[r] += multipliers_[r];
    error = find_residual(loads);
    // Solves once more for what rounding hides in the residual. Heavy bodies may push a light motion by levers that no
    // pivot shows: residuals are then rounding relative to the forces, but not relative to the force that is left for
    // that motion.
    const bool light = wanted == Accelerations::shown || lightest_ < light_motion;
    const bool again = round == 0 && !fine_left_.empty() && light;
    if (again) refine_residual(loads);
    const double enough = std::clamp(wanted_accuracy * smallest_pivot_, least_residual, usual_residual);
    if (!again && (error < enough || !(error < 0.1 * before))) break;
    before = error;
  }
  if (!check_finite() || (error > usual_residual && !check_covariances())) return false;
  return error <= largest_residual || check_residual(loads);
}

/// Finds the residuals of the equations of motion and of the rows (load_residual_ and right_), and returns the largest,
/// each relative to its terms. If inertia counts, terms are at least a small part of the largest: terms that are nearly
/// zero then move nothing. If it does not count, a small force may move much. Rows between bodies that have inertia are
/// compared with the largest term of all rows: compared with their own, chains of revolute joints would take a second
/// pass for digits that no acceleration shows.
double Recursion::find_residual(std::span<const double> loads) noexcept {
  double worst = 0;
  double &largest = largest_force_ = 0, &largest_share = largest_term_ = 0;
  for (std::size_t i = 0; i < system_.blocks(); ++i) {
    const std::size_t first = system_.offset(i);
    double* left = load_residual_.data() + first;
    system_.multiply_inertia(i, total_accelerations_.data() + first, left);
    for (std::size_t k = 0; k < system_.size(i); ++k) {
      load_size_[first + k] = std::max(std::abs(left[k]), std::abs(loads[first + k]));
      largest = std::max(largest, load_size_[first + k]);
      left[k] = loads[first + k] - left[k];
    }
  }
  std::copy(system_.right().begin(), system_.right().end(), right_.begin());
  for (const Node& node : nodes_)
    for (const Rows& rows : node.rows) {
      double* right = right_.data() + system_.first_row(rows.constraint);
      const double* lambda = total_multipliers_.data() + system_.first_row(rows.constraint);
      const auto count = static_cast<std::size_t>(rows.count);
      double* terms = row_size_.data() + system_.first_row(rows.constraint);
      std::fill_n(terms, count, 0.0);
      bool own_terms = false;
      for (std::size_t i = 0; i < system_.constrained_blocks(rows.constraint); ++i) {
        const AbsoluteEquations::Coefficients c = system_.coefficients(rows.constraint, i);
        const double* x = total_accelerations_.data() + system_.offset(c.block);
        double* left = load_residual_.data() + system_.offset(c.block);
        double* size = load_size_.data() + system_.offset(c.block);
        const std::size_t own = c.own.size() / count, frame = c.frame.empty() ? 0 : 6;
        const bool own_size = inertia_[c.block].singular || system_.is_module(c.block);
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
  for (std::size_t i = 0; i < system_.blocks(); ++i) {
    double left = 0, size = inertia_[i].singular ? 0 : least_share * largest;
    for (std::size_t k = system_.offset(i); k < system_.offset(i + 1); ++k) {
      if (system_.is_module(i)) compare(std::abs(load_residual_[k]), load_size_[k]);  // each of a nature of its own
      left = std::max(left, std::abs(load_residual_[k]));
      size = std::max(size, load_size_[k]);
    }
    compare(left, size);
  }
  for (const Node& node : nodes_)
    for (const Rows& rows : node.rows)
      for (std::size_t r = system_.first_row(rows.constraint), end = r + system_.rows(rows.constraint); r < end; ++r)
        compare(std::abs(right_[r]), std::max(std::min(row_size_[r], largest_share), least_share * largest_share));
  return worst;
}

bool Recursion::check_finite() noexcept {
  const double sum = std::accumulate(total_accelerations_.begin(), total_accelerations_.end(), 0.0);
  if (std::isfinite(sum)) return true;
  std::size_t k = 0, i = 0;
  while (k + 1 < total_accelerations_.size() && std::isfinite(total_accelerations_[k])) ++k;
  while (system_.offset(i + 1) <= k) ++i;
  return fail("The accelerations of `{}` are not finite: a force, the state or the time step has gone astray",
              system_.name_of_block(i));
}

/// Refuses accelerations by the filter where its covariances are differences of much larger numbers and more passes do
/// not help: how much they lose no residual shows.
bool Recursion::check_covariances() noexcept {
  if (!(stiffest_pivot_ < least_covariance)) return true;
  const std::size_t constraint = stiffest_->rows.front().constraint;
  return fail(
      "What {} `{}` connects is too stiff against its motions for this method, whose covariances have lost their "
      "digits "
      "(relative pivot {:.1e}). Likely cause: a long chain whose joints all turn about one direction. Choose the "
      "method orthogonal-complement, or another solver",
      system_.kind_of_constraint(constraint), system_.name_of_constraint(constraint), stiffest_pivot_);
}

/// Refuses accelerations that leave more than rounding of the equations of motion, or of the rows that are enforced;
/// names the block or constraint with the largest residual. Reads what find_residual has left. The terms of a row are
/// at least the accelerations by rounding of forces: at rest there are no others.
bool Recursion::check_residual(std::span<const double> loads) noexcept {
  double worst = largest_residual;
  std::string_view kind, name;
  const auto compare = [&](double left, double size, std::string_view its_kind, std::string_view its_name) {
    if (!(left > worst * size) || !(left > 1e-20)) return;  // nearly nothing moves
    worst = left / size;
    kind = its_kind;
    name = its_name;
  };
  for (std::size_t i = 0; i < system_.blocks(); ++i) {
    const bool module = system_.is_module(i);
    const double floor = (module || inertia_[i].singular ? singular_floor : least_share) * largest_force_;
    double left = 0, size = floor;
    for (std::size_t k = system_.offset(i); k < system_.offset(i + 1); ++k) {
      if (module) left = size = 0;  // each of a nature of its own
      left = std::max(left, std::abs(load_residual_[k]));
      size = std::max({floor, size, load_size_[k]});
      if (module) compare(left, size, "module", system_.name_of_block(i));
    }
    if (!module) compare(left, size, "body", system_.name_of_block(i));
  }
  find_free_sizes(loads);
  for (const Node& node : nodes_)
    for (const Rows& rows : node.rows)
      for (Index r = 0; r < rows.count; ++r) {
        if (is_left_out(node, rows.first + r)) continue;
        const std::size_t row = system_.first_row(rows.constraint) + static_cast<std::size_t>(r);
        double alone = 0;
        for (std::size_t i = 0; i < system_.constrained_blocks(rows.constraint); ++i)
          for_coefficients(rows, r, i, [&](std::size_t k, double a) { alone += std::abs(a) * load_size_[k]; });
        const double size = std::max({std::min(row_size_[row], largest_term_), least_share * largest_term_, alone,
                                      std::abs(system_.right()[row])});
        compare(std::abs(right_[row]), size, system_.kind_of_constraint(rows.constraint),
                system_.name_of_constraint(rows.constraint));
      }
  if (name.empty()) return true;
  return fail(
      "The equations of {} `{}` are not met (relative error {:.1e}): rounding has taken the digits of this method. "
      "Likely causes: very heavy bodies beside very light ones, or a long chain that is stiff against most motions. "
      "Choose "
      "another method ({}), or the solver cartesian",
      kind, name, worst, is_filter(method_) ? "orthogonal-complement" : "udwadia-kalaba");
}

/// Writes the accelerations that rounding of loads and multipliers would give each block alone into load_size_.
void Recursion::find_free_sizes(std::span<const double> loads) noexcept {
  std::transform(loads.begin(), loads.end(), load_size_.begin(), [](double f) { return force_rounding * std::abs(f); });
  for (const Node& node : nodes_)
    for (const Rows& rows : node.rows)
      for (Index r = 0; r < rows.count; ++r) {
        const double lambda =
            force_rounding *
            std::abs(total_multipliers_[system_.first_row(rows.constraint) + static_cast<std::size_t>(r)]);
        for (std::size_t i = 0; i < system_.constrained_blocks(rows.constraint); ++i)
          for_coefficients(rows, r, i, [&](std::size_t k, double a) { load_size_[k] += lambda * std::abs(a); });
      }
  for (std::size_t i = 0; i < system_.blocks(); ++i) {
    const BlockInertia& inertia = inertia_[i];
    double* size = load_size_.data() + system_.offset(i);
    const auto unit = [&](std::size_t k) {
      return !inertia.rigid ? inertia.units[k] : k < 3 ? inertia.turn : inertia.move;
    };
    double most = 0;  // of a body in any direction: its joints make turning of pulling
    for (std::size_t k = 0; k < system_.size(i); ++k) most = std::max(most, size[k] *= unit(k));
    for (std::size_t k = 0; k < system_.size(i); ++k) size[k] = unit(k) * (system_.is_module(i) ? size[k] : most);
  }
}

/// Whether a row was found to depend on others.
bool Recursion::is_left_out(const Node& node, Index row) const noexcept {
  const bool by_basis = subsystems_[node.subsystem].by_basis;
  for (Index i = by_basis ? node.rank : node.S_inverse.rank(); i < node.count; ++i)
    if ((by_basis ? node.order[static_cast<std::size_t>(i)] : node.S_inverse.row(i)) == row) return true;
  return false;
}

std::span<const double> Recursion::given_way() noexcept {
  for (const Node& node : nodes_)
    for (const Rows& rows : node.rows)
      for (std::size_t r = 0; r < static_cast<std::size_t>(rows.count); ++r) {
        const std::size_t row = system_.first_row(rows.constraint) + r;
        right_[row] = node.noise[static_cast<std::size_t>(rows.first) + r] * total_multipliers_[row];
      }
  return right_;
}

}  // namespace polyform::hierarchy
