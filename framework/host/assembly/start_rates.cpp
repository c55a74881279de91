#include "framework/host/assembly/start_rates.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "framework/host/assembly/contradictions.hpp"
#include "framework/host/assembly/inertia_metric.hpp"
#include "framework/host/assembly/nonlinear_rows.hpp"
#include "framework/host/assembly/rate_changes.hpp"
#include "framework/host/assembly/unmet_rows.hpp"

namespace polyform::host::inline assembly {
bool StartRates::find(const std::vector<double>& drawn) {
  const std::vector<double> q = start_.parts.q, eta = start_.parts.eta;
  const bool moved = q != drawn || std::ranges::any_of(eta, [](double x) { return x != 0; });
  if (!moved) return project({ConstraintJacobian::Of::rates, true}) && close_rates();
  if (std::ranges::any_of(bodies_.twists, &GivenTwist::turn)) {
    start_.parts.q = drawn;
    std::ranges::fill(start_.parts.eta, 0.0);
    if (!project({ConstraintJacobian::Of::loops, false})) return false;
    start_.parts.q = q;
    start_.parts.eta = eta;
  }
  bodies_.excess.clear();
  bodies_.twists.assign(bodies_.twists.size(), {});
  for (std::size_t i = 0; i < start_.view().bodies.size(); ++i)
    if (start_.given[i].velocity)
      std::copy_n(start_.given_v.data() + start_.view().joints[i].v_offset, start_.view().joints[i].nv,
                  start_.parts.v.data() + start_.view().joints[i].v_offset);
  return project({ConstraintJacobian::Of::rates, true}) && close_rates();
}

bool StartRates::has_rows() const {
  const SystemView& view = start_.view();
  return !view.cut_joints().empty() || !view.constraints.empty() || !view.modules.empty();
}

/// Sets the rates of cut joints, and checks all rows once more in the motions of the bodies.
bool StartRates::close_rates() {
  if (!has_rows()) return true;
  ConstraintJacobian jacobian(start_.view(), ConstraintJacobian::Of::rates, {}, start_.centred.origin());
  if (!jacobian.good()) return true;  // reported where forces and modules start
  jacobian.evaluate(start_.time(), start_.state());
  double speed = bodies_.speed;
  for (const BodyMotion& body : jacobian.tree().bodies()) speed = std::max(speed, start_.speed_of(body.V));
  for (std::size_t r = 0; r < jacobian.rows().size(); ++r) {
    const ConstraintJacobian::Row& row = jacobian.rows()[r];
    const double size = size_of_wrenches(jacobian, r, start_.length);
    const double error = std::abs(jacobian.velocity_error(r));
    if (error <= 10 * met_part_ * std::max(size * speed, std::abs(row.velocity_right))) continue;
    report_unmet(start_, jacobian, {r, error, 0}, newton_steps_);
    return false;
  }
  return true;
}

/// Velocities of bodies that the joints of the tree do not settle by given rates.
std::vector<Keeping::BodyVelocity> StartRates::given_bodies() const {
  std::vector<Keeping::BodyVelocity> bodies;
  for (std::size_t i = 0; i < bodies_.twists.size(); ++i)
    if (const GivenTwist& given = bodies_.twists[i]; given.turn && !start_.given[i].velocity)
      bodies.push_back({body_index(i), given.twist, given.whole});
  return bodies;
}

/// What of each body's twist is given. A given turn, or a joint's given rate, gives the whole of it where that of the
/// inboard body is given.
std::vector<InertiaMetric::Given> StartRates::given_parts() const {
  using Given = InertiaMetric::Given;
  std::vector<Given> parts;
  for (std::size_t i = 0; i < bodies_.twists.size(); ++i) {
    const JointData& joint = start_.view().joints[i];
    const BodyIndex in = joint.inboard();
    const bool rests_on_given = is_ground(in) || parts[at(in)] == Given::whole;
    const GivenTwist& given = bodies_.twists[i];
    if (given.whole || (rests_on_given && (given.turn || start_.given[i].velocity || joint.nv == 0)))
      parts.push_back(Given::whole);
    else
      parts.push_back(given.turn ? Given::turn : Given::nothing);
  }
  return parts;
}

/// The columns that are kept, and those that given velocities of bodies determine.
std::vector<char> StartRates::decided_columns(std::vector<char> kept) const {
  for (std::size_t i = 0; i < bodies_.by_body.size(); ++i)
    if (bodies_.by_body[i])
      std::fill_n(kept.begin() + static_cast<std::ptrdiff_t>(start_.view().joints[i].v_offset),
                  start_.view().joints[i].nv, true);
  return kept;
}

/// Takes the nearest rates to w that meet the rows as they are linearized at w. First, as many given rates are kept as
/// the rows allow, then these.
bool StartRates::step(ConstraintJacobian& jacobian, Keeping& keeping, InertiaMetric& metric, Search& search) {
  const std::vector<Keeping::BodyVelocity> bodies =
      search.keeps_bodies ? given_bodies() : std::vector<Keeping::BodyVelocity>();
  search.keeps_bodies = !bodies.empty() && keeping.keeps_all(search.w, bodies);
  if (!search.keeps_bodies) {
    jacobian.drop_rates();
    if (!keeping.find(search.w, !search.excess.empty())) return false;
  }
  if (!search.keeps_bodies && !std::exchange(search.counts_given, true) && !given_bodies().empty())
    metric.count_given(given_parts());
  met_part_ = std::max(met_part_, keeping.met_part());
  keeping.rates().take(search.w, keeping.columns(), metric, search.excess);
  return true;
}

/// Takes the nearest rates to those of the parts. Rows that are nonlinear in velocities take several steps.
bool StartRates::project(const Projection& how) {
  if (!has_rows() && bodies_.excess.empty()) return true;
  ConstraintJacobian jacobian(start_.view(), how.rows, {}, start_.centred.origin());
  if (!jacobian.good()) return true;  // reported where forces and modules start
  jacobian.evaluate(start_.time(), start_.state());
  if (jacobian.rows().empty() && bodies_.excess.empty()) return true;
  Search search{.w = std::vector<double>(start_.parts.v.begin(),
                                         start_.parts.v.begin() + static_cast<std::ptrdiff_t>(start_.view().nv_tree)),
                .excess = bodies_.excess,
                .keeps_bodies = how.keep};
  search.w.insert(search.w.end(), start_.given_etadot.begin(), start_.given_etadot.end());
  constexpr double met_as_given = 1e-12;  // rounding: the given rates stay as they are
  Keeping keeping(start_.view(), jacobian, start_.given_v);
  keeping.keep(how.keep ? start_.wishes(&Start::Given::velocity)
                        : std::vector<std::size_t>(start_.view().modes > 0 ? 1 : 0, Keeping::modes));
  if (bodies_.excess.empty() && keeping.rates().missed(search.w).relative <= met_as_given) return true;
  InertiaMetric metric(start_.view());
  if (!metric.good()) return true;
  metric.evaluate(jacobian.tree().frames(), start_.parts.eta);
  met_part_ = met;
  const std::vector<double> wanted = search.w;
  std::vector<char> settled;
  NonlinearRows nonlinear(start_, jacobian);
  for (bool goes_on = true; goes_on; search.excess = {}) {
    const std::vector<double> from = search.w;
    const bool all_met = step(jacobian, keeping, metric, search);
    const NearestRates::Missed missed = keeping.rates().worst();
    if (all_met) settled = keeping.rates().settled(decided_columns(keeping.columns()));
    // Rows that are nonlinear may contradict each other only as they are linearized here: those that are independent
    // lead on.
    if (!all_met) search.w.assign(keeping.rates().met_rates().begin(), keeping.rates().met_rates().end());
    goes_on = nonlinear.follow(from, search.w, !all_met || search.excess.empty());
    if (goes_on) {
      keeping.keep(std::vector<std::size_t>(keeping.kept()));
    } else if (!all_met) {
      if (!report_contradiction(start_, start_.parts.q)) report_unmet(start_, jacobian, missed, nonlinear.steps());
      return false;
    }
  }
  newton_steps_ = nonlinear.steps();
  RateChanges(start_, bodies_).tell(jacobian, how.keep, wanted, settled);
  return true;
}

}  // namespace polyform::host::inline assembly
