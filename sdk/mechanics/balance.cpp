#include "polyform/mechanics/balance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "balance_body.hpp"

namespace polyform {

namespace {

/// So many roundings of the largest force are no imbalance of any body.
constexpr double roundings = 4 * std::numeric_limits<double>::epsilon();

/// Beyond this imbalance the terms of a module's f are measured, and what rounding of places makes of forces: both may
/// be the rounding of terms that cancel.
constexpr double in_doubt = 1e-9;

double trace_of(const BodyData& body) { return body.inertia.xx + body.inertia.yy + body.inertia.zz; }

/// Bodies that no joint and no constraint element on a joint holds.
std::vector<bool> loose_bodies(const SystemView& view, const ConstraintSet& constraints,
                               const std::vector<bool>& absent) {
  std::vector<bool> loose(view.bodies.size(), true);
  const auto hold = [&](const JointData& joint) {
    for (const BodyIndex b : {joint.base, joint.moving})
      if (!is_ground(b)) loose[at(b)] = false;
  };
  for (std::size_t j = 0; j < view.joints.size(); ++j)
    if (view.joints[j].nv != 6 && (absent.empty() || !absent[j])) hold(view.joints[j]);
  for (const ConstraintSet::Element& e : constraints.elements())
    for (const JointIndex j : e.joints) hold(view.joints[at(j)]);
  return loose;
}

}  // namespace

Balance::Balance(const SystemView& view, const std::vector<bool>& absent)
    : view_(view),
      system_scales_(view),
      loads_(std::make_unique<balance::Loads>(view)),
      bodies_(std::make_unique<balance::BodyBalance>(view, system_scales_, *loads_)),
      loose_(loose_bodies(view, loads_->constraints(), absent)),
      parts_(view.bodies.size()) {}

Balance::~Balance() = default;

bool Balance::good() const noexcept { return loads_->good(); }
std::span<const BodyMotion> Balance::frames() const noexcept { return loads_->frames(); }
std::span<const Spatial> Balance::accelerations() const noexcept { return loads_->accelerations(); }
const JointMotions& Balance::joints() const noexcept { return loads_->joints(); }
double Balance::overshadowed() const noexcept { return bodies_->overshadowed(); }
std::size_t Balance::overshadowed_body() const noexcept { return bodies_->overshadowed_body(); }

void Balance::note(double part, Imbalance::Of of, std::string_view name) noexcept {
  if (!(part > worst_.part)) return;
  worst_ = {part, of, name};
}

/// Whether any joint transmits anything.
bool Balance::has_reactions(const Observation& now) const noexcept {
  const auto acts = [](const Spatial& w) { return norm(w.angular) + norm(w.linear) != 0; };
  return std::ranges::any_of(now.reactions, acts);
}

const Imbalance& Balance::check(double at_time, const Observation& now) noexcept {
  worst_ = {};
  rounding_ = {};
  linear_ = angular_ = 0;
  std::fill(parts_.begin(), parts_.end(), 0.0);
  bodies_->start();
  loads_->place(at_time, now);
  loads_->add_modules(now);
  const bool told = has_reactions(now);
  looked_ = told || std::ranges::find(loose_, false) == loose_.end();
  if (told || std::ranges::find(loose_, true) != loose_.end()) {
    loads_->add_joints(now);
    find_roundings();
    bool measured = false;
    for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
      if (!told && !loose_[i]) continue;
      parts_[i] = bodies_->part(i, now, rounding_);
      if (parts_[i] > in_doubt && !measured) {
        measured = true;
        const balance::Terms of_places = loads_->rounding_of_places(now);
        rounding_.force += of_places.force + (rounding_.length > 0 ? of_places.moment / rounding_.length : 0);
        parts_[i] = bodies_->part(i, now, rounding_);
      }
      note(parts_[i], Imbalance::Of::body, view_.bodies[i].name);
    }
  }
  balance_modules(now);
  return worst_;
}

/// Finds what is rounding, given all that acts. The terms of all bodies become at least a part of the largest.
void Balance::find_roundings() noexcept {
  const std::span<const balance::Terms> terms = loads_->terms();
  const balance::Terms& efforts = loads_->largest_efforts();
  double force = 0, moment = 0, mass = 0, inertia = 0, most = 0, rounded = 0, largest = 0, most_on_one = 0,
         most_moment = 0;
  for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
    const BodyData& b = view_.bodies[i];
    force += terms[i].force;
    most_on_one = std::max(most_on_one, terms[i].force);
    moment += terms[i].moment;
    most_moment = std::max(most_moment, terms[i].moment);
    mass += system_scales_.mass(i);
    inertia += trace_of(b) + b.mass * dot(b.center_of_mass, b.center_of_mass);
  }
  const bool any_inertia = mass + inertia > 0;
  for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
    const BodyData& b = view_.bodies[i];
    const BodyMotion& m = loads_->frames()[i];
    const Spatial& a = loads_->accelerations()[i];
    const double trace = trace_of(b);
    const double length = std::max(
        {system_scales_.largest_reach(), norm(b.center_of_mass), b.mass > 0 ? std::sqrt(0.5 * trace / b.mass) : 0});
    // What turns counts as the mass that it is at that length.
    const Vec3 &v = m.V.linear, &omega = m.V.angular;
    const double feels = system_scales_.mass(i) + (length > 0 ? 0.5 * trace / (length * length) : 0);
    const double moved = norm(view_.gravity) + (length > 0 ? dot(v, v) / length : 0) + dot(omega, omega) * length;
    const double accelerates = norm(a.linear) + length * norm(a.angular);
    // Solvers lend a body without inertia that of the system, or about 1 kg, and take the force back that it asks for.
    const bool lacks = b.flexible == rigid && !(b.mass > 0 && trace > 0);
    const double lent = lacks ? (mass > 0 ? mass : 1) * accelerates : 0;
    // Where nothing but moments act, forces have the rounding of these; those on one coordinate may cancel each other.
    const double of_efforts = efforts.force + (length > 0 ? efforts.moment / length : 0);
    const double of_moments = length > 0 ? terms[i].moment / length : 0;
    const double acting = terms[i].force + system_scales_.mass(i) * (norm(view_.gravity) + norm(a.linear));
    most = std::max(most, acting + lent + of_efforts);
    rounded = std::max(rounded, acting + lent + of_efforts + of_moments + feels * moved);
    // Where nothing has mass it is all made up, and forces of 1e-12 of it are left.
    constexpr double made_up = 1e-12 / roundings;
    if (!any_inertia) rounded = std::max(rounded, made_up * lent);
    rounding_.length = std::max(rounding_.length, length);
    largest = std::max(largest, norm(view_.gravity) + accelerates + dot(omega, omega) * length);
  }
  // Forces that cancel each other, as a motor's and a spring's at rest or a drive's and a tyre's at a constant speed,
  // leave accelerations that are rounding of what each alone would give.
  force += efforts.force;
  moment += efforts.moment;
  if (mass > 0) largest = std::max(largest, std::max(efforts.force, most_on_one) / mass);
  if (inertia > 0) largest = std::max(largest, std::max(efforts.moment, most_moment) / inertia * rounding_.length);
  bodies_->take_part_in(largest);
  rounding_.force = roundings * rounded;
  loads_->raise_terms(least_share * most * system_scales_.largest_reach(), least_share * most);
  linear_ = mass > 0 ? forces_count * force / mass : 0;
  angular_ = inertia > 0 ? forces_count * moment / inertia : 0;
}

/// The rounding of a multiplier whose row holds bodies and joints: that of what acts there, by the row's own levers.
double Balance::rounding_of_multiplier(const ModuleSet::Module& m, std::size_t row) const noexcept {
  double least = std::numeric_limits<double>::infinity();
  const auto holds = [&](const Vec3& part, double rounding) {
    if (const double lever = norm(part); lever > 0) least = std::min(least, rounding / lever);
  };
  const std::size_t markers = m.rows.markers.size();
  for (std::size_t k = 0; k < markers; ++k) {
    const Spatial& A = m.rows.A[row * markers + k];
    holds(A.angular, rounding_.force * rounding_.length);
    holds(A.linear, rounding_.force);
  }
  const double* B = m.rows.B.data() + row * m.rows.velocities;
  for (const JointIndex j : m.rows.joints)
    for (std::size_t k = 0; k < view_.joints[at(j)].nv; ++k, ++B) {
      const Spatial& H = loads_->joints()[at(j)].H[k];
      if (*B == 0) continue;
      const double rounding = rounding_.force * (rounding_.length * norm(H.angular) + norm(H.linear));
      least = std::min(least, rounding / std::abs(*B));
    }
  return std::isfinite(least) ? least : 0.0;
}

/// M α = f + Aᵀλ. The terms that make up f are looked for only where a module seems to be out of balance.
void Balance::balance_modules(const Observation& now) noexcept {
  const double* multipliers = now.module_multipliers.data();
  std::span<const double> terms;
  std::size_t place = 0;
  for (const ModuleSet::Module& m : loads_->modules().modules()) {
    const std::size_t n = m.variables;
    for (std::size_t r = 0; r < n; ++r, ++place) {
      double rest = m.f[r], size = forces_count * std::abs(m.f[r]), rounding = 0;
      for (std::size_t s = 0; s < n; ++s) {
        const double inertia = m.M[r * n + s] * now.state_rates[m.u + s];
        rest -= inertia;
        size += std::abs(inertia);
      }
      for (std::size_t k = 0; k < m.rows.rows; ++k) {
        const double held = m.A[k * n + r] * multipliers[k];
        rest += held;
        size += forces_count * std::abs(held);
        if (m.A[k * n + r] != 0) rounding += std::abs(m.A[k * n + r]) * rounding_of_multiplier(m, k);
      }
      rest = std::max(0.0, std::abs(rest) - rounding);
      if (!(rest > 0)) continue;
      if (rest > in_doubt * size) {
        if (terms.empty()) terms = loads_->module_terms(now);
        size += forces_count * terms[place];
      }
      note(rest / size, Imbalance::Of::module, m.rows.name);
    }
    multipliers += m.rows.rows;
  }
}

}  // namespace polyform
