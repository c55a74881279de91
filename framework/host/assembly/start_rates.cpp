#include "framework/host/assembly/start_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/host/assembly/contradictions.hpp"
#include "framework/host/assembly/inertia_metric.hpp"
#include "framework/host/assembly/rate_changes.hpp"
#include "framework/host/assembly/sparse_qr.hpp"
#include "framework/host/expressions/formula.hpp"
#include "polyform/mechanics/judgement.hpp"

namespace polyform::host::inline assembly {
namespace {

std::string title(const ConstraintJacobian::Row& row) { return fmt::format("{} `{}`", row.kind, row.name); }

}  // namespace

bool StartRates::find(const std::vector<double>& drawn) {
  const std::vector<double> q = start_.parts.q, eta = start_.parts.eta;
  const bool moved = q != drawn || std::ranges::any_of(eta, [](double x) { return x != 0; });
  if (!moved) return project({ConstraintJacobian::Of::all, true}) && close_rates();
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
  return project({ConstraintJacobian::Of::all, true}) && close_rates();
}

/// Sets the rates of cut joints, and checks all rows once more in the motions of the bodies.
bool StartRates::close_rates() {
  ConstraintJacobian jacobian(start_.view(), ConstraintJacobian::Of::all, {}, start_.centred.origin());
  if (!jacobian.good()) return true;  // reported where forces and modules start
  jacobian.evaluate(start_.time(), start_.state());
  double speed = bodies_.speed;
  for (const BodyMotion& body : jacobian.tree().bodies()) speed = std::max(speed, start_.speed_of(body.V));
  for (std::size_t r = 0; r < jacobian.rows().size(); ++r) {
    const ConstraintJacobian::Row& row = jacobian.rows()[r];
    double size = 0;  // of the wrenches, about their own frames
    for (const auto& [frame, wrench] : row.wrenches) {
      const Vec3 arm = motion_of(frame, jacobian.tree().frames()).p - row.point;
      size = std::max({size, norm(wrench.angular - cross(arm, wrench.linear)) / start_.length, norm(wrench.linear)});
    }
    const double error = std::abs(jacobian.velocity_error(r));
    if (error <= 10 * met_part_ * std::max(size * speed, std::abs(row.velocity_right))) continue;
    report_unmet(jacobian, r, error);
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

/// Names of what else takes part in the combination of rows that contradicts a row.
std::string StartRates::contradicting(const ConstraintJacobian& jacobian, std::size_t row) const {
  constexpr double least_part = 1e-6;  // of the largest factor: less is rounding
  constexpr std::size_t most = 8;
  const auto rows = jacobian.rows();
  const RowScales scales(jacobian, jacobian.columns());
  std::vector<SparseQr::Entry> entries;
  std::vector<double> own(jacobian.columns());
  for (const ConstraintJacobian::Entry& e : jacobian.entries()) {
    const double value = scales.row[e.row] * e.value * scales.column[e.column];
    if (e.row == row)
      own[e.column] = value;
    else if (e.size > 0)
      entries.push_back({e.row, e.column, value});
  }
  SparseQr others;
  others.compute(rows.size(), jacobian.columns(), entries, least_independent);
  std::vector<double> right(others.rank()), factors(rows.size());
  for (std::size_t k = 0; k < right.size(); ++k) right[k] = own[others.column(k)];
  others.shortest(right, factors);
  double largest = 0;
  for (const double factor : factors) largest = std::max(largest, std::abs(factor));
  std::vector<std::string> names;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (!(std::abs(factors[r]) > least_part * largest)) continue;
    std::string name = title(rows[r]);
    if (name != title(rows[row]) && std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  const std::size_t shown = std::min(names.size(), most);
  std::string text;
  for (std::size_t k = 0; k < shown; ++k) text += (k == 0 ? "" : k + 1 == names.size() ? " and " : ", ") + names[k];
  return shown < names.size() ? fmt::format("{} and {} more", text, names.size() - shown) : text;
}

void StartRates::report_unmet(const ConstraintJacobian& jacobian, std::size_t which, double left) {
  const ConstraintJacobian::Row& row = jacobian.rows()[which];
  if (const std::string cause = expressions::last_trouble(start_.time()); !std::isfinite(left) && !cause.empty())
    return start_.diagnostics.report(
        {.message = fmt::format("{} has no rate at the start, because a formula has none: {}", title(row), cause),
         .remedy = "let the motion begin with finite derivatives, for example by sqrt(t + 1e-3) in the place of "
                   "sqrt(t), or start later (--at-time)",
         .file = start_.parts.description.file});
  const std::string others = contradicting(jacobian, which);
  const std::string message = fmt::format(
      "no velocities respect all loops and constraints at the initial position: {} is left with {:.3g} "
      "(m/s or rad/s){}",
      title(row), left, others.empty() ? "" : " by what it and " + others + " ask for together");
  start_.diagnostics.report(
      {.message = message,
       .remedy = "a prescribed motion asks for what the mechanism cannot do in this position, or for something "
                 "else than another one does: change it, or start from another position",
       .file = start_.parts.description.file});
}

/// Takes the nearest rates to those of the parts.
bool StartRates::project(const Projection& how) {
  ConstraintJacobian jacobian(start_.view(), how.rows, {}, start_.centred.origin());
  if (!jacobian.good()) return true;  // reported where forces and modules start
  jacobian.evaluate(start_.time(), start_.state());
  if (jacobian.rows().empty() && bodies_.excess.empty()) return true;
  std::vector<double> w(start_.parts.v.begin(),
                        start_.parts.v.begin() + static_cast<std::ptrdiff_t>(start_.view().nv_tree));
  w.insert(w.end(), start_.given_etadot.begin(), start_.given_etadot.end());
  constexpr double met_as_given = 1e-12;  // rounding: the given rates stay as they are
  Keeping keeping(start_.view(), jacobian, start_.given_v);
  keeping.keep(how.keep ? start_.wishes(&Start::Given::velocity)
                        : std::vector<std::size_t>(start_.view().modes > 0 ? 1 : 0, Keeping::modes));
  if (bodies_.excess.empty() && keeping.rates().missed(w).relative <= met_as_given) return true;
  const std::vector<Keeping::BodyVelocity> bodies = how.keep ? given_bodies() : std::vector<Keeping::BodyVelocity>();
  const bool bodies_kept = !bodies.empty() && keeping.keeps_all(w, bodies);
  if (!bodies_kept) {
    jacobian.drop_rates();
    if (!keeping.find(w, !bodies_.excess.empty())) {
      if (!report_contradiction(start_, start_.parts.q))
        report_unmet(jacobian, keeping.rates().worst().row, keeping.rates().worst().left);
      return false;
    }
  }
  InertiaMetric metric(start_.view());
  if (!metric.good()) return true;
  metric.evaluate(jacobian.tree().frames(), start_.parts.eta);
  if (!bodies_kept && !given_bodies().empty()) metric.count_given(given_parts());
  met_part_ = keeping.met_part();
  const std::vector<double> wanted = w;
  keeping.rates().take(w, keeping.columns(), metric, bodies_.excess);
  std::copy_n(w.begin(), start_.view().nv_tree, start_.parts.v.begin());
  std::copy(w.begin() + static_cast<std::ptrdiff_t>(start_.view().nv_tree), w.end(), start_.parts.etadot.begin());
  // If bodies have given velocities, these determine the rates of the joints that move the bodies.
  std::vector<char> decided = keeping.columns();
  for (std::size_t i = 0; i < bodies_.by_body.size(); ++i)
    if (bodies_.by_body[i])
      std::fill_n(decided.begin() + static_cast<std::ptrdiff_t>(start_.view().joints[i].v_offset),
                  start_.view().joints[i].nv, true);
  const std::vector<char> settled = keeping.rates().settled(decided);
  jacobian.evaluate(start_.time(), start_.state());
  RateChanges(start_, bodies_).tell(jacobian, how.keep, wanted, settled);
  return true;
}

}  // namespace polyform::host::inline assembly
