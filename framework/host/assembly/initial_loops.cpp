// Initial positions: loops closed, with given coordinates kept where the loops allow it.
#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "framework/host/assembly/initial_state.hpp"
#include "framework/host/assembly/shown.hpp"
#include "polyform/mechanics/constraint.hpp"
#include "polyform/mechanics/constraint_set.hpp"

namespace polyform::host::inline assembly {
namespace {

/// Share of 1 rad, or of a length of the system, by which a coordinate may change without a warning.
constexpr double unsaid = 1e-9;

std::string text_of(std::span<const double> values) {
  std::string out;
  for (const double x : values) out += fmt::format("{}{:.6g}", out.empty() ? "" : " ", shown(x));
  return values.size() == 1 ? out : '(' + out + ')';
}

}  // namespace

bool InitialState::close_loops() {
  const std::vector<double> drawn = parts_.q;
  const std::vector<double> rates = parts_.v, modal_rates = parts_.etadot;
  PositionSearch search(view(), centred_.origin(), given_q_, given_eta_, state());
  if (!search.good()) return true;  // reported where forces and modules start
  if (report_no_number(given_q_)) return false;
  const bool closed = keep_most(wishes(&Given::position),
                                [&](const std::vector<std::size_t>& kept) { return search.reach(kept); });
  const std::vector<char> settled = closed ? search.settled() : std::vector<char>();
  parts_.v = rates;
  parts_.etadot = modal_rates;
  if (!closed) {
    report_open_loop(given_q_, search.open());
    return false;
  }
  tell_positions();
  tell_open_positions(drawn, settled);
  warn_of_moved_modes(given_eta_, parts_.eta, length_, "deformation");
  return module_positions();
}

/// The difference up to which two values of a coordinate count as the same.
double InitialState::unsaid_change(const JointData& joint, std::size_t coordinate) const {
  for (const Primitive& p : joint.primitives) {
    if (coordinate < position_count(p.kind)) return unsaid * (p.kind == Primitive::Kind::translation ? length_ : 1);
    coordinate -= position_count(p.kind);
  }
  return unsaid;
}

/// Joints that could not keep their given positions.
void InitialState::tell_positions() {
  for (std::size_t i = 0; i < given_.size(); ++i) {
    const JointData& joint = view().joints[i];
    const std::span<const double> given = std::span(given_q_).subspan(joint.q_offset, joint.nq),
                                  now = std::span(parts_.q).subspan(joint.q_offset, joint.nq);
    constexpr double rounding_of_given = 1e-12;  // of turns that are counted on from what is given
    bool changed = false;
    for (std::size_t k = 0; given_[i].position && k < joint.nq; ++k)
      changed = changed ||
                std::abs(given[k] - now[k]) > std::max(unsaid_change(joint, k), rounding_of_given * std::abs(given[k]));
    if (!changed) continue;
    complain(i, "initial.position",
             fmt::format("{} not allow the given position of joint `{}`: {} given, {} taken", restraint_of(i),
                         joint.name, text_of(given), text_of(now)),
             "give positions to as many joints as these leave free", Severity::warning);
  }
}

/// Joints without a given position that leave the drawn one although others could move in their place.
void InitialState::tell_open_positions(const std::vector<double>& drawn, const std::vector<char>& settled) {
  std::string names;
  std::size_t count = 0;
  for (std::size_t i = 0; i < view().bodies.size(); ++i) {
    const JointData& joint = view().joints[i];
    bool open = false, moved = false;
    for (std::size_t k = joint.v_offset; k < joint.v_offset + joint.nv; ++k) open = open || settled[k] == 0;
    for (std::size_t k = 0; k < joint.nq; ++k)
      moved = moved || std::abs(parts_.q[joint.q_offset + k] - drawn[joint.q_offset + k]) > unsaid_change(joint, k);
    if (!open || !moved || given_[i].position) continue;
    if (++count > most_named) continue;
    names += fmt::format("{}`{}` {}", names.empty() ? "" : ", ", joint.name,
                         text_of(std::span(parts_.q).subspan(joint.q_offset, joint.nq)));
  }
  if (count == 0) return;
  if (count > most_named) names += fmt::format(" and {} more", count - most_named);
  diagnostics_.report(
      {.severity = Severity::warning,
       .message = fmt::format("{} move the system out of its drawn position and leave open where some joints "
                              "start, for which no initial position is given: {} is taken (the nearest in the "
                              "inertia metric)",
                              restraint(), names),
       .remedy = "give them initial positions (initial.position) if they are to start elsewhere",
       .file = parts_.description.file});
}

/// Where holonomic rows of modules do not fit the positions, those states that are integrals of the modules' variables
/// move the least (in the scale of M) that makes them fit.
bool InitialState::module_positions() {
  ModuleSet modules(view(), centred_.origin());
  if (modules.empty()) return true;
  const std::vector<double> still(view().nv), still_modes(view().modes);
  tree_.evaluate(parts_.q.data(), still.data(), parts_.eta.data(), still_modes.data());
  std::vector<double> before(modules.modules().size(), -1.0);
  bool moved = true;
  for (int round = 0; moved && round < 20; ++round) {
    moved = false;
    modules.evaluate(0, tree_.frames(), parts_.q, still, parts_.x);
    for (std::size_t i = 0; i < modules.modules().size(); ++i)
      moved = fit_integrals(modules.modules()[i], before[i]) || moved;
  }
  modules.evaluate(0, tree_.frames(), parts_.q, still, parts_.x);
  for (const ModuleSet::Module& m : modules.modules())
    for (std::size_t r = 0; r < m.rows.rows; ++r) {
      if (!m.rows.is_holonomic(r) || std::abs(m.rows.residual[r]) <= unsaid * size_of_row(m, r)) continue;
      diagnostics_.error(fmt::format("the rows of module `{}` cannot be met at the initial positions: off by {:.3g}",
                                     m.rows.name, std::abs(m.rows.residual[r])),
                         "change the initial positions of its joints or bodies");
      return false;
    }
  return true;
}

/// What a turn by 1 rad, a shift by the length of the system or the variables' own integrals make of a row.
double InitialState::size_of_row(const ModuleSet::Module& m, std::size_t row) const {
  double size = 0;
  for (const Spatial& a : m.rows.A.subspan(row * m.rows.markers.size(), m.rows.markers.size()))
    size = std::max({size, norm(a.angular), length_ * norm(a.linear)});
  const double* B = m.rows.B.data() + row * m.rows.velocities;
  for (const JointIndex j : m.rows.joints)
    for (std::size_t k = 0; k < view().joints[at(j)].nv; ++k, ++B) {
      const bool is_tree = at(j) < view().bodies.size();  // of a cut joint the motion is not known here
      const Spatial h = is_tree ? tree_.joints()[at(j)].H[k] : Spatial{{1, 0, 0}, {}};
      const double turn = std::max(norm(h.angular), norm(h.linear) / length_);
      size = std::max(size, turn > 0 ? std::abs(*B) / turn : 0);
    }
  for (const ModuleSet::Module::Integral& i : m.integrals)
    size = std::max(size, std::abs(m.A[row * m.variables + i.variable] * parts_.x[i.state]));
  return size;
}

/// One step of Newton's method; false where nothing is left to gain.
bool InitialState::fit_integrals(const ModuleSet::Module& m, double& before) {
  std::vector<std::size_t> rows;
  for (std::size_t r = 0; r < m.rows.rows; ++r)
    if (m.rows.is_holonomic(r)) rows.push_back(r);
  if (rows.empty() || m.integrals.empty()) return false;
  const auto count = static_cast<Eigen::Index>(rows.size()), size = static_cast<Eigen::Index>(m.integrals.size());
  Eigen::MatrixXd A(count, size);
  Eigen::VectorXd residual(count), unit(size);
  for (Eigen::Index k = 0; k < size; ++k) {
    const std::size_t variable = m.integrals[static_cast<std::size_t>(k)].variable;
    const double own = m.M[variable * (m.variables + 1)];
    unit[k] = own > 0 ? 1 / std::sqrt(own) : 1;
    for (Eigen::Index r = 0; r < count; ++r)
      A(r, k) = m.A[rows[static_cast<std::size_t>(r)] * m.variables + variable] * unit[k];
  }
  for (Eigen::Index r = 0; r < count; ++r) residual[r] = m.rows.residual[rows[static_cast<std::size_t>(r)]];
  const double open = residual.norm();
  if (open == 0 || (before >= 0 && !(open < 0.25 * before))) return false;
  before = open;
  const Eigen::VectorXd step = unit.cwiseProduct(A.completeOrthogonalDecomposition().solve(residual));
  for (Eigen::Index k = 0; k < size; ++k) parts_.x[m.integrals[static_cast<std::size_t>(k)].state] -= step[k];
  return true;
}

/// Reports a constraint element or module whose residual is not a number as drawn: its type is at fault. False when
/// there is none.
bool InitialState::report_no_number(const std::vector<double>& start) {
  const std::vector<double> still(view().nv), still_modes(view().modes);
  tree_.evaluate(start.data(), still.data(), given_eta_.data(), still_modes.data());
  ConstraintSet constraints(view(), centred_.origin());
  if (!constraints.good()) return false;
  constraints.evaluate(0, tree_.frames(), start, still);
  for (const ConstraintSet::Element& element : constraints.elements()) {
    if (std::ranges::all_of(element.residual, [](double r) { return std::isfinite(r); })) continue;
    const auto item = std::ranges::find(parts_.description.constraints, element.name, &ConstraintItem::name);
    parts_.report_breach(diagnostics_, *item, item->type->name(),
                         "its residual is no finite number at the initial positions");
    return true;
  }
  ModuleSet modules(view(), centred_.origin());
  if (!modules.good()) return false;
  modules.evaluate(0, tree_.frames(), start, still, given_x_);
  for (const ModuleSet::Module& m : modules.modules()) {
    if (std::ranges::all_of(m.rows.residual, [](double r) { return std::isfinite(r); })) continue;
    const auto item = std::ranges::find(parts_.description.modules, m.rows.name, &ModuleItem::name);
    parts_.report_breach(diagnostics_, *item, item->type->name(),
                         "its residual is no finite number at the initial positions");
    return true;
  }
  return false;
}

void InitialState::report_open_loop(const std::vector<double>& start, const PositionSearch::Open& open) {
  if (report_contradiction(start)) return;
  const std::string why = fmt::format("{} `{}` stays off by {:.3g} m or rad", open.kind, open.name, open.residual);
  if (view().cut_joints().empty()) {
    diagnostics_.report(
        {.message = fmt::format("the constraints cannot be met from the given initial positions: {}", why),
         .remedy = "give initial positions nearer to what the constraints ask for",
         .file = parts_.description.file});
    return;
  }
  // The message names the loop that was most open at the given coordinates.
  const std::vector<double> still(view().nv), still_modes(view().modes);
  tree_.evaluate(start.data(), still.data(), given_eta_.data(), still_modes.data());
  std::size_t worst = 0;
  double most = -1;
  for (std::size_t k = 0; k < view().cut_joints().size(); ++k) {
    const JointData& joint = view().cut_joints()[k];
    JointConstraint c;
    double v[6];
    std::vector<double> q(start.begin() + static_cast<std::ptrdiff_t>(joint.q_offset),
                          start.begin() + static_cast<std::ptrdiff_t>(joint.q_offset + joint.nq));
    joint_constraint(joint, motion_of(joint.base_frame, tree_.frames()), motion_of(joint.moving_frame, tree_.frames()),
                     q.data(), v, c);
    for (std::size_t r = 0; r < c.rows; ++r) {
      if (std::abs(c.residual[r]) <= most) continue;
      most = std::abs(c.residual[r]);
      worst = k;
    }
  }
  const Loop& loop = parts_.forest.loops[worst];
  std::string names = parts_.description.joints[loop.cut_edge].name;
  for (const std::size_t edge : loop.base_path) names += fmt::format(", {}", parts_.description.joints[edge].name);
  for (const std::size_t edge : loop.moving_path) names += fmt::format(", {}", parts_.description.joints[edge].name);
  parts_.report(
      diagnostics_, Severity::error, parts_.description.joints[loop.cut_edge], {}, {},
      fmt::format("the loop through the joints {} cannot be closed from the given initial positions: {}", names, why),
      "give initial positions nearer to a closed loop, or fewer of them");
}

}  // namespace polyform::host::assembly
