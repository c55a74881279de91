#include "framework/host/unilateral/stepped_contacts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/diagnostics.hpp"
#include "framework/host/evaluation/state_encoding.hpp"

namespace polyform::host::inline unilateral {

SteppedContacts::SteppedContacts(const SystemView& view, double t, const ConstStateView& start, Solver& solver,
                                 UnilateralUse use)
    : set_(view, t, start, solver, use == UnilateralUse::steps ? use : UnilateralUse::none),
      solver_(solver),
      second_(ask<SecondOrderSystem>(solver)),
      response_(view, set_, solver),
      driven_(view, set_),
      tally_(set_),
      y_(empty() ? 0 : solver.state_size()),
      base_(y_),
      with_(y_),
      seen_(set_.elements()) {
  if (empty()) return;
  kept_momentum_.emplace(view, solver);
  check(view, t, start);
}

void SteppedContacts::check(const SystemView& view, double t, const ConstStateView& start) {
  if (set_.is_loaded())
    throw Failure(Exit::bad_input,
                  "the integrator carries contacts in its steps, and friction that grows with the load of a joint is "
                  "found with that load at each state",
                  "Take an integrator such as dopri5, or give the friction as an 'effort'.");
  for (std::size_t k = 0; k < set_.points(); ++k)
    if (set_.point(k).poisson && set_.point(k).restitution > 0)
      throw Failure(Exit::bad_input,
                    fmt::format("`{}` gives 'impact: poisson', and the integrator carries contacts in its steps, with "
                                "Newton's law of restitution",
                                set_.element_name(set_.element_of(k))),
                    "Give 'impact: newton', or take an integrator such as dopri5, which follows each impact.");
  if (encode_at(t, solver_, start, y_) != Status::ok) return;  // the run says why
  set_.find_near(t, y_, 0);
  set_.evaluate(t, y_);
  const std::vector<ContactSizes> sizes = contact_sizes(view, start, set_);
  refuse_overlaps(set_, sizes);
  driven_.measure(start, sizes);
}

/// Runs what may throw.
template <class Act>
Status SteppedContacts::guard(const Act& act) noexcept {
  try {
    act();
    return Status::ok;
  } catch (const Failure& problem) {
    failure_ = problem.message();
    remedy_ = problem.remedy();
  } catch (const std::exception& problem) {
    failure_ = problem.what();
    remedy_.clear();
  }
  return Status::failed;
}

Status SteppedContacts::find_points(double t, std::span<const double> y, double step) noexcept {
  return guard([&] {
    // A light body that a heavy one hits flies off with up to twice the speed of that.
    constexpr double times_faster = 2;
    set_.find_near(t, y, step);
    set_.evaluate(t, y);
    double fastest = 0;
    for (std::size_t k = 0; k < set_.points(); ++k) fastest = std::max(fastest, set_.terms(three * k));
    way_ = step * fastest;
    const double reach = times_faster * way_;
    chosen_.clear();
    for (std::size_t k = 0; k < set_.points(); ++k)
      if (!set_.point(k).has_gap || (set_.has_place(k) && set_.gap(k) <= reach)) chosen_.push_back(k);
    take_last_forces();
    driven_.begin(chosen_, step);
  });
}

/// Both lists are in the order of the keys.
void SteppedContacts::take_last_forces() {
  last_forces_.assign(three * chosen_.size(), 0.0);
  auto next = kept_.begin();
  for (std::size_t p = 0; p < chosen_.size(); ++p) {
    const auto key = set_.key_of(chosen_[p]);
    while (next != kept_.end() && next->key < key) ++next;
    if (next == kept_.end() || next->key != key) continue;
    std::ranges::copy(next->forces, last_forces_.begin() + static_cast<std::ptrdiff_t>(three * p));
  }
}

void SteppedContacts::describe_point(std::size_t k, UnilateralPoint& out) const noexcept {
  const UnilateralPoint& point = set_.point(chosen_[k]);
  out.instance = set_.element_of(chosen_[k]);
  out.name = point.name;
  out.has_normal = point.has_normal;
  out.has_gap = point.has_gap;
  out.tangents = point.tangents;
  out.restitution = point.restitution;
  out.velocity = point.velocity;
}

/// Beyond the end of its place a point does not touch, however deep it lies below the plane of the face that ends
/// there.
double SteppedContacts::gap_of(std::size_t k) const {
  return set_.has_ended(k) ? std::max(set_.open_gap(k), -set_.place(k)) : set_.gap(k);
}

Status SteppedContacts::evaluate(double t, std::span<const double> y, UnilateralOutput& out) noexcept {
  return guard([&] {
    set_.find_rows(t, y);
    for (std::size_t p = 0; p < chosen_.size(); ++p) {
      out.gap[p] = gap_of(chosen_[p]);
      out.holding[p] = set_.holding(chosen_[p]);
      out.sliding[p] = set_.sliding(chosen_[p]);
    }
  });
}

Status SteppedContacts::rates_at(double t, std::span<const double> y, std::span<double> rates) noexcept {
  return guard([&] {
    set_.rates_at(t, y, chosen_, rates);
    driven_.leave_out_resting(rates);
  });
}

Status SteppedContacts::find_response(double t, std::span<const double> y) noexcept {
  return guard([&] {
    if (!response_.find(t, y, chosen_, driven_.responses()))
      throw Failure(Exit::simulation_failed, fmt::format("the response to impulses of contact: {}", solver_.failure()));
    driven_.take_held(response_.held(), t);
  });
}

void SteppedContacts::put_forces(std::span<const double> forces, std::span<double> y) noexcept {
  all_.assign(three * set_.points(), 0.0);
  for (std::size_t p = 0; !forces.empty() && p < chosen_.size(); ++p)
    for (std::size_t i = 0; i < three; ++i) all_[three * chosen_[p] + i] = forces[three * p + i];
  set_.put_forces(all_, y);
}

void SteppedContacts::end_step(double t, double step, std::span<const double> forces,
                               std::span<const UnilateralMode> modes, std::span<const double> losses, double residual,
                               bool solved, std::span<double> y) noexcept {
  modes_.assign(set_.points(), UnilateralMode::open);
  kept_.clear();
  for (std::size_t p = 0; p < chosen_.size(); ++p) {
    const std::size_t k = chosen_[p];
    modes_[k] = modes[p];
    const std::array<double, 3> own{forces[three * p], forces[three * p + 1], forces[three * p + 2]};
    if (own != std::array<double, 3>{}) kept_.push_back({set_.key_of(k), own});
    if (std::isnan(losses[p])) continue;
    tally_.impact(k, t, losses[p]);
    // The work of impulses is in the rates of the step.
    set_.pass_impact(k, 0, y);
  }
  set_.put_modes(modes_, y);
  tally_times(t - step, t, modes);
  ++steps_;
  if (solved) return;
  ++unsolved_;
  if (!(residual > worst_)) return;
  worst_ = residual;
  worst_time_ = t;
}

void SteppedContacts::tally_times(double begin, double end, std::span<const UnilateralMode> modes) {
  std::ranges::fill(seen_, 0);
  constexpr char closed = 1, stuck = 2;
  for (std::size_t p = 0; p < chosen_.size(); ++p) {
    char& seen = seen_[set_.element_of(chosen_[p])];
    if (modes[p] != UnilateralMode::open) seen = static_cast<char>(seen | closed);
    if (modes[p] == UnilateralMode::stick) seen = static_cast<char>(seen | stuck);
  }
  for (std::size_t e = 0; e < seen_.size(); ++e)
    tally_.see_step(e, (seen_[e] & closed) != 0, (seen_[e] & stuck) != 0, begin, end);
}

/// with_ − base_ becomes the velocities that impulses give. Nothing moves meanwhile: the accelerations in base_ are
/// those of forces alone.
Status SteppedContacts::find_velocities(double t, std::span<const double> forces, std::span<const double> y) {
  const std::span<const StateKind> kinds = second_->kinds();
  for (const bool pushed : {false, true}) {
    for (std::size_t i = 0; i < y_.size(); ++i) y_[i] = kinds[i] == StateKind::velocity ? 0 : y[i];
    put_forces(pushed ? forces : std::span<const double>(), y_);
    ++moves_;
    if (solver_.derivative(t, y_, pushed ? with_ : base_) != Status::ok) return Status::failed;
  }
  return Status::ok;
}

/// The work of all forces but those of the rows along the displacement that impulses give: impulses times accelerations
/// of the rows, which base_ has.
double SteppedContacts::work_along(double t, std::span<const double> impulses, std::span<const double> y) {
  const std::span<const StateKind> kinds = second_->kinds();
  double work = 0;
  for (const double share : {1.0, 0.0}) {
    for (std::size_t i = 0; i < y_.size(); ++i) y_[i] = kinds[i] != StateKind::velocity ? y[i] : share * base_[i];
    rates_.resize(three * chosen_.size());
    set_.rates_at(t, y_, chosen_, rates_);
    for (std::size_t r = 0; r < rates_.size(); ++r) work += (share > 0 ? 1 : -1) * impulses[r] * rates_[r];
  }
  return work;
}

Status SteppedContacts::displace(double t, std::span<const double> impulses, std::span<double> y) noexcept {
  return guard([&] {
    see_depth(t);
    const auto fail = [&] {
      throw Failure(Exit::simulation_failed, fmt::format("overlaps could not be removed: {}", solver_.failure()));
    };
    if (kept_momentum_->take(y) != Status::ok || find_velocities(t, impulses, y) != Status::ok) fail();
    const std::span<const StateKind> kinds = second_->kinds();
    // What moves apart moves against the forces that act: that is work, which the balance of energy counts.
    if (y.size() > y_.size()) y[y_.size()] -= work_along(t, impulses, y);
    for (const bool moved : {false, true}) {
      for (std::size_t i = 0; i < y_.size(); ++i)
        y_[i] = kinds[i] != StateKind::velocity ? y[i] : moved ? with_[i] - base_[i] : 0;
      // The rates are written where the velocities are not needed any more.
      if (second_->position_rates(t, y_, moved ? with_ : base_) != Status::ok) fail();
    }
    for (std::size_t i = 0; i < y_.size(); ++i)
      if (kinds[i] == StateKind::position) y[i] += with_[i] - base_[i];
    if (kept_momentum_->give(t, y) != Status::ok) fail();
  });
}

/// Surfaces that overlap by more than anything moves in a step were not seen before, and the way out is long.
void SteppedContacts::see_depth(double t) {
  for (const std::size_t k : chosen_) {
    const double depth = set_.point(k).has_gap ? -gap_of(k) : 0;
    if (!(depth > way_ && depth > deepest_)) continue;
    deepest_ = depth;
    deepest_time_ = t;
    deepest_point_ = set_.name_of(k);
  }
}

std::vector<std::string> SteppedContacts::warnings() const {
  std::vector<std::string> all;
  if (unsolved_ > 0)
    all.push_back(
        fmt::format("in {} of {} steps the forces of contact were not found to the tolerance; the largest residual is "
                    "{:.3g} (m/s or rad/s), at t = {:.9g} s. Give the integrator more 'iterations', a shorter step, or "
                    "a larger 'tolerance'",
                    unsolved_, steps_, worst_, worst_time_));
  if (deepest_ > 0)
    all.push_back(fmt::format(
        "at t = {:.9g} s surfaces of {} were {:.3g} m in each other, which is more than they move in a step: "
        "they met where no point of contact was seen before, and the bodies were moved and turned until they "
        "were apart. Take an integrator that finds events, such as dopri5, or simpler shapes",
        deepest_time_, deepest_point_, deepest_));
  return all;
}

void SteppedContacts::keep(RunState& out) const {
  out.modes.clear();
  out.touching.clear();
  tally_.keep(out.touching);
  for (const std::size_t number : {steps_, unsolved_}) out.touching.push_back(static_cast<double>(number));
  out.touching.insert(out.touching.end(), {worst_, worst_time_, deepest_, deepest_time_});
  for (const Kept& kept : kept_) {
    for (const std::uint64_t part : kept.key) out.touching.push_back(static_cast<double>(part));
    out.touching.insert(out.touching.end(), kept.forces.begin(), kept.forces.end());
  }
}

bool SteppedContacts::begin_from(const RunState& from) {
  constexpr std::size_t own = 6, per_point = 6;
  const std::size_t counted = tally_.numbers();
  if (!from.modes.empty() || from.touching.size() < counted + own ||
      (from.touching.size() - counted - own) % per_point != 0)
    return false;
  tally_.begin_from(from.touching);
  const double* next = from.touching.data() + counted;
  const double* const end = from.touching.data() + from.touching.size();
  steps_ = static_cast<std::size_t>(*next++);
  unsolved_ = static_cast<std::size_t>(*next++);
  worst_ = *next++;
  worst_time_ = *next++;
  deepest_ = *next++;
  deepest_time_ = *next++;
  if (deepest_ > 0) deepest_point_ = "bodies";
  for (kept_.clear(); next != end; next += per_point)
    kept_.push_back({{static_cast<std::uint64_t>(next[0]), static_cast<std::uint64_t>(next[1]),
                      static_cast<std::uint64_t>(next[2])},
                     {next[3], next[4], next[5]}});
  return true;
}

}  // namespace polyform::host::inline unilateral
