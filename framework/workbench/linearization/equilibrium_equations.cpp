#include "framework/workbench/linearization/equilibrium_equations.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "framework/diagnostics.hpp"
#include "framework/host/columns/columns.hpp"
#include "framework/host/reading/report.hpp"
#include "framework/workbench/linearization/module_states.hpp"
#include "polyform/mechanics/observation.hpp"

namespace polyform::host::inline linearization {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

EquilibriumEquations::EquilibriumEquations(const System& system, const SolverMaker& make,
                                           const EquilibriumRequest& request, const ConstStateView& start)
    : system_(system),
      make_(make),
      request_(request),
      varied_(system.view(), request.trimmed),
      offsets_(request.trimmed.size()),
      state_(start),
      names_(coordinates_of(system.view())) {
  if (!request.steady) {
    std::fill(state_.v.begin(), state_.v.end(), 0.0);
    std::fill(state_.etadot.begin(), state_.etadot.end(), 0.0);
  }
  find_held();
  set_out();
  if (!request.steady) return;
  start_ = {system.start_time(), state_, request.trimmed, offsets_};
  steady_.emplace(system, make, start_, choice_);
  if (!steady_->any()) steady_.reset();
  if (steady_ && !accelerations(VectorXd::Zero(unknowns()), now_)) fail();
}

void EquilibriumEquations::fail(const std::string& why) const {
  throw Failure(Exit::simulation_failed,
                fmt::format("the search for an equilibrium failed: {}", why.empty() ? failure_ : why),
                "Start nearer to it (initial positions of joints), or use another solver.");
}

void EquilibriumEquations::find_held() {
  held_.assign(names_.size(), false);
  for (const std::string& pattern : request_.held) {
    bool found = false;
    for (std::size_t c = 0; c < names_.size(); ++c) {
      const std::string& name = names_[c].position;
      if (!names_component(pattern, name) && !matches(pattern, name.substr(0, name.rfind('.')))) continue;
      held_[c] = found = true;
      anything_held_ = true;
    }
    if (found) continue;
    std::vector<std::string_view> known;
    for (const Coordinate& c : names_) known.push_back(c.position);
    throw Failure(Exit::bad_input, "there is no coordinate " + show(pattern),
                  did_you_mean(pattern, known) + "Coordinates: " + listing(known) + ".");
  }
}

/// Chooses coordinates at the present state. A steady motion keeps those in which its speeds are given.
void EquilibriumEquations::set_out() {
  if (probe_ && offsets_.empty()) solver_ = probe_->release();
  probe_.reset();
  varied_.set(offsets_);
  directions_.resize(0, 0);
  if (!chosen_ || !request_.steady) {
    choice_ = choose_coordinates(varied_.view(), system_.start_time(), state_, held_);
    chosen_ = true;
  }
  probe_ = make_probe(offsets_);
  if (!accelerations(VectorXd::Zero(unknowns()), now_)) fail();
  state_ = probe_->state();
  find_directions();
}

double EquilibriumEquations::scale(Index k) const {
  if (k < moves()) return names_[velocity(k)].scale;
  if (k < equations()) {
    const std::size_t x = choice_.state.independent[static_cast<std::size_t>(k - moves())];
    return std::max(1.0, std::abs(state_.x[x]));
  }
  const std::size_t t = static_cast<std::size_t>(k - equations());
  return std::max({1.0, std::abs(request_.trimmed[t].value), std::abs(offsets_[t])});
}

void EquilibriumEquations::require_dense() const {
  if (may_be_dense()) return;
  throw Failure(
      Exit::bad_input,
      fmt::format("the search would have {} unknowns; dense matrices are made up to {}", unknowns(), most_states),
      "A static equilibrium without --trim and --hold needs none by a solver that gives Newton's matrix, such as "
      "riccati, unless modules act; or search the equilibrium of a part of the model.");
}

bool EquilibriumEquations::accelerations(const VectorXd& z, VectorXd& out) {
  const std::vector<double> deviation = deviation_of(z);
  std::vector<double> offsets = offsets_;
  bool trimmed = false;
  for (std::size_t t = 0; t < offsets.size(); ++t) {
    offsets[t] += z[equations() + static_cast<Index>(t)];
    trimmed = trimmed || offsets[t] != offsets_[t];
  }
  std::vector<double> row(probe_->size());
  ++evaluations_;
  bool done;
  if (trimmed) {
    probe_.reset();
    const std::unique_ptr<Probe> other = make_probe(offsets);
    done = other->evaluate(deviation, row);
    if (!done) failure_ = other->failure();
    moved_ = other->state();
    if (done) read(*other, row, out);
  } else {
    done = probe_->evaluate(deviation, row);
    if (!done) failure_ = probe_->failure();
    moved_ = probe_->state();
    if (done) read(*probe_, row, out);
  }
  if (trimmed) probe_ = make_probe(offsets_);
  return done;
}

std::string EquilibriumEquations::check() {
  VectorXd there;
  if (!accelerations(VectorXd::Zero(unknowns()), there)) fail();
  return probe_->check();
}

void EquilibriumEquations::read(Probe& at, std::span<const double> row, VectorXd& out) const {
  out = Eigen::Map<const VectorXd>(row.data() + choice_.positions(), equations());
  if (!steady_) return;
  const Observation& now = at.observation();
  std::vector<double> vdot(now.acceleration.begin(),
                           now.acceleration.begin() + static_cast<std::ptrdiff_t>(varied_.view().nv_tree));
  vdot.insert(vdot.end(), now.modal_acceleration.begin(), now.modal_acceleration.end());
  VectorXd misfits;
  steady_->remove(at.state(), vdot, misfits);
  for (Index k = 0; k < moves(); ++k) out[k] = vdot[velocity(k)];
  out.conservativeResize(rows());
  out.tail(misfits.size()) = misfits;
}

MatrixXd EquilibriumEquations::jacobian(double step) {
  MatrixXd J = MatrixXd::Zero(rows(), unknowns());
  VectorXd z = VectorXd::Zero(unknowns()), plus, minus;
  for (Index k = 0; k < unknowns(); ++k) {
    if (is_held(k)) continue;
    double h = step * scale(k);
    for (int tries = 0;; ++tries, h /= 8) {
      z[k] = h;
      const bool there = accelerations(z, plus);
      z[k] = -h;
      if (there && accelerations(z, minus)) break;
      if (tries == 6) fail();
    }
    J.col(k) = (plus - minus) / (2 * h);
    z[k] = 0;
  }
  return J;
}

MatrixXd EquilibriumEquations::inertia() {
  const SystemView& view = varied_.view();
  ClosedStates closed(view, system_.start_time(), choice_, state_);
  if (!flexible_) flexible_.emplace(system_.view());  // which stays, as varied views do not
  ModuleStates modules(view);
  std::vector<double> deviation(closed.size());
  CanonicalState s;
  const std::size_t first = choice_.positions();
  const auto energy = [&](Index i, Index j) {
    if (i >= 0) deviation[first + static_cast<std::size_t>(i)] += 1;
    if (j >= 0) deviation[first + static_cast<std::size_t>(j)] += 1;
    if (!closed.place(deviation, s)) fail(closed.failure());
    if (i >= 0) deviation[first + static_cast<std::size_t>(i)] = 0;
    if (j >= 0) deviation[first + static_cast<std::size_t>(j)] = 0;
    const std::span<const BodyMotion> frames = closed.frames(s);
    flexible_->evaluate(frames, s.eta.data(), s.etadot.data());
    return kinetic_energy(view, frames, *flexible_, s.etadot.data()) +
           modules.kinetic_energy(system_.start_time(), frames, s);
  };
  const double still = energy(-1, -1);
  VectorXd single(moves());
  for (Index i = 0; i < moves(); ++i) single[i] = energy(i, -1);
  MatrixXd M(moves(), moves());
  for (Index i = 0; i < moves(); ++i)
    for (Index j = 0; j <= i; ++j) M(i, j) = M(j, i) = energy(i, j) - single[i] - single[j] + still;
  return M;
}

void EquilibriumEquations::go_back(const CanonicalState& state) {
  state_ = state;
  set_out();
}

bool EquilibriumEquations::go(const VectorXd& z) {
  VectorXd there;
  if (!accelerations(z, there)) return false;
  state_ = moved_;
  for (std::size_t t = 0; t < offsets_.size(); ++t) offsets_[t] += z[equations() + static_cast<Index>(t)];
  set_out();
  return true;
}

std::unique_ptr<Probe> EquilibriumEquations::make_probe(std::span<const double> offsets) {
  varied_.set(offsets);
  SolverPointer solver = solver_ ? std::move(solver_) : make_(varied_.view());
  return std::make_unique<Probe>(system_, varied_.view(), system_.start_time(), choice_, state_, std::move(solver),
                                 no_outputs_);
}

/// The moves that nonholonomic constraints allow.
void EquilibriumEquations::find_directions() {
  const Index positions = static_cast<Index>(choice_.positions());
  directions_ = MatrixXd::Identity(positions, moves());
  if (positions == moves()) return;
  ClosedStates closed(varied_.view(), system_.start_time(), choice_, state_);
  const ChartRates chart(varied_.view(), state_);
  std::vector<double> deviation(closed.size()), rates(names_.size()), still(names_.size());
  CanonicalState s;
  if (!closed.place(deviation, s)) fail(closed.failure());
  chart.evaluate(s, still);
  for (Index k = 0; k < moves(); ++k) {
    deviation[static_cast<std::size_t>(positions + k)] = 1;
    if (!closed.place(deviation, s)) fail(closed.failure());
    deviation[static_cast<std::size_t>(positions + k)] = 0;
    chart.evaluate(s, rates);
    for (Index i = 0; i < positions; ++i) {
      const std::size_t c = choice_.position.independent[static_cast<std::size_t>(i)];
      directions_(i, k) = rates[c] - still[c];
    }
  }
}

std::vector<double> EquilibriumEquations::deviation_of(const VectorXd& z) const {
  const Index positions = static_cast<Index>(choice_.positions());
  std::vector<double> deviation(static_cast<std::size_t>(positions + equations()));
  if (directions_.size() > 0) Eigen::Map<VectorXd>(deviation.data(), positions) = directions_ * z.head(moves());
  for (Index k = 0; k < states(); ++k) deviation[static_cast<std::size_t>(positions + moves() + k)] = z[moves() + k];
  return deviation;
}

}  // namespace polyform::host::linearization
