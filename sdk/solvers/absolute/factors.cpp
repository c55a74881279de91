#include "factors.hpp"

#include "../refined_solutions.hpp"

namespace polyform::absolute {

namespace {

/// Relative size of the δ that is added to M, see also least_epsilon. A body without inertia for some motion gets a
/// larger one, delta_of_singular: 1/δ must stay well below 1/ε, or else the rounding of its part in redundant rows
/// hides their ε.
constexpr double delta = 1e-10;

}  // namespace

MatrixPattern::MatrixPattern(const Blocks& blocks, const Constraints& constraints) {
  for (std::size_t i = 0; i < blocks.count(); ++i) sizes.push_back(blocks.size(i));
  for (const Constraints::Constraint& constraint : constraints.all()) {
    if (constraint.rows == 0) continue;
    for (const Constraints::Entry& e : constraints.entries_of(constraint))
      if (!e.is_empty()) pairs.emplace_back(sizes.size(), e.block);
    sizes.push_back(constraint.rows);
  }
}

Factors::Factors(const Model& model, const Scales& scales) : model_(model), scales_(scales) {
  const MatrixPattern pattern(model.blocks, model.constraints);
  using Turn = BlockLdlt::Turn;
  std::vector<Turn> turns(pattern.sizes.size(), Turn::after_neighbour);
  for (std::size_t i = 0; i < model.blocks.count(); ++i)
    turns[i] = scales[i].singular ? Turn::leaf_or_after_neighbour : Turn::any;
  matrix_.analyze(pattern.sizes, pattern.pairs, turns);
  for (std::size_t i = 0; i < pattern.sizes.size(); ++i) diagonals_.push_back(matrix_.diagonal(i));
  places_ = places_of_entries(matrix_, model);
}

bool Factors::factorize(const Neighbour& neighbour) noexcept {
  matrix_.clear();
  const std::size_t blocks = model_.blocks.count();
  for (std::size_t i = 0; i < blocks; ++i) enter_inertia(i, neighbour);
  std::size_t block = blocks;
  for (std::size_t t = 0; t < model_.constraints.count(); ++t) {
    const Constraints::Constraint& constraint = model_.constraints[t];
    if (constraint.rows == 0) continue;
    const double relative_epsilon = t < model_.blocks.bodies() ? least_epsilon : neighbour.loop_epsilon;
    const BlockLdlt::Block D = diagonals_[block++];
    for (std::size_t r = 0; r < constraint.rows; ++r) {
      double compliance = 0;  // of the row: about A M⁻¹ Aᵀ
      for (std::size_t e = constraint.entry; e < constraint.entry + constraint.entries; ++e)
        if (!model_.constraints.entry(e).is_empty()) compliance = enter_row(e, r, compliance);
      D(r, r) = compliance > 0 ? -relative_epsilon * compliance : -1;  // an empty row asks for nothing
    }
  }
  return made_ = matrix_.factorize();
}

/// Enters the coefficients of a row on one of its blocks. Returns the compliance plus that of the block.
double Factors::enter_row(std::size_t e, std::size_t r, double compliance) noexcept {
  const Constraints::Entry& entry = model_.constraints.entry(e);
  double* row = &places_[e](r, 0);
  const std::size_t stride = places_[e].column_stride;
  if (entry.frame != 0) {
    const BlockScale& s = scales_[entry.block];
    const Spatial& a = model_.rows.frame(entry, r);
    for (std::size_t k = 0; k < entry.frame; ++k) row[k * stride] = a[k];
    compliance += dot(a.angular, a.angular) / s.inertia + dot(a.linear, a.linear) / s.mass;
  }
  if (entry.owns == 0) return compliance;
  const double *own = model_.rows.own(entry, r), *masses = scales_.own_mass(entry.block);
  for (std::size_t k = 0; k < entry.owns; ++k) {
    row[(entry.frame + k) * stride] = own[k];
    compliance += own[k] * own[k] / masses[k];
  }
  return compliance;
}

/// Enters the block of a body, M + δ.
void Factors::enter_inertia(std::size_t i, const Neighbour& neighbour) noexcept {
  if (model_.blocks.is_module(i)) return enter_module(i);
  const bool rigid = model_.blocks.flexible(i) == nullptr;
  const BlockScale& s = scales_[i];
  const double added = s.singular && rigid ? delta_of_singular : delta;
  const double added_inertia = added * s.inertia + s.mass * neighbour.gyration * neighbour.gyration;
  const double added_mass = added * s.mass;
  if (!rigid) return enter_flexible(i, added_inertia, added_mass);
  const BlockLdlt::Block D = diagonals_[i];
  const Mat3 J = model_.inertia.of_body(i).full();
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c <= r; ++c) D(r, c) = J(r, c);
  for (std::size_t r = 0; r < 3; ++r) {
    D(r, r) += added_inertia;
    D(3 + r, 3 + r) = model_.view.bodies[i].mass + added_mass;
  }
}

void Factors::enter_module(std::size_t i) noexcept {
  const BlockLdlt::Block D = diagonals_[i];
  const std::span<const double> M = model_.inertia.matrix(i);
  const std::size_t size = model_.blocks.size(i);
  for (std::size_t r = 0; r < size; ++r) {
    for (std::size_t c = 0; c <= r; ++c) D(r, c) = M[r * size + c];
    D(r, r) += (scales_[i].singular ? delta_of_singular : delta) * scales_.own_mass(i)[r];
  }
}

void Factors::enter_flexible(std::size_t i, double added_inertia, double added_mass) noexcept {
  const BlockLdlt::Block D = diagonals_[i];
  const std::span<const double> M = model_.inertia.matrix(i);
  const std::size_t size = model_.blocks.size(i);
  for (std::size_t r = 0; r < size; ++r) {
    for (std::size_t c = 0; c <= r; ++c) D(r, c) = M[r * size + c];
    D(r, r) += r < 3 ? added_inertia : r < 6 ? added_mass : delta * scales_.own_mass(i)[r - 6];
  }
  enter_massless(i);
}

/// Enters the larger δ of a flexible body in the directions in which it has no inertia.
void Factors::enter_massless(std::size_t i) noexcept {
  const BlockLdlt::Block D = diagonals_[i];
  const std::vector<double>& directions = scales_.massless(model_.view.bodies[i].flexible);
  const std::size_t size = model_.blocks.size(i);
  const Mat3& R = model_.motions.frames[i].R;
  for (std::size_t first = 0; first < directions.size(); first += size) {
    const double* x = directions.data() + first;
    const Spatial turned{R * Vec3{x[0], x[1], x[2]}, R * Vec3{x[3], x[4], x[5]}};
    const auto at = [&](std::size_t r) { return r < 6 ? turned[r] : x[r]; };
    for (std::size_t r = 0; r < size; ++r)
      for (std::size_t c = 0; c <= r; ++c) D(r, c) += delta_of_singular * at(r) * at(c);
  }
}

}  // namespace polyform::absolute
