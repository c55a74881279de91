// Initial velocities that respect loops, constraint elements and modules, with given rates kept where those allow it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/host/assembly/initial_state.hpp"
#include "framework/host/assembly/sparse_qr.hpp"
#include "polyform/mechanics/judgement.hpp"

namespace polyform::host::inline assembly {
namespace {

std::string title(const ConstraintJacobian::Row& row) { return fmt::format("{} `{}`", row.kind, row.name); }

}  // namespace

/// Velocities at the positions found. Velocities of bodies belong to the drawn pose. Where bodies have left it, the
/// joint rates of the drawn pose hold at the new one.
bool InitialState::find_rates(const std::vector<double>& drawn) {
  const std::vector<double> q = parts_.q, eta = parts_.eta;
  const bool moved = q != drawn || std::ranges::any_of(eta, [](double x) { return x != 0; });
  if (!moved) return project({ConstraintJacobian::Of::all, true}) && close_rates();
  if (std::ranges::any_of(given_twists_, &GivenTwist::turn)) {
    parts_.q = drawn;
    std::ranges::fill(parts_.eta, 0.0);
    if (!project({ConstraintJacobian::Of::loops, false})) return false;
    parts_.q = q;
    parts_.eta = eta;
  }
  excess_.clear();
  given_twists_.assign(given_twists_.size(), {});
  for (std::size_t i = 0; i < view().bodies.size(); ++i)
    if (given_[i].velocity)
      std::copy_n(given_v_.data() + view().joints[i].v_offset, view().joints[i].nv,
                  parts_.v.data() + view().joints[i].v_offset);
  return project({ConstraintJacobian::Of::all, true}) && close_rates();
}

/// Sets the rates of cut joints, and checks all rows once more in the motions of the bodies.
bool InitialState::close_rates() {
  ConstraintJacobian jacobian(view(), ConstraintJacobian::Of::all, {}, centred_.origin());
  if (!jacobian.good()) return true;  // reported where forces and modules start
  jacobian.evaluate(0, state());
  double speed = speed_;
  for (const BodyMotion& body : jacobian.tree().bodies()) speed = std::max(speed, speed_of(body.V));
  for (std::size_t r = 0; r < jacobian.rows().size(); ++r) {
    const ConstraintJacobian::Row& row = jacobian.rows()[r];
    double size = 0;  // of the wrenches, about their own frames
    for (const auto& [frame, wrench] : row.wrenches) {
      const Vec3 arm = motion_of(frame, jacobian.tree().frames()).p - row.point;
      size = std::max({size, norm(wrench.angular - cross(arm, wrench.linear)) / length_, norm(wrench.linear)});
    }
    const double error = std::abs(jacobian.velocity_error(r));
    if (error <= 10 * met_part_ * std::max(size * speed, std::abs(row.velocity_right))) continue;
    report_unmet(jacobian, r, error);
    return false;
  }
  return true;
}

/// Velocities of bodies that the joints of the tree do not settle by given rates.
std::vector<Keeping::BodyVelocity> InitialState::given_bodies() const {
  std::vector<Keeping::BodyVelocity> bodies;
  for (std::size_t i = 0; i < given_twists_.size(); ++i)
    if (const GivenTwist& given = given_twists_[i]; given.turn && !given_[i].velocity)
      bodies.push_back({body_index(i), given.twist, given.whole});
  return bodies;
}

/// Names of what else takes part in the combination of rows that contradicts a row.
std::string InitialState::contradicting(const ConstraintJacobian& jacobian, std::size_t row) const {
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

void InitialState::report_unmet(const ConstraintJacobian& jacobian, std::size_t which, double left) {
  const ConstraintJacobian::Row& row = jacobian.rows()[which];
  const std::string others = contradicting(jacobian, which);
  const std::string message = fmt::format(
      "no velocities respect all loops and constraints at the initial position: {} is left with {:.3g} "
      "(m/s or rad/s){}",
      title(row), left, others.empty() ? "" : " by what it and " + others + " ask for together");
  diagnostics_.report(
      {.message = message,
       .remedy = "a prescribed motion asks for what the mechanism cannot do in this position, or for something "
                 "else than another one does: change it, or start from another position",
       .file = parts_.description.file});
}

/// Candidates to be kept, in the order of trial: the modes, then the joints as the model lists them.
std::vector<std::size_t> InitialState::wishes(bool Given::*what) const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < given_.size(); ++i)
    if (given_[i].*what) out.push_back(i);
  std::ranges::sort(out, {}, [&](std::size_t i) { return parts_.user_joint[i]; });
  if (view().modes > 0) out.insert(out.begin(), Keeping::modes);
  return out;
}

/// Takes the nearest rates to those of the parts.
bool InitialState::project(const Projection& how) {
  ConstraintJacobian jacobian(view(), how.rows, {}, centred_.origin());
  if (!jacobian.good()) return true;  // reported where forces and modules start
  jacobian.evaluate(0, state());
  if (jacobian.rows().empty() && excess_.empty()) return true;
  std::vector<double> w(parts_.v.begin(), parts_.v.begin() + static_cast<std::ptrdiff_t>(view().nv_tree));
  w.insert(w.end(), given_etadot_.begin(), given_etadot_.end());
  constexpr double met_as_given = 1e-12;  // rounding: nothing is to be changed
  Keeping keeping(view(), jacobian, given_v_);
  keeping.keep(how.keep ? wishes(&Given::velocity)
                        : std::vector<std::size_t>(view().modes > 0 ? 1 : 0, Keeping::modes));
  if (excess_.empty() && keeping.rates().missed(w).relative <= met_as_given) return true;
  const std::vector<Keeping::BodyVelocity> bodies = how.keep ? given_bodies() : std::vector<Keeping::BodyVelocity>();
  if (bodies.empty() || !keeping.keeps_all(w, bodies)) {
    jacobian.drop_rates();
    if (!keeping.find(w, !excess_.empty())) {
      if (!report_contradiction(parts_.q))
        report_unmet(jacobian, keeping.rates().worst().row, keeping.rates().worst().left);
      return false;
    }
  }
  InertiaMetric metric(view());
  if (!metric.good()) return true;
  metric.evaluate(jacobian.tree().frames(), parts_.eta);
  met_part_ = keeping.met_part();
  const std::vector<double> wanted = w;
  keeping.rates().take(w, keeping.columns(), metric, excess_);
  std::copy_n(w.begin(), view().nv_tree, parts_.v.begin());
  std::copy(w.begin() + static_cast<std::ptrdiff_t>(view().nv_tree), w.end(), parts_.etadot.begin());
  // Where bodies have given velocities, these decide the rates of the joints that move them.
  std::vector<char> decided = keeping.columns();
  for (std::size_t i = 0; i < by_body_.size(); ++i)
    if (by_body_[i])
      std::fill_n(decided.begin() + static_cast<std::ptrdiff_t>(view().joints[i].v_offset), view().joints[i].nv, true);
  const std::vector<char> settled = keeping.rates().settled(decided);
  jacobian.evaluate(0, state());
  tell_changes(jacobian, how.keep, wanted, settled);
  return true;
}

}  // namespace polyform::host::assembly
