#include "framework/host/simulation/run_statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "framework/diagnostics.hpp"
#include "polyform/mechanics/observation.hpp"

namespace polyform::host::inline simulation {
namespace {

/// Share of the energy that moves: a balance that drifts by more is told.
constexpr double lost_energy = 1e-2;
/// How many times as much as the tolerances ask for a step may change the energy: they are for the states, and stiff
/// springs turn errors of places into more energy than motion has.
constexpr double times_tolerance = 10;
/// Part of the energy that forces could exchange: a system that moves with less, losses included, is at rest. Where
/// less than this part of the work that is passed on is stored, nothing moves that has inertia.
constexpr double at_rest = 1e-9;
/// Part of its size by which a system that stands still moves within the rows: less shows in no motion.
constexpr double still = 1e-6;
/// So many of its sizes away from the ground origin a system has places whose rounding may count. Beside a singular
/// position a motion feels the square root of that: 3e-7 of its size, as much as a coarse tolerance.
constexpr double far = 1e3;
/// How many times the energy of a transient that the steps pass over may be missing: it is known by its rate alone.
constexpr double times_transient = 2;
/// How many times the energy at the start, with what forces could exchange, a motion has that explodes.
constexpr double exploded = 1e3;

/// The fastest rate of what an element is attached to, its joints included, m/s or rad/s.
double speed_of(const SystemView& view, const ElementInstance& element, std::span<const JointIndex> joints,
                std::span<const BodyMotion> motions, std::span<const double> v) {
  double fastest = 0;
  for (const JointIndex j : joints)
    for (const double rate : v.subspan(view.joints[at(j)].v_offset, view.joints[at(j)].nv))
      fastest = std::max(fastest, std::abs(rate));
  for (const Marker& marker : element.markers) {
    if (is_ground(marker.body)) continue;
    const Spatial& V = motions[at(marker.body)].V;
    fastest = std::max(fastest, norm(V.linear) + norm(V.angular) * norm(marker.point));
  }
  return fastest;
}

}  // namespace

RunStatistics::RunStatistics(const SystemView& view)
    : view_(view), system_scales_(view), motions_(view.bodies.size()) {}

void RunStatistics::start(const Observation& now, double balance) {
  sums_.first_balance = balance;
  sums_.first_potential = now.potential_energy;
  sums_.nearest = motions_.empty() ? 0 : std::numeric_limits<double>::infinity();
  for (const BodyMotion& body : motions_) sums_.nearest = std::min(sums_.nearest, norm(body.p));
  for (std::size_t i = 0; i < motions_.size(); ++i)
    sums_.terms += system_scales_.mass(i) * norm(view_.gravity) * norm(motions_[i].p);
  const double sprung = now.potential_energy - gravity_potential(view_, motions_, now.eta.data());
  // What joints carry may be loads that hold each other, as those of a toggle that stands straight.
  double carried = 0;
  for (const Spatial& w : now.reactions)
    carried = std::max(carried, norm(w.linear) * system_scales_.largest_reach() + norm(w.angular));
  sums_.possible =
      system_scales_.of_system(motions_).energy + std::abs(sprung) + (std::isfinite(carried) ? carried : 0);
}

double RunStatistics::mass_or_one() const {
  double mass = 0;
  for (std::size_t i = 0; i < motions_.size(); ++i) mass += system_scales_.mass(i);
  return mass > 0 ? mass : 1;
}

double RunStatistics::lent_energy() const {
  double fastest = 0;
  for (std::size_t i = 0; i < motions_.size(); ++i) {
    const Spatial& V = motions_[i].V;
    if (!(system_scales_.mass(i) > 0))
      fastest = std::max(fastest, norm(V.linear) + norm(V.angular) * system_scales_.largest_reach());
  }
  return mass_or_one() * fastest * fastest;
}

double RunStatistics::passing(const Observation& now) const {
  double power = 0;
  for (std::size_t j = 0; j < view_.joints.size(); ++j) {
    const JointData& joint = view_.joints[j];
    const bool to_ground = is_ground(joint.moving);
    const BodyMotion& body = motions_[at(to_ground ? joint.base : joint.moving)];
    const Spatial &V = body.V, &w = now.reactions[j];
    power += std::abs(dot(w.angular, V.angular)) +
             std::abs(dot(w.linear, V.linear + cross(V.angular, body.R * (to_ground ? joint.p_base : joint.p_moving))));
  }
  std::size_t next = 0;
  for (const ConstraintInstances& of_type : view_.constraints) {
    std::size_t joint = 0;
    for (std::size_t e = 0; e < of_type.instances.size(); ++e) {
      const ElementInstance& element = of_type.instances[e];
      const std::span<const JointIndex> joints = of_type.joints.subspan(joint, element.joints.size());
      joint += joints.size();
      const double speed = speed_of(view_, element, joints, motions_, now.v);
      for (std::size_t r = 0; r < of_type.rows[e]; ++r)
        if (const double force = now.constraint_multipliers[next++]; std::isfinite(force))
          power += std::abs(force) * speed;
    }
  }
  return power;
}

void RunStatistics::row(double time, const Observation& now, double work) {
  const double total = now.kinetic_energy + now.potential_energy, balance = total - work;
  if (!std::isfinite(total))
    throw Failure(Exit::simulation_failed, fmt::format("the energy is no finite number any more at t = {:.6g} s", time),
                  "Use a smaller step or tighter tolerances; check stiffnesses, inertias and efforts in the model.");
  observed_motions(now, motions_);
  sums_.steps = 0;
  if (sums_.rows++ == 0) {
    sums_.first_time = time;
    start(now, balance);
  }
  const double power = passing(now);
  double rate = 0;
  for (const BodyMotion& body : motions_)
    rate = std::max(rate, norm(body.V.angular) + norm(body.V.linear) / system_scales_.largest_reach());
  if (rate > 0) sums_.passed_at_once = std::max(sums_.passed_at_once, power / rate);
  if (sums_.rows > 1) sums_.passed += 0.5 * (power + sums_.last_passing) * (time - sums_.last_time);
  sums_.last_time = time;
  sums_.last_passing = power;
  sums_.lent = std::max(sums_.lent, lent_energy());
  sums_.drift = std::max(sums_.drift, std::abs(balance - sums_.first_balance));
  sums_.kinetic = std::max(sums_.kinetic, now.kinetic_energy);
  sums_.terms = std::max(sums_.terms, std::abs(now.potential_energy));
  sums_.exchange = std::max(sums_.exchange, std::abs(now.potential_energy - sums_.first_potential));
  sums_.work = std::max(sums_.work, std::abs(work));
  sums_.violation = std::max(sums_.violation, now.position_violation);
  sums_.correction.add(*now.correction);
  sums_.conservative = sums_.conservative && now.power == 0 && work == 0;
}

bool RunStatistics::wants_energies(double work) {
  if (std::isfinite(work)) sums_.work = std::max(sums_.work, std::abs(work));
  constexpr std::size_t first = 8;
  return ++sums_.steps >= first && std::has_single_bit(sums_.steps) && sums_.rows > 0;
}

void RunStatistics::see_energies(double kinetic, double potential) {
  if (!std::isfinite(kinetic) || !std::isfinite(potential)) return;
  sums_.kinetic = std::max(sums_.kinetic, kinetic);
  sums_.exchange = std::max(sums_.exchange, std::abs(potential - sums_.first_potential));
}

// A sum of n weights carries some sqrt(n) roundings, of which a hundred cover what is run; energies beyond that are
// motion, however small compared with the potential energy of the whole.
double RunStatistics::rounding() const { return 100 * std::numeric_limits<double>::epsilon() * sums_.terms; }

double RunStatistics::standing() const {
  const double time = sums_.last_time - sums_.first_time;
  const double speed = time > 0 ? still * system_scales_.largest_reach() / time : 0;
  return mass_or_one() * speed * speed;
}

// What moves inertia is compared with what is passed on meanwhile: over a long time any work is large, and in a motion
// that explodes the work between two rows tells nothing.
double RunStatistics::moving() const {
  const double stored = std::max(sums_.kinetic, sums_.exchange);
  return std::max({stored, sums_.work, stored < at_rest * sums_.passed_at_once ? sums_.passed : 0.0});
}

double RunStatistics::moved() const {
  return std::max({moving(), rounding(), at_rest * (sums_.possible + sums_.lent), standing()});
}

bool RunStatistics::explodes() const {
  const double first_kinetic = std::max(sums_.first_balance - sums_.first_potential, 0.0);
  return sums_.drift > 0.1 * moved() && sums_.kinetic > exploded * (first_kinetic + sums_.possible + sums_.lent);
}

std::string RunStatistics::warning(bool chooses_steps) const {
  if (!(moved() > 0 && sums_.drift > lost_energy * moved())) return {};
  if (explodes())
    return fmt::format(
        "the motion explodes: the energy balance drifts by {:.1e} of what moves, and the kinetic energy comes to "
        "{:.1e} J, for which neither the start nor any work accounts. The results are not those of the model. {}",
        sums_.drift / moved(), sums_.kinetic,
        chooses_steps
            ? "The tolerances are far too coarse: give finer ones (--rtol, --atol)"
            : "Steps or tolerances are far too coarse: give a smaller --step, or an --integrator that chooses "
              "its steps");
  return fmt::format(
      "the energy balance drifts by {:.1e} of what moves: the results are not those of the model. Likely causes: steps "
      "or tolerances that are too coarse, constraints that rounded lengths make contradict each other a little, or an "
      "element that tells another energy than that of its forces. Compare with smaller steps or tolerances, and with "
      "other solvers",
      sums_.drift / moved());
}

std::string RunStatistics::warning_of_transient(double energy) const {
  if (!(sums_.drift <= times_transient * energy)) return {};
  return fmt::format(
      "the energy balance drifts by {:.2e} J, no more than the fast motion at the start passes on, which dies away at "
      "once. The steps pass over it, as an implicit method may, so that the work within it is not counted; the "
      "drift says nothing of the motion behind it. Finer tolerances (--rtol, --atol) count more of that work",
      sums_.drift);
}

std::string RunStatistics::warning_of_distance() const {
  const double size = system_scales_.largest_reach();
  if (!(moved() > 0 && sums_.drift > lost_energy * moved()) || !(sums_.nearest > far * size)) return {};
  return fmt::format(
      "the bodies are {:.1e} m or more from the ground origin, {:.0e} times their size: there numbers "
      "hold places to {:.0e} m, which may be the cause of that drift. Draw the model nearer to the origin",
      sums_.nearest, sums_.nearest / size, std::numeric_limits<double>::epsilon() * sums_.nearest);
}

// An energy goes with the square of a speed, whose error is that of the tolerances.
double RunStatistics::step_error(double relative_tolerance, double absolute_tolerance) const {
  const double speed = std::sqrt(2 * moved() / mass_or_one());
  return 2 * (relative_tolerance + absolute_tolerance / speed) * moved();
}

std::string RunStatistics::warning(std::size_t steps, double relative_tolerance, double absolute_tolerance) const {
  if (std::string text = warning(true); !text.empty() || !(moved() > 0)) return text;
  const double by_steps =
      times_tolerance * static_cast<double>(steps) * step_error(relative_tolerance, absolute_tolerance);
  if (!(sums_.drift > std::max(by_steps, rounding()))) return {};
  return fmt::format(
      "the energy balance drifts by {:.1e} of what moves: that is more than the errors of {} steps with these "
      "tolerances come to. Likely causes: an element whose energy jumps, as that of a contact does where an edge or a "
      "face ends, very stiff springs, or an element that tells another energy than that of its forces. Finer "
      "tolerances lessen the drift of stiff springs alone",
      sums_.drift / moved(), steps);
}

void RunStatistics::see_jump(const EnergyJump& jump) {
  if (std::abs(jump.change) > std::abs(sums_.jump.change)) sums_.jump = jump;
}

std::string RunStatistics::warning_of_jump(double relative_tolerance, double absolute_tolerance) const {
  const EnergyJump& jump = sums_.jump;
  const double by_step = times_tolerance * step_error(relative_tolerance, absolute_tolerance);
  if (!(moved() > 0) || !(std::abs(jump.change) > std::max(by_step, rounding()))) return {};
  return fmt::format(
      "at t = {:.9g} s, where bodies touch, part, slide or stick, the energy balance jumps by {:.2e} J, which no "
      "impact took: that is more than the error of a step with these tolerances comes to. A correction of places may "
      "have made it. Compare with finer tolerances, and with the law hunt-crossley",
      jump.time, jump.change);
}

double RunStatistics::scale() const {
  return moving() > std::max({rounding(), at_rest * sums_.lent, standing()})
             ? moving()
             : std::max({moving(), sums_.possible, sums_.lent, standing()});
}

void RunStatistics::store(RunRecord& record) const {
  record.rows = sums_.rows;
  record.energy_drift = scale() > 0 ? sums_.drift / scale() : 0;
  record.conservative = sums_.conservative;
  record.constraint_violation = sums_.violation;
  record.correction = sums_.correction;
}

}  // namespace polyform::host::simulation
