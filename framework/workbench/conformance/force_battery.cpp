// A force by itself: power, frames, batches; then in every formulation.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/workbench/conformance/batteries.hpp"
#include "framework/workbench/conformance/canaries.hpp"
#include "framework/workbench/conformance/derivative_checks.hpp"
#include "framework/workbench/conformance/discrete_checks.hpp"
#include "framework/workbench/conformance/element_systems.hpp"
#include "framework/workbench/conformance/event_checks.hpp"
#include "framework/workbench/conformance/force_probe.hpp"
#include "framework/workbench/conformance/larger.hpp"
#include "framework/workbench/conformance/law_checks.hpp"
#include "framework/workbench/conformance/measured_rate.hpp"
#include "framework/workbench/conformance/output_checks.hpp"
#include "framework/workbench/conformance/redrawing.hpp"
#include "polyform/contract/type_variants.hpp"

namespace polyform::host::inline conformance {

namespace {

void check_power(const ForceType&, const std::vector<Case>& cases, Checklist& list) {
  list.claim(
      "what it delivers is its power less the rate of its potential energy", 1e-7,
      "the sum of wrench times twist and effort times velocity must be power - d(potential_energy)/dt, through the "
      "rates of first-order states and time too",
      [&](Measure& m) {
        on_load_paths(cases, m, [&](const Case& one, Path& path, const ForceInstances& group) {
          const auto batch = make_loads(*group.type, group.instances);
          const auto at = [&](double t) {
            path.go(t);
            return joined(inputs(one, path, t));
          };
          const BatchInput now = at(0);
          const Load load = loads_of(*batch, now);
          double delivered = 0, moved = 0;  // the sum, and that of the sizes: what the force itself does, however weak
          const auto deliver = [&](double power) { delivered += power, moved += std::abs(power); };
          for (std::size_t i = 0; i < now.markers.size(); ++i) {
            deliver(dot(load.wrenches[i].angular, now.markers[i].angular_velocity));
            deliver(dot(load.wrenches[i].linear, now.markers[i].velocity));
          }
          for (std::size_t i = 0; i < now.v.size(); ++i) deliver(load.efforts[i] * now.v[i]);
          const auto stored = [&](double t) { return loads_of(*batch, at(t)).potential_energy; };
          const double error = rate_error(load.power - delivered, larger({moved, std::abs(load.power)}), 1e-7, stored);
          m.see(error,
                [&] { return fmt::format("{:.6g} W are delivered, the power is {:.6g} W", delivered, load.power); });
        });
      });
}

/// Calls body(instance, input, load of all instances in its system) for each instance of all cases.
template <class Body>
void on_loads(const std::vector<Case>& cases, Measure& m, Body body) {
  on_load_paths(cases, m, [&](const Case& one, Path& path, const ForceInstances& group) {
    const std::vector<BatchInput> all = inputs(one, path, 0);
    const Load beside = loads_of(*make_loads(*group.type, group.instances), joined(all));
    for (std::size_t i = 0; i < all.size(); ++i) body(group.instances[i], all[i], beside);
  });
}

/// Where three states begin that are a vector in ground axes, which turns with the system: their names end in _x, _y
/// and _z.
std::vector<std::size_t> vector_states(const ForceType& type) {
  const Strided<const Variable> states = type.descriptor().states;
  std::vector<std::size_t> firsts;
  for (std::size_t i = 0; i + 2 < states.size(); ++i)
    if (states[i].name.ends_with("_x") && states[i + 1].name.ends_with("_y") && states[i + 2].name.ends_with("_z"))
      firsts.push_back(i);
  return firsts;
}

void turn_vector(const Mat3& R, std::span<double> states, std::size_t first) {
  const Vec3 turned = R * Vec3{states[first], states[first + 1], states[first + 2]};
  std::copy_n(&turned.x, 3, states.begin() + static_cast<std::ptrdiff_t>(first));
}

/// If nothing slips, the rates of such vectors and the power that they take are rounding, and nothing tells their size:
/// their effect on the wrenches is compared instead.
void clear_vectors(Load& load, std::span<const std::size_t> firsts) {
  for (const std::size_t first : firsts) std::fill_n(load.rates.begin() + static_cast<std::ptrdiff_t>(first), 3, 0.0);
  if (!firsts.empty()) load.power = 0;
}

void check_frames(const ForceType& type, const std::vector<Case>& cases, Checklist& list) {
  constexpr std::string_view turns = "wrenches turn with the frame, all else stays";
  constexpr std::string_view balances = "what it puts on its markers cancels";
  const std::size_t markers = cases.front().sample.view().forces[0].instances[0].markers.size();
  const auto type_of = [&](const ElementInstance& instance) -> const ForceType& {
    const auto* const variants = ask<TypeVariants>(type);
    return variants != nullptr ? *variants->variant(instance.fields) : type;
  };
  const auto load_of = [&](const ElementInstance& instance, const BatchInput& in) {
    return loads_of(*make_loads(type_of(instance), std::span(&instance, 1)), in);
  };
  claim_drawn_axes(type, markers, list, [&](Measure& m, auto see) {
    on_loads(cases, m, [&](const ElementInstance& read, const BatchInput& in, const Load& beside) {
      see(read, in, load_of, [&](const Load& a, const Load& b) { return difference(a, b, beside); });
    });
  });
  if (markers == 0) {
    list.unsupported(turns, "not applicable: it has no markers");
    list.unsupported(balances, "not applicable: it has no markers");
    return;
  }
  std::vector<double> errors;  // of each instance
  std::string tied;
  const auto see_turns = [&](Measure& m) {
    Random random(23);
    errors.clear();
    on_loads(cases, m, [&](const ElementInstance& read, const BatchInput& in, const Load& beside) {
      const Mat3 R = rotation_matrix(random.quaternion());
      Load expected = load_of(read, in);
      for (Spatial& w : expected.wrenches) w = {R * w.angular, R * w.linear};
      const std::vector<std::size_t> vectors = vector_states(type_of(read));
      clear_vectors(expected, vectors);
      const auto error_of = [&](const ElementInstance& instance, BatchInput there) {
        for (const std::size_t first : vectors) turn_vector(R, there.states, first);
        Load found = load_of(instance, there);
        clear_vectors(found, vectors);
        return difference(expected, found, beside);
      };
      errors.push_back(see_turned(type, read, in, R, random.vector(2), error_of, tied, m));
    });
    if (m.seen() == 0) throw Undecided(tied_by(tied));
  };
  list.claim(turns, 1e-9, turn_with_markers, see_turns);
  if (markers < 2) {
    list.unsupported(balances, "not applicable: it has one marker");
    return;
  }
  list.claim(balances, 1e-9, turn_with_markers, [&](Measure& m) {
    if (errors.empty()) see_quietly(see_turns);  // where the claim before was known already
    std::size_t i = 0;
    const bool is_tied = std::ranges::any_of(type.fields(), &FieldSpec::tied_to_ground);
    on_loads(cases, m, [&](const ElementInstance& read, const BatchInput& in, const Load& beside) {
      const Load load = load_of(read, in);
      ElementInstance weightless = read;
      weightless.gravity = {};
      const bool may_hold_on = is_tied || difference(load, load_of(weightless, in), beside) > 0;
      if (may_hold_on && !(errors[i] <= 1e-9)) return void(++i);  // ground or gravity takes its part
      ++i;
      Spatial sum;
      double scale = 0;
      for (std::size_t k = 0; k < in.markers.size(); ++k) {
        const Spatial& w = load.wrenches[k];
        sum += {w.angular + cross(in.markers[k].position, w.linear), w.linear};
      }
      for (const Spatial& w : beside.wrenches) scale = larger({scale, norm(w.linear), norm(w.angular)});
      m.see(relative(larger(norm(sum.linear), norm(sum.angular)), scale), "action is not reaction");
    });
    if (m.seen() == 0) throw Undecided(tied_by(tied));
  });
}

void check_batches(const ForceType& type, const std::vector<Case>& cases, Checklist& list) {
  list.claim("instances in one batch give what each gives alone, in any order", 1e-12,
             "evaluate() must read markers, q, v and states of its own instance, and write its own", [&](Measure& m) {
               on_load_paths(cases, m, [&](const Case& one, Path& path, const ForceInstances& group) {
                 const std::vector<BatchInput> parts = inputs(one, path, 0);
                 const std::vector<BatchInput> backwards(parts.rbegin(), parts.rend());
                 const std::vector<ElementInstance> turned(group.instances.rbegin(), group.instances.rend());
                 Load alone, alone_backwards;
                 const auto append = [](Load& to, const Load& from) {
                   to.wrenches.insert(to.wrenches.end(), from.wrenches.begin(), from.wrenches.end());
                   to.efforts.insert(to.efforts.end(), from.efforts.begin(), from.efforts.end());
                   to.rates.insert(to.rates.end(), from.rates.begin(), from.rates.end());
                   to.potential_energy += from.potential_energy;
                   to.power += from.power;
                 };
                 for (std::size_t i = 0; i < parts.size(); ++i) {
                   append(alone, loads_of(*make_loads(*group.type, group.instances.subspan(i, 1)), parts[i]));
                   append(alone_backwards,
                          loads_of(*make_loads(*group.type, std::span(turned).subspan(i, 1)), backwards[i]));
                 }
                 m.see(largest_difference(alone.numbers(),
                                          loads_of(*make_loads(*group.type, group.instances), joined(parts)).numbers()),
                       "in the order of the model");
                 m.see(largest_difference(alone_backwards.numbers(),
                                          loads_of(*make_loads(*group.type, turned), joined(backwards)).numbers()),
                       "in the reverse order");
               });
             });
  claim_own_data(
      &type, cases, list, [&](const Case& one) { return loads_in(one); },
      [](const Case& one) {
        Random random(19);
        return joined(inputs(one, Path(one.sample.view(), one.state, random), 0));
      },
      [](ForceBatch& batch, const Case&, const BatchInput& in) { return loads_of(batch, in).numbers(); });
  list.claim("the same input gives the same output", 0, "evaluate() must keep nothing between calls", [&](Measure& m) {
    on_load_paths(cases, m, [&](const Case& one, Path& path, const ForceInstances& group) {
      const auto batch = make_loads(*group.type, group.instances);
      const BatchInput now = joined(inputs(one, path, 0));
      path.go(0.05);
      const BatchInput later = joined(inputs(one, path, 0.05));
      const Load first = loads_of(*batch, now);
      loads_of(*batch, later);
      m.see(first == loads_of(*batch, now) ? 0 : 1, "a call between two equal ones changes the second");
    });
  });
}

void check_finite(const ForceType&, const std::vector<Case>& cases, Checklist& list) {
  list.claim(
      "everything it gives is a finite number, rates of all first-order states too", 0,
      "guard divisions by lengths and speeds that may be zero; write every entry of state_rates", [&](Measure& m) {
        on_load_paths(cases, m, [&](const Case& one, Path& path, const ForceInstances& group) {
          const auto batch = make_loads(*group.type, group.instances);
          for (const double t : {0.0, 0.1, 0.3}) {
            path.go(t);
            const Load load = loads_of(*batch, joined(inputs(one, path, t)));
            m.see(all_finite(load.numbers()) ? 0 : 1, "at a random state");
          }
          for (const double speed : {0.0, 1.0}) {
            const BatchInput drawn = joined(inputs_as_drawn(one, speed));
            m.see(all_finite(loads_of(*batch, drawn).numbers()) ? 0 : 1,
                  speed == 0 ? "as drawn, at rest" : "as drawn, in motion");
          }
          BatchInput special = joined(inputs(one, path, 0.3));
          for (MarkerMotion& marker : special.markers) marker.velocity = marker.angular_velocity = {};
          std::ranges::fill(special.v, 0.0);
          m.see(all_finite(loads_of(*batch, special).numbers()) ? 0 : 1, "at rest");
          for (MarkerMotion& marker : special.markers) marker.position = special.markers.front().position;
          m.see(all_finite(loads_of(*batch, special).numbers()) ? 0 : 1, "at rest, with all markers in one place");
        });
      });
}

void check_allocation(const ForceType&, const std::vector<Case>& cases, Checklist& list) {
  claim_no_allocation(list, evaluate_allocates_nothing, make_memory_before, [&](Measure& m) {
    on_load_paths(cases, m, [&](const Case& one, Path& path, const ForceInstances& group) {
      see_allocations(loads_of(*make_loads(*group.type, group.instances), joined(inputs(one, path, 0))).allocations, m);
    });
  });
}

/// The outputs of one instance in the order of a column of DerivativeShape.
std::vector<double> outputs_of(ForceBatch& batch, const BatchInput& in) {
  const Load load = loads_of(batch, in);
  std::vector<double> all;
  for (const Spatial& w : load.wrenches)
    for (std::size_t k = 0; k < 6; ++k) all.push_back(w[k]);
  all.insert(all.end(), load.efforts.begin(), load.efforts.end());
  all.insert(all.end(), load.rates.begin(), load.rates.end());
  return all;
}

/// For a type that offers derivatives.
void check_derivatives(const ForceType& type, const std::vector<Case>& cases, Checklist& list) {
  const auto loads = loads_in(cases.front());
  if (ask<GivenDerivatives>(*loads) == nullptr) return;
  list.claim(
      "the derivatives that it gives are those of its output", 1e-5,
      "see contract/given_derivatives.hpp for the order of rows and columns; return false where they are not known",
      [&](Measure& m) {
        on_load_paths(cases, m, [&](const Case& one, Path& path, const ForceInstances& group) {
          const SystemView& view = one.sample.view();
          std::size_t first = 0;
          const std::vector<BatchInput> all = inputs(one, path, 0);
          for (std::size_t i = 0; i < all.size(); ++i) {
            const auto batch = make_loads(*group.type, group.instances.subspan(i, 1));
            std::vector<const JointData*> joints;
            for (std::size_t k = 0; k < group.instances[i].joints.size(); ++k)
              joints.push_back(&view.joints[at(group.joints[first + k])]);
            first += joints.size();
            const DerivativeShape shape = shape_of(type, group.instances[i], joints);
            Canaries given;
            std::vector<double> zeros(shape.inputs() * shape.outputs());
            const std::span<double> matrix = given.numbers("matrices", zeros);
            const bool known = ask<GivenDerivatives>(*batch)->differentiate(all[i].view(), matrix);
            given.check("differentiate()");
            if (!known) continue;
            const std::vector<double> found(matrix.begin(), matrix.end());
            const auto outputs = [&](const BatchInput& in) { return outputs_of(*batch, in); };
            m.see(matrix_difference(shape, found, differences(shape, joints, all[i], outputs)), "at a random state");
          }
        });
        if (m.seen() == 0) throw Undecided("it gives no derivatives at any of the states");
      });
}

/// For a type that tells its law.
void check_law(const std::vector<Case>& cases, Checklist& list) {
  const auto loads = loads_in(cases.front());
  if (ask<ForceLaw>(*loads) == nullptr) return;
  list.claim("the law that it tells is that of its output", 1e-12,
             "tell by record() what evaluate() computes, with the same numbers (contract/force_law.hpp)",
             [&](Measure& m) {
               on_load_paths(cases, m, [&](const Case& one, Path& path, const ForceInstances& group) {
                 const auto batch = make_loads(*group.type, group.instances);
                 ForceLaw& law = *ask<ForceLaw>(*batch);
                 if (!law.obstacle().empty()) return;
                 for (const double t : {0.0, 0.2}) {
                   path.go(t);
                   const BatchInput in = joined(inputs(one, path, t));
                   const Load load = loads_of(*batch, in);
                   const ToldLoad told = told_load(law, in);
                   const Load as_told{told.wrenches, told.efforts, told.rates, load.potential_energy, told.power};
                   m.see(difference(load, as_told, load), "at a random state");
                 }
               });
               if (m.seen() == 0) throw Undecided("it tells no law of any of the instances");
             });
}

}  // namespace

void check_force(const ForceType& type, const Bench& bench, Checklist& list) {
  std::vector<Case> cases;
  const auto prepare = [&](Measure&) {
    cases = cases_of(type, "forces", bench, bench.count(8), 3);
    for (const Case& one : cases) loads_in(one);
  };
  if (!list.prepare(instances_are_made, sound_instances, prepare, needs_example)) return;
  check_finite(type, cases, list);
  check_derivatives(type, cases, list);
  check_law(cases, list);
  check_power(type, cases, list);
  check_frames(type, cases, list);
  check_batches(type, cases, list);
  check_allocation(type, cases, list);
  check_events(
      cases, list, [&](const Case& one) { return loads_in(one); },
      [](const Case& one, Path& path, double t) { return joined(inputs(one, path, t)); });
  check_offers(type, cases, bench, list);
  check_discrete(
      type.descriptor().discrete, cases, list, [&](const Case& one) { return loads_in(one); },
      [](const Case& one, Path& path, double t) { return EventState{joined(inputs(one, path, t))}; });
  check_in_formulations(cases, true, bench, list);
}

}  // namespace polyform::host::conformance
