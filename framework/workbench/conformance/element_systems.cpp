#include "framework/workbench/conformance/element_systems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "framework/workbench/conformance/agreement.hpp"
#include "framework/workbench/conformance/energy.hpp"
#include "framework/workbench/conformance/larger.hpp"
#include "framework/workbench/conformance/model_state.hpp"
#include "framework/workbench/conformance/observed.hpp"
#include "polyform/contract/rows_by_formulas.hpp"
#include "polyform/mechanics/scale.hpp"

namespace polyform::host::inline conformance {

namespace {

/// The observation of the first formulation that runs a case; it is found when it is first asked for.
class Expected {
 public:
  Expected(const Case& one, const Bench& bench) : case_(one), bench_(bench) {}
  Observed& seen() {
    if (!seen_) {
      seen_ = std::make_unique<Observed>(*bench_.formulations_for(case_.sample.view()).front(), case_.sample.view(),
                                         case_.state);
      undetermined_ = undetermined_joints(*case_.sample.system);
    }
    return *seen_;
  }
  const std::set<std::size_t>& undetermined() const { return undetermined_; }

 private:
  const Case& case_;
  const Bench& bench_;
  std::unique_ptr<Observed> seen_;
  std::set<std::size_t> undetermined_;
};

/// Rates of the first-order states, by a small step along the solver's derivative.
double state_rate_difference(Observed& a, Observed& b, std::size_t states) {
  if (states == 0) return 0;
  constexpr double h = 1e-6;
  const auto moved = [](Observed& o) {
    std::vector<double> y = o.y(), rate(y.size());
    require(o.solver().derivative(0, y, rate), o.solver(), "the solver", "derivative");
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += h * rate[i];
    return std::vector<double>(o.at(y).x.begin(), o.at(y).x.end());
  };
  const std::vector<double> xa = moved(a), xb = moved(b);
  double worst = 0;
  for (std::size_t i = 0; i < states; ++i) worst = larger(worst, std::abs(xa[i] - xb[i]) / h / (1 + std::abs(xa[i])));
  a.at(a.y());
  return worst;
}

/// Rounding of accelerations if large forces hold each other: 64 roundings of the accelerations that the loads would
/// give the bodies alone, m/s².
double rounding_of_loads(const SystemView& view, const State& s) {
  constexpr double roundings = 64 * std::numeric_limits<double>::epsilon();
  TreeKinematics tree(view);
  tree.evaluate(s.q.data(), s.v.data(), s.eta.data(), s.etadot.data());
  ForceSet forces(view);
  std::vector<Spatial> loads(view.frames());
  std::vector<double> efforts(view.nv), rates(view.states);
  forces.evaluate(0, tree.frames(), s.q, s.v, s.x, loads, efforts, rates);
  return roundings *
         SystemScales(view).of_system(tree.frames(), std::span(loads).first(view.bodies.size())).acceleration;
}

void see_case(const Formulation& formulation, const Case& one, Expected& expected, bool balanced, Measure& m) {
  const SystemView& view = one.sample.view();
  m.in_model(with_state(one.sample.text, view, one.state));
  Observed seen(formulation, view, one.state);
  const Difference d = difference(view, expected.seen().now(), seen.now(), expected.undetermined());
  m.see(d.motion, "positions or velocities differ from the first formulation's");
  m.see(d.coordinates, "joint coordinates differ from the first formulation's");
  m.see(d.acceleration, "accelerations differ from the first formulation's");
  m.see(d.reaction, "reactions differ from the first formulation's");
  m.see(d.energy, "energies differ from the first formulation's");
  if (balanced) {
    m.see(newton_euler_error(view, one.state, 0, seen.now()), "reactions do not balance the motion of the bodies");
    const double misfit = acceleration_misfit(view, 0, seen.now());
    m.see(misfit > 0 ? larger(0, misfit - rounding_of_loads(view, one.state)) : misfit,
          "accelerations leave what the joints allow");
  }
  // A difference over 1e-6 s has ten digits less.
  m.see(1e-4 * state_rate_difference(expected.seen(), seen, view.states), "rates of first-order states differ");
}

}  // namespace

namespace {

const JointType& any_joint(const Bench& bench, Random& random) {
  if (bench.joints().empty()) throw Undecided("no joint type is loaded to make models with");
  return *bench.joints()[static_cast<std::size_t>(random.integer(0, static_cast<int>(bench.joints().size()) - 1))].type;
}

constexpr int instance_tries = 8;
constexpr int other_draws = 8;  ///< of a system with constraint elements that stands singular

/// No formulation can tell the accelerations and multipliers of such a system from its rows.
bool stands_singular(const System& system) {
  return !(system.view().constraints.empty() && system.view().modules.empty()) &&
         system.count_constraints().redundant > 0;
}

}  // namespace

Sample flexible_model(const FlexibleBodyType& type, const Bench& bench, std::uint64_t seed) {
  return bench.sample(seed, [&](ModelWriter& writer, Random& random) {
    const JointType &root = any_joint(bench, random), &tip = any_joint(bench, random);
    const std::string flexible = writer.add_flexible_body(type.name(), type.fields()), rigid = writer.add_body();
    writer.add_joint("root", root.name(), root.fields(), "ground", flexible, {}, writer.attachment());
    writer.add_joint("tip", tip.name(), tip.fields(), flexible, rigid, {}, writer.attachment());
  });
}

Sample flexible_model(const Bench& bench, std::uint64_t seed) {
  for (const auto& [name, type] : bench.catalog().flexible_bodies) {
    try {
      return flexible_model(*type, bench, seed);
    } catch (const Undecided&) {
      continue;  // the next type may suit
    }
  }
  throw Undecided("no loaded flexible body makes such a model");
}

template <class Type>
std::vector<Case> cases_of(const Type& type, std::string_view section, const Bench& bench, int count, int instances,
                           bool loop) {
  std::vector<Case> cases;
  Random states(17);
  const auto draw = [&](int seed) {
    return bench.sample(static_cast<std::uint64_t>(seed), [&](ModelWriter& writer, Random& random) {
      std::vector<std::string> bodies;
      for (int b = 0; b < 3; ++b) {
        const JointType& joint = any_joint(bench, random);
        const std::string parent = b == 0 || random.coin() ? "ground" : bodies.back();
        bodies.push_back(writer.add_body());
        writer.add_joint(fmt::format("j{}", b), joint.name(), joint.fields(), parent, bodies.back());
      }
      if (loop) {
        const JointType& joint = any_joint(bench, random);
        writer.add_joint("c", joint.name(), joint.fields(), bodies.front(), bodies.back());
      }
      // One after the other: if few random instances fit, hardly ever do several fit at once.
      for (int k = 0; k < instances; ++k)
        for (int attempt = 1;; ++attempt) {
          const auto* const formulas = ask<RowsByFormulas>(type);
          if (formulas != nullptr)
            writer.add_rows_by_formulas(fmt::format("e{}", k), type.name(), type.fields(), *formulas);
          else
            writer.add_element(section, fmt::format("e{}", k), type.name(), type.fields());
          std::string complaint;
          if (instances == 1 || attempt == instance_tries || bench.assemble(writer.text(), complaint)) break;
          writer.remove_last_element(section);
        }
    });
  };
  for (int i = 0; i < count; ++i) {
    Sample sample = draw(40 + i);
    // Rows that ask nothing more at the drawn position say nothing of the type: a mechanism at its limit position, a
    // gear from a joint to itself. A type whose rows are always so keeps them.
    for (int other = 1; other <= other_draws && stands_singular(*sample.system); ++other)
      sample = draw(40 + i + 1000 * other);
    State state = random_state(*sample.system, states);
    cases.push_back({std::move(sample), std::move(state)});
  }
  return cases;
}
template std::vector<Case> cases_of(const ForceType&, std::string_view, const Bench&, int, int, bool);
template std::vector<Case> cases_of(const ConstraintType&, std::string_view, const Bench&, int, int, bool);
template std::vector<Case> cases_of(const ModuleType&, std::string_view, const Bench&, int, int, bool);

void check_in_formulations(const std::vector<Case>& cases, bool balanced, const Bench& bench, Checklist& list) {
  std::vector<Expected> expected;
  for (const Case& one : cases) expected.emplace_back(one, bench);
  for (const auto& entry : bench.catalog().formulations) {
    const auto& name = entry.first;
    const auto& formulation = entry.second;
    const std::string equal = fmt::format("in {}: equal accelerations, reactions and energies", name);
    const std::string power = fmt::format("in {}: the energy changes by the power", name);
    Diagnostics refusal;
    std::vector<std::size_t> able;
    for (std::size_t i = 0; i < cases.size(); ++i)
      if (can_run(*formulation, cases[i].sample.view(), refusal) && !stands_singular(*cases[i].sample.system))
        able.push_back(i);
    if (able.empty()) {
      const std::string why(refusal.all().empty()
                                ? "the rows of all random instances are dependent where they are drawn"
                                : refusal.all().front().message);
      list.unsupported(equal, why);
      list.unsupported(power, why);
      continue;
    }
    list.claim(equal, 1e-9,
               "when the checks above pass, the formulation is at fault: run polyform conform on its plugin",
               [&](Measure& m) {
                 for (const std::size_t i : able) see_case(*formulation, cases[i], expected[i], balanced, m);
               });
    if (std::ranges::all_of(able, [&](std::size_t i) { return cases[i].driven; })) {
      list.unsupported(power, "not applicable: the constraints do work of their own, which is no observable");
      continue;
    }
    list.claim(power, 1e-6, "the potential energy and the power that a type gives must be those of the forces it gives",
               [&](Measure& m) {
                 for (const std::size_t i : able) {
                   if (cases[i].driven) continue;
                   m.in_model(with_state(cases[i].sample.text, cases[i].sample.view(), cases[i].state));
                   m.see(power_error(*formulation, cases[i].sample.view(), cases[i].state), "dE/dt is not the power");
                 }
               });
  }
}

}  // namespace polyform::host::conformance
