// A formulation on random trees, loops and states.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "framework/host/evaluation/kernels_of.hpp"
#include "framework/workbench/conformance/agreement.hpp"
#include "framework/workbench/conformance/energy.hpp"
#include "framework/workbench/conformance/formulation_checks.hpp"
#include "framework/workbench/conformance/observed.hpp"
#include "polyform/solvers/one_model.hpp"

namespace polyform::host::inline conformance {

namespace {

constexpr int most_models = 12;
constexpr int many_bodies = 30;     ///< of one large tree among the small ones
constexpr double some_time = 0.37;  ///< another than zero, so that no function of time vanishes by chance, s

/// Whether a system is none that the formulation says it can run; the reason goes to `refused`.
bool refuses(const Formulation& formulation, const SystemView& view, std::string& refused) {
  Diagnostics refusal;
  if (can_run(formulation, view, refusal)) return false;
  refused = refusal.all().empty() ? "it gives no reason" : refusal.all().front().message;
  return true;
}

std::vector<Case> systems_of(const Formulation& formulation, const Bench& bench, RandomModelSettings settings,
                             int count, std::string& refused) {
  std::vector<Case> cases;
  Random states(settings.seed);
  const int loops = settings.loops;
  for (int i = 0; i < count; ++i, ++settings.seed) {
    settings.loops = loops * (1 + i % 2);
    Sample sample = bench.random_model(settings);
    if (refuses(formulation, sample.view(), refused)) continue;
    State state = random_state(*sample.system, states);
    if (i % 2 == 1) add_turns(sample.view(), state, states);
    cases.push_back({std::move(sample), std::move(state), some_time});
  }
  return cases;
}

/// The author's model becomes one of the trees or loops.
void add_example(const Formulation& formulation, Sample example, Systems& systems, Checklist& list) {
  list.prepare("it runs the model given", "supports() refuses it", [&](Measure& m) {
    const SystemView& view = example.view();
    if (view.nodes.size() + view.constraints.size() + view.modules.size() + view.modes > 0)
      throw Undecided("only systems of rigid bodies, joints and forces are tried beside the random ones");
    std::string refused;
    m.see(refuses(formulation, view, refused) ? 1 : 0, refused);
    if (!m.good()) return;
    Random random(79);
    State state = random_state(*example.system, random);
    std::vector<Case>& kind = view.cut_joints().empty() ? systems.trees : systems.loops;
    kind.push_back({std::move(example), std::move(state), some_time});
  });
}

}  // namespace

void see_agreement(const Formulation& formulation, const Case& one, const Bench& bench, Witnesses& witnesses,
                   Measure& m) {
  const SystemView& view = one.sample.view();
  Observed seen(formulation, view, one.state, one.time);
  const std::set<std::size_t> open = undetermined_joints(*one.sample.system);
  for (const Formulation* other : bench.formulations_for(view)) {
    if (other == &formulation) continue;
    Observed expected(*other, view, one.state, one.time);
    witnesses.add(other->name(), kernels_of(seen.solver()), kernels_of(expected.solver()));
    const Difference d = difference(view, expected.now(), seen.now(), open);
    const auto say = [&](const char* what) {
      return [=] { return fmt::format("{} differ from {}'s", what, other->name()); };
    };
    m.see(d.motion, say("positions or velocities"));
    m.see(d.coordinates, say("joint coordinates"));
    m.see(d.acceleration, say("accelerations"));
    if (has(formulation.abilities() & other->abilities(), Ability::reactions)) m.see(d.reaction, say("reactions"));
    m.see(d.energy, say("energies"));
  }
  if (m.seen() == 0) throw Undecided("no other formulation is loaded that runs the random models");
}

void see_finite(const Formulation& formulation, const SystemView& view, const State& state, double time, Measure& m) {
  Observed seen(formulation, view, state, time);
  m.see(is_finite(seen.now()) ? 0 : 1, not_finite);
  std::vector<double> ydot(seen.y().size());
  require(seen.solver().derivative(time, seen.y(), ydot), seen.solver(), formulation.name(), "derivative");
  for (std::size_t i = 0; i < ydot.size(); ++i)
    m.see(std::isfinite(ydot[i]) ? 0 : 1, [i] { return fmt::format("dy/dt is no finite number at place {}", i); });
}

void see_rates(const Formulation& formulation, const Case& one, Measure& m) {
  Observed seen(formulation, one.sample.view(), one.state, one.time);
  std::vector<double> ydot(seen.y().size());
  require(seen.solver().derivative(one.time, seen.y(), ydot), seen.solver(), formulation.name(), "derivative");
  constexpr double h = 1e-6;
  const auto moved = [&](double by) {
    std::vector<double> y = seen.y();
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += by * ydot[i];
    const Observation& o = seen.at(y);
    return std::pair(std::vector<Observation::Body>(o.bodies.begin(), o.bodies.end()), copy_of(o.state()));
  };
  const auto [ahead, state_ahead] = moved(h);
  const auto [behind, state_behind] = moved(-h);
  const auto [now, state] = moved(0);
  for (std::size_t i = 0; i < now.size(); ++i) {
    const auto &a = ahead[i], &b = behind[i], &n = now[i];
    const auto error = [&](const Vec3& slope, const Vec3& rate) { return norm(slope - rate) / (1 + norm(rate)); };
    const auto slope = [&](const Vec3& x, const Vec3& y) { return (0.5 / h) * (x - y); };
    const auto body = [&](const char* what) {
      return [&, what] { return fmt::format("{} of body {}", what, one.sample.view().bodies[i].name); };
    };
    m.see(error(slope(a.pose.position, b.pose.position), n.velocity), body("velocity"));
    m.see(error((0.5 / h) * rotation_vector(a.pose.orientation * conjugate(b.pose.orientation)), n.angular_velocity),
          body("angular velocity"));
    m.see(error(slope(a.velocity, b.velocity), n.acceleration), body("acceleration"));
    m.see(error(slope(a.angular_velocity, b.angular_velocity), n.angular_acceleration), body("angular acceleration"));
  }
  const auto compare = [&](const std::vector<double>& x, const std::vector<double>& y, std::span<const double> rates,
                           const char* what) {
    for (std::size_t i = 0; i < x.size(); ++i)
      m.see(std::abs((0.5 / h) * (x[i] - y[i]) - rates[i]) / (1 + std::abs(rates[i])), what);
  };
  std::vector<double> qdot(state.q.size());
  for (const JointData& joint : one.sample.view().joints)
    joint_position_rates(joint, state.q.data() + joint.q_offset, state.v.data() + joint.v_offset,
                         qdot.data() + joint.q_offset);
  compare(state_ahead.q, state_behind.q, qdot, "rates of joint coordinates");
  compare(state_ahead.eta, state_behind.eta, state.etadot, "rates of modes");
  compare(state_ahead.etadot, state_behind.etadot, seen.now().modal_acceleration, "accelerations of modes");
  compare(state_ahead.x, state_behind.x, seen.now().state_rates, "rates of first-order states");
}

void see_round_trip(const Formulation& formulation, const Case& one, Measure& m) {
  const SystemView& view = one.sample.view();
  Observed seen(formulation, view, one.state);
  ObservationStore store(view);
  require(seen.solver().decode(seen.y(), store.now().state()), seen.solver(), formulation.name(), "decode");
  const StateView& s = store.now().state();
  const auto compare = [&](std::span<const double> a, std::span<const double> b, std::size_t count, const char* what) {
    for (std::size_t i = 0; i < count; ++i) m.see(std::abs(a[i] - b[i]) / (1 + std::abs(a[i])), what);
  };
  compare(one.state.q, s.q, view.nq_tree, "coordinates");
  compare(one.state.v, s.v, view.nv_tree, "velocities");
  compare(one.state.eta, s.eta, one.state.eta.size(), "modes");
  compare(one.state.etadot, s.etadot, one.state.etadot.size(), "rates of modes");
  compare(one.state.x, s.x, view.states, "first-order states");
}

void check_mechanics(const Formulation& formulation, const Systems& systems, const Bench& bench, Checklist& list) {
  for (const bool loops : {false, true}) {
    const std::string_view kind = loops ? "loops" : "trees";
    const std::vector<Case>&cases = loops ? systems.loops : systems.trees,
          &free = loops ? systems.free_loops : systems.free_trees;
    claim_on(cases, kind, "everything observed is a finite number, and so is dy/dt", 0,
             "observe() and derivative() must fill all of their output: of a system without loops too, with redundant "
             "rows too",
             list,
             [&](const Case& one, Measure& m) { see_finite(formulation, one.sample.view(), one.state, one.time, m); });
    claim_agreement(formulation, cases, kind,
                    "motion, accelerations, reactions and energies are those of the other formulations",
                    "the claims below tell what is wrong by itself", bench, list);
    if (has(formulation.abilities(), Ability::reactions))
      claim_on(cases, kind, "the reactions balance the motion of every body", 1e-9,
               "reactions are on the moving body, at M, in ground axes, joint efforts included", list,
               [&](const Case& one, Measure& m) {
                 Observed seen(formulation, one.sample.view(), one.state, one.time);
                 m.see(newton_euler_error(one.sample.view(), one.state, one.time, seen.now()),
                       "Newton's and Euler's equations are not met");
               });
    claim_on(cases, kind, "the accelerations are what the joints allow", 1e-9,
             "bias terms of joints, or accelerations of frame origins in place of mass centres", list,
             [&](const Case& one, Measure& m) {
               Observed seen(formulation, one.sample.view(), one.state, one.time);
               m.see(acceleration_misfit(one.sample.view(), one.time, seen.now()), "a joint is left");
             });
    claim_on(cases, kind, "velocities and accelerations are the rates along dy/dt", 1e-6,
             "derivative() and observe() must be of one motion", list,
             [&](const Case& one, Measure& m) { see_rates(formulation, one, m); });
    claim_on(
        cases, kind, "positions follow from velocities as it says", 1e-8,
        "kinds() tells what each number of y is; position_rates() gives what derivative() gives for the positions, at "
        "the same y",
        list, [&](const Case& one, Measure& m) { see_second_order(formulation, one, m); });
    claim_on(cases, kind, "worlds in lanes move as they do alone", 1e-10,
             "BatchEvaluation::evaluate() gives what derivative() of each world gives, to rounding, and each lane "
             "depends on its own world alone",
             list, [&](const Case& one, Measure& m) { see_batch(formulation, one, m); });
    claim_on(cases, kind, "its discrete state is constant but in encode() and correct(), and can be put back", 1e-9,
             "what derivative(), observe() and decode() find out on their way is no discrete state; what the future "
             "depends on is in y or in the values that the host keeps",
             list, [&](const Case& one, Measure& m) { see_discrete(formulation, one, m); });
    claim_on(cases, kind, "the state goes to y and back", 1e-10, "encode() and decode() must be inverse to each other",
             list, [&](const Case& one, Measure& m) { see_round_trip(formulation, one, m); });
    check_correction(formulation, cases, kind, list);
    claim_on(cases, kind, "the energy changes by the power", 1e-6, "power is that of forces without potential, W", list,
             [&](const Case& one, Measure& m) {
               m.see(power_error(formulation, one.sample.view(), one.state, one.time), "dE/dt is not the power");
             });
    claim_on(free, kind, "energy is kept without forces", 1e-7,
             "accelerations are wrong, or correct() changes the motion", list, [&](const Case& one, Measure& m) {
               const double duration = bench.duration(0.1);
               m.see(energy_drift(formulation, one.sample.view(), one.state, bench.integrator(), duration),
                     [&] { return fmt::format("within {:g} s", duration); });
             });
  }
}

void check_formulation(const Formulation& formulation, Sample example, const Bench& bench, Checklist& list) {
  if (const auto* const one = ask<OneModel>(formulation)) {
    list.unsupported(
        "it is checked on random models",
        fmt::format("not applicable: a solver of one model alone ({}) is compared on that with the others: "
                    "polyform compare MODEL --plugin-path PLUGIN",
                    one->model));
    return;
  }
  Systems systems;
  std::string refused;
  const auto prepare = [&](Measure&) {
    const auto some = [&](const RandomModelSettings& settings, int count) {
      return systems_of(formulation, bench, settings, count, refused);
    };
    const int count = bench.count(most_models);
    systems = {some({100, 6, 0, true}, count), some({200, 5, 1, true}, count), some({300, 4, 0, false}, count),
               some({400, 4, 1, false}, count)};
    std::ranges::move(some({150, many_bodies, 0, false}, 1), std::back_inserter(systems.trees));
  };
  constexpr std::string_view need = "load plugins with joints of which random instances can be made";
  if (!list.prepare("random trees and loops are made", "report this to the author of the joints", prepare, need))
    return;
  if (example.system) add_example(formulation, std::move(example), systems, list);
  if (!list.prepare("it runs some of them",
                    "supports() refuses too much; or, where the formulation is for systems of a kind that random ones "
                    "are not, give one of that kind: polyform conform PLUGIN --model FILE",
                    [&](Measure& m) {
                      m.see(systems.none() ? 1 : 0,
                            [&] { return "it refuses all, and nothing is checked: " + refused; });
                    }))
    return;
  check_mechanics(formulation, systems, bench, list);
  check_kernels(formulation, systems, list);
  check_options(formulation, systems, list);
  check_abilities_of(formulation, bench, list);
  check_calls(formulation, systems, bench, list);
}

}  // namespace polyform::host::conformance
