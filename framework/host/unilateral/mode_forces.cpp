#include "framework/host/unilateral/mode_forces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/diagnostics.hpp"

namespace polyform::host::inline unilateral {

using Eigen::Index;

namespace {

// What is taken off the rates of rows that hold, of the sum of a rate's terms; and of the speed of contact_sizes.hpp.
constexpr double drift_share = 1e-13, least_drift = 3e-16;
// Gaps of rows that hold: what is wider is taken off, of the length of contact_sizes.hpp.
constexpr double least_gap = 1e-13;
// Part of the largest scaled force: rounding of the solution.
constexpr double share_rounding = 3e-14;
// Part of the sum of the sizes of an acceleration's terms: a smaller acceleration is their rounding.
constexpr double cancelled = 1e-12;
// A part of the product of the responses of two rows that act against each other along one motion: the square of what
// couples them is less than the product by their rounding.
constexpr double opposed_rows = 1e-10;
// Of the speed of contact_sizes.hpp: what is slower has the direction in which it began.
constexpr double no_direction = 3e-13;

}  // namespace

bool PointModes::any_closed() const {
  return std::ranges::any_of(modes, [](UnilateralMode m) { return m != UnilateralMode::open; });
}

ModeForces::ModeForces(UnilateralSet& set, UnilateralResponse& response, const PointModes& modes,
                       const std::vector<ContactSizes>& units, const Ode& ode)
    : set_(set),
      response_(response),
      modes_(modes),
      units_(units),
      forces_(three * set.points()),
      loads_(forces_),
      sizes_(ode.size()),
      sums_(ode.size()),
      integrals_(ode.integrals()) {
  unknowns_.reserve(forces_.size());
  limits_.reserve(set.points());
}

void ModeForces::direct(std::size_t k, double (&direction)[2]) const {
  const SlidingDirections::Pair began = modes_.directions.at(set_, k);
  const double v[2] = {has_tangent(k, 0) ? set_.rate(three * k + 1) : 0,
                       has_tangent(k, 1) ? set_.rate(three * k + 2) : 0};
  const double speed = std::hypot(v[0], v[1]);
  const bool known = !modes_.guided[k] && speed > no_direction * units_[k].speed;
  for (std::size_t i = 0; i < 2; ++i)
    direction[i] = known ? std::copysign(1 / speed, v[0] * began[0] + v[1] * began[1]) * v[i] : began[i];
}

/// The part of an unknown in what each row has.
template <class Values>
double ModeForces::along(const Unknown& u, const Values& per_row) const {
  if (!u.across) return per_row(u.row);
  const SlidingDirections::Pair d = modes_.directions.at(set_, u.point);
  return d[0] * per_row(u.row + 1) - d[1] * per_row(u.row);
}

double ModeForces::gap_of(const Unknown& u) const {
  return u.row == three * u.point && set_.point(u.point).has_gap ? set_.gap(u.point) : 0;
}

void ModeForces::list_rows() {
  unknowns_.clear();
  for (std::size_t k = 0; k < modes_.modes.size(); ++k) {
    if (!modes_.is_closed(k)) continue;
    const std::size_t row = three * k;
    const bool sticks = modes_.modes[k] == UnilateralMode::stick;
    if (set_.point(k).has_normal && !modes_.held[row]) unknowns_.push_back({row, k});
    for (std::size_t i = 1; sticks && i < three; ++i)
      if (has_tangent(k, i - 1) && !modes_.held[row + i]) unknowns_.push_back({row + i, k});
    if (modes_.guided[k] && !modes_.held[row + 1] && !modes_.held[row + 2]) unknowns_.push_back({row + 1, k, true});
  }
}

/// forces: of the point's rows.
void ModeForces::add_forces(const Unknown& u, double force, std::span<double> forces) const {
  const std::size_t row = u.row - three * u.point;
  if (u.across) {
    const SlidingDirections::Pair d = modes_.directions.at(set_, u.point);
    forces[row] -= d[1] * force;
    forces[row + 1] += d[0] * force;
    return;
  }
  forces[row] += force;
  if (row != 0 || modes_.modes[u.point] != UnilateralMode::slip) return;
  double direction[2];
  direct(u.point, direction);
  for (std::size_t i = 0; i < 2; ++i)
    if (has_tangent(u.point, i)) forces[1 + i] -= set_.sliding(u.point) * direction[i] * force;
}

bool ModeForces::find_once(double t, std::span<const double> y, Shares shares) {
  list_rows();
  set_.evaluate(t, y, points_);
  std::ranges::fill(loads_, 0.0);
  for (const std::size_t k : points_) {
    if (set_.point(k).has_normal || modes_.modes[k] != UnilateralMode::slip) continue;
    double direction[2];
    direct(k, direction);
    const double added = raised_ != none && rubbing_[raised_] == k ? added_[raised_] : 0;
    for (std::size_t i = 0; i < 2; ++i)
      if (has_tangent(k, i)) loads_[three * k + 1 + i] = -(set_.sliding(k) + added) * direction[i];
  }
  if (!response_.find_base(t, y, loads_)) return false;
  response_.begin_columns();
  for (const Unknown& u : unknowns_) {
    UnilateralResponse::Forces column{};
    add_forces(u, probe_of(u), column);
    response_.add_column(u.point, column);
  }
  if (!response_.find_columns(t, y)) return false;
  solve(t, shares);
  std::ranges::copy(loads_, forces_.begin());
  for (std::size_t c = 0; c < unknowns_.size(); ++c)
    add_forces(unknowns_[c], found_[static_cast<Index>(c)] * probe_of(unknowns_[c]), of_point(c, forces_));
  return true;
}

double ModeForces::acceleration(std::size_t row) const {
  double sum = response_.accelerations()[row];
  for (std::size_t c = 0; c < unknowns_.size(); ++c) sum += found_[static_cast<Index>(c)] * response_.rate(c, row);
  return sum;
}

/// Where columns share evaluations, these do not tell what each of them does to integrals.
bool ModeForces::find_integrals(double t, std::span<const double> y) {
  if (!response_.shares_evaluations() || integrals_.empty()) return true;
  return response_.find_integrals(t, y, {found_.data(), unknowns_.size()}, integrals_);
}

/// Finds forces in parts of the probes, with which rows that hold have no acceleration. Rows and columns are scaled by
/// the response of each to itself.
void ModeForces::solve(double t, Shares shares) {
  const auto n = static_cast<Index>(unknowns_.size());
  found_.resize(n);
  if (n == 0) return;
  G_.resize(n, n);
  right_.resize(n);
  scale_.resize(n);
  const auto unknown = [&](Index c) -> const Unknown& { return unknowns_[static_cast<std::size_t>(c)]; };
  // A force in a probe accelerates a row along itself; the row's scale is the root of force over acceleration.
  for (Index c = 0; c < n; ++c) scale_[c] = std::sqrt(probe_of(unknown(c)));
  const std::span<const double> free = response_.accelerations();
  for (Index c = 0; c < n; ++c) {
    const auto rate = [&](std::size_t row) { return response_.rate(static_cast<std::size_t>(c), row); };
    for (Index r = 0; r < n; ++r) G_(r, c) = scale_[r] * along(unknown(r), rate) * scale_[c] / probe_of(unknown(c));
    right_[c] = -scale_[c] * along(unknown(c), [&](std::size_t row) { return free[row]; });
  }
  shares_.solve_least(G_, right_, found_);
  if (!shares_.is_unique() && (shares == Shares::within_limits || share_moves())) {
    list_limits();
    shares_.share(scale_, limits_, found_);
    take_off_preload();
  }
  // What is smaller is rounding of the solution, and would let a body creep along what nothing pushes it.
  const double rounding = share_rounding * found_.lpNorm<Eigen::Infinity>();
  for (Index c = 0; c < n; ++c)
    found_[c] = std::abs(found_[c]) > rounding ? found_[c] * scale_[c] / probe_of(unknown(c)) : 0;
  if (!found_.allFinite())
    throw Failure(Exit::simulation_failed, fmt::format("the forces of contact are no numbers at t = {:.9g} s", t));
}

/// Two points without friction that act against each other along one motion, such as the limit and the freewheel of a
/// joint: forces that they give each other move nothing, and nothing has brought them about.
void ModeForces::take_off_preload() {
  const auto is_plain = [&](Index u) {
    const UnilateralPoint& point = set_.point(unknowns_[static_cast<std::size_t>(u)].point);
    return point.has_normal && point.tangents == 0;
  };
  for (Index c = 0; c < found_.size(); ++c)
    for (Index r = 0; r < c && is_plain(c); ++r) {
      if (!is_plain(r) || !(G_(r, c) < 0) || G_(r, c) * G_(r, c) < (1 - opposed_rows) * G_(r, r) * G_(c, c)) continue;
      const double ratio = -G_(r, c) / G_(r, r), both = std::min(found_[r], ratio * found_[c]);
      if (!(both > 0)) continue;
      found_[r] -= both;
      found_[c] = std::max(0.0, found_[c] - both / ratio);
    }
}

/// The limits of the unknowns, which stand point after point.
void ModeForces::list_limits() {
  limits_.clear();
  for (std::size_t u = 0; u < unknowns_.size(); ++u) {
    const std::size_t k = unknowns_[u].point, row = unknowns_[u].row - three * k;
    if (u == 0 || unknowns_[u - 1].point != k) limits_.emplace_back().friction = set_.holding(k);
    if (!unknowns_[u].across)
      (row == 0 ? limits_.back().normal : limits_.back().tangents[row - 1]) = static_cast<Index>(u);
  }
}

/// Whether motion depends on how forces are shared: where friction slides it may, in the directions that are open.
bool ModeForces::share_moves() {
  constexpr double least = 1e-9;  // of the sum of the sizes of what the forces do
  if (set_.is_loaded()) return true;
  const auto& open = shares_.null_space();
  for (Index n = 0; n < open.cols(); ++n) {
    std::ranges::fill(sums_, 0.0);
    std::ranges::fill(sizes_, 0.0);
    for (std::size_t c = 0; c < unknowns_.size(); ++c) {
      const double part = scale_[static_cast<Index>(c)] / probe_of(unknowns_[c]) * open(static_cast<Index>(c), n);
      response_.each_change(c, [&](std::size_t i, double change) {
        sums_[i] += part * change;
        sizes_[i] += std::abs(part * change);
      });
    }
    double moved = 0, size = 0;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      moved = std::max(moved, std::abs(sums_[i]));
      size = std::max(size, sizes_[i]);
    }
    if (moved > least * size) return true;
  }
  return false;
}

void ModeForces::put_derivative(std::span<double> ydot, std::span<const StateKind> kinds) {
  std::ranges::copy(response_.base(), ydot.begin());
  for (std::size_t i = 0; i < ydot.size(); ++i) sizes_[i] = std::abs(ydot[i]);
  for (std::size_t c = 0; c < unknowns_.size(); ++c) {
    const double share = found_[static_cast<Index>(c)];
    response_.each_change(c, [&](std::size_t i, double change) {
      if (i >= ydot.size()) return;
      ydot[i] += share * change;
      sizes_[i] += std::abs(share * change);
    });
  }
  const std::size_t states = sizes_.size() - integrals_.size();
  for (std::size_t i = states; response_.shares_evaluations() && i < ydot.size(); ++i)
    ydot[i] = response_.base()[i] + integrals_[i - states];
  // What forces hold has no acceleration: the rounding of a sum that cancels would let it creep.
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (kinds[i] == StateKind::velocity && std::abs(ydot[i]) < cancelled * sizes_[i]) ydot[i] = 0;
}

std::size_t ModeForces::open_directions() const {
  const bool is_of_these = static_cast<std::size_t>(shares_.null_space().rows()) == unknowns_.size();
  return is_of_these ? static_cast<std::size_t>(shares_.null_space().cols()) : 0;
}

void ModeForces::put_open(std::size_t direction, std::span<double> forces) const {
  constexpr double least = 1e-6;  // of a direction of unit length: less is rounding
  std::ranges::fill(forces, 0.0);
  for (std::size_t u = 0; u < unknowns_.size(); ++u) {
    const auto c = static_cast<Index>(u);
    const double part = shares_.null_space()(c, static_cast<Index>(direction));
    if (std::abs(part) > least) add_forces(unknowns_[u], scale_[c] * part, of_point(u, forces));
  }
}

bool ModeForces::is_wide() const {
  return std::ranges::any_of(
      unknowns_, [&](const Unknown& u) { return std::abs(gap_of(u)) > least_gap * units_[u.point].length; });
}

bool ModeForces::is_fast() const {
  return std::ranges::any_of(unknowns_, [&](const Unknown& u) {
    const double terms = u.across ? set_.terms(u.row) + set_.terms(u.row + 1) : set_.terms(u.row);
    return std::abs(along(u, [&](std::size_t row) { return set_.rate(row); })) >
           drift_share * terms + least_drift * units_[u.point].speed;
  });
}

bool ModeForces::respond_to_rows(double t, std::span<const double> y) {
  std::ranges::fill(loads_, 0.0);
  if (!response_.find_base(t, y, loads_)) return false;
  response_.begin_columns();
  for (const Unknown& u : unknowns_) {
    UnilateralResponse::Forces column{};
    const SlidingDirections::Pair d = modes_.directions.at(set_, u.point);
    const std::size_t row = u.row - three * u.point;
    column[row] = (u.across ? -d[1] : 1) * probe_of(u);
    if (u.across) column[row + 1] = d[0] * probe_of(u);
    response_.add_column(u.point, column);
  }
  return response_.find_columns(t, y);
}

template <class Value>
void ModeForces::jump_by(const Value& value, std::span<double> y) {
  const auto n = static_cast<Index>(unknowns_.size());
  G_.resize(n, n);
  right_.resize(n);
  for (Index r = 0; r < n; ++r) {
    const Unknown& u = unknowns_[static_cast<std::size_t>(r)];
    for (Index c = 0; c < n; ++c) {
      G_(r, c) = along(u, [&](std::size_t row) { return response_.rate(static_cast<std::size_t>(c), row); });
    }
    right_[r] = -value(u);
  }
  shares_.solve_least(G_, right_, found_);
  for (std::size_t c = 0; c < unknowns_.size(); ++c) response_.jump(c, found_[static_cast<Index>(c)], y);
}

void ModeForces::jump_by_gaps(std::span<double> y) {
  jump_by([&](const Unknown& u) { return gap_of(u); }, y);
}

void ModeForces::jump_to_rest(std::span<double> y) {
  jump_by([&](const Unknown& u) { return along(u, [&](std::size_t row) { return set_.rate(row); }); }, y);
}

}  // namespace polyform::host::inline unilateral
