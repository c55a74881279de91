#include "framework/host/simulation/run_motion.hpp"

#include <algorithm>

#include "framework/diagnostics.hpp"
#include "framework/host/evaluation/solver_failure.hpp"
#include "framework/host/evaluation/state_encoding.hpp"
#include "framework/host/simulation/run_rows.hpp"
#include "framework/original_process.hpp"

namespace polyform::host::inline simulation {

namespace {

// How much wider the way across an event becomes, each time that a state beside it has no rates.
constexpr double wider = 8;

UnilateralUse use_by(const IntegratorChoice& integrator) {
  return integrator.type != nullptr && UnilateralSystem::is_used_by(*integrator.type) ? UnilateralUse::steps
                                                                                      : UnilateralUse::events;
}

}  // namespace

RunMotion::RunMotion(const SystemView& view, double t, const ConstStateView& start, Solver& solver,
                     const IntegratorChoice& integrator, const StepSettings& settings)
    : solver_(solver),
      equations_(solver, view),
      touching_(view, t, start, solver, equations_, use_by(integrator)),
      stepped_(view, t, start, solver, use_by(integrator)),
      driven_(equations_, touching_, stepped_),
      integrator_(driven_, integrator, settings),
      states_(solver.state_size()),
      y_(equations_.size()),
      rates_(equations_.size()),
      moved_rates_(equations_.size()),
      ahead_(equations_.size()) {}

void RunMotion::begin(double t, const ConstStateView& start) {
  encode_start(t, solver_, start, solver_states());
  if (!touching_.empty()) touching_.renew(t, y_);
  integrator_.start(t, y_);
  begun_ = true;
}

void RunMotion::begin_from(const RunState& from) {
  auto* const discrete = ask<DiscreteState>(solver_);
  if (from.y.size() != y_.size() ||
      (discrete == nullptr ? !from.discrete.empty() : discrete->set(from.discrete) != Status::ok) ||
      !(stepped_.empty() ? touching_.begin_from(from) : stepped_.begin_from(from)))
    throw Failure(Exit::simulation_failed, "a state of another model cannot be set");
  std::ranges::copy(from.y, y_.begin());
  integrator_.start(from.time, y_);
  begun_ = true;
}

void RunMotion::keep(double t, RunState& out) const {
  out.time = t;
  out.y.assign(y_.begin(), y_.end());
  if (const auto* const discrete = ask<DiscreteState>(solver_))
    out.discrete.assign(discrete->values().begin(), discrete->values().end());
  stepped_.empty() ? touching_.keep(out) : stepped_.keep(out);
}

void RunMotion::stand_at(double t) {
  if (!integrator_.state_at(t, y_)) fail();
}

void RunMotion::correct(double t) {
  if (!driven_.correct(t, y_)) fail_solver(t, driven_.failure());
}

void RunMotion::begin_anew(double t, double first_step) {
  stand_at(t);
  begin_anew_from_state(t, first_step);
}

void RunMotion::begin_anew_from_state(double t, double first_step) {
  correct(t);
  integrator_.restart(t, y_, first_step);
}

/// The forces of contacts that an integrator carries in its steps are impulses divided by the last step, however short
/// it was. They would act again on the way across, so there they are left out.
bool RunMotion::find_rates(double t, std::span<double> y, std::span<double> rates) {
  if (stepped_.empty()) return driven_.derivative(t, y, rates);
  without_contacts_.assign(y.begin(), y.end());
  stepped_.put_forces({}, without_contacts_);
  return driven_.derivative(t, without_contacts_, rates);
}

/// Stands where the way across begins, with its rates; the time of that.
double RunMotion::begin_with_rates(const Crossing& way) {
  const double earliest = std::max(integrator_.previous_time(), way.event - way.widest);
  double t = way.begin;
  for (double back = std::max(way.end - way.begin, 0.0);; back *= wider) {
    stand_at(t);
    correct(t);
    if (find_rates(t, y_, rates_)) return t;
    if (!(t > earliest) || !(back > 0)) fail_solver(t, driven_.failure());
    t = std::max(earliest, way.event - back);
  }
}

/// Where a body hardly moves, the way from the beginning to the event is shorter than the last digit of its place, and
/// is lost in the sum: nothing would happen, again and again. Then the state is the one in which the event was seen,
/// out of the last step.
void RunMotion::go_to_event(const Crossing& way) {
  const double begin = begin_with_rates(way);
  if (way.as_seen && begin == way.begin && way.event <= integrator_.time() && integrator_.state_at(way.event, ahead_))
    std::ranges::copy(ahead_, y_.begin());
  else
    go_on(way.event - begin);
}

void RunMotion::go_on(double length) {
  for (std::size_t i = 0; i < y_.size(); ++i) y_[i] += length * rates_[i];
}

void RunMotion::cross(const Crossing& way, double first_step) {
  if (!(way.end > way.begin)) return begin_anew(way.begin, first_step);
  go_to_event(way);
  const double last = std::min(way.limit, way.event + way.widest);
  double end = way.end;
  for (double length = end - way.event;; length *= wider) {
    for (std::size_t i = 0; i < y_.size(); ++i) ahead_[i] = y_[i] + (end - way.event) * rates_[i];
    const bool has_rates = find_rates(end, ahead_, moved_rates_);
    if (has_rates) rates_.swap(moved_rates_);
    if (has_rates || !(end < last) || !(length > 0)) break;
    end = std::min(last, way.event + length);
  }
  go_on(end - way.event);
  begin_anew_from_state(end, first_step);
}

void RunMotion::step(double t_limit) {
  const bool stepped = integrator_.step(t_limit);
  end_copies();
  if (!stepped) fail();
}

/// An integrator passes on why its contacts failed; what to do about that stands with them.
void RunMotion::fail() const {
  const std::string why(integrator_.failure());
  const bool by_contacts = !stepped_.failure().empty() && why.find(stepped_.failure()) != std::string::npos;
  throw Failure(Exit::simulation_failed, why, by_contacts ? stepped_.remedy() : std::string());
}

}  // namespace polyform::host::inline simulation
