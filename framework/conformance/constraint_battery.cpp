// A constraint element by itself: its rows by differences; then in every formulation that carries such elements.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/conformance/batch_probe.hpp"
#include "framework/conformance/batteries.hpp"
#include "framework/conformance/element_systems.hpp"

namespace polyform::host {

namespace {

/// The rows of one instance, with their storage.
struct Rows {
  std::vector<Spatial> A;
  std::vector<double> B, residual, velocity_right, acceleration_right, effort;
};

BatchPointer<ConstraintBatch> make(const ConstraintGroup& group, std::span<const ElementInstance> instances) {
  BatchPointer<ConstraintBatch> batch(group.type->create(instances));
  if (!batch) throw Failure(Exit::simulation_failed, "create() gives no batch for instances that define() accepted");
  return batch;
}

Rows evaluate(ConstraintBatch& batch, std::span<const ElementInstance> instances, std::span<const std::size_t> rows,
              const BatchInput& in) {
  Rows out;
  std::size_t count = 0, a = 0, b = 0;
  for (std::size_t i = 0; i < instances.size(); ++i) {
    std::size_t velocities = 0;
    for (const JointShape& joint : instances[i].joints) velocities += joint.nv;
    count += rows[i];
    a += rows[i] * instances[i].markers.size();
    b += rows[i] * velocities;
  }
  out.A.resize(a);
  out.B.resize(b);
  for (auto* list : {&out.residual, &out.velocity_right, &out.acceleration_right, &out.effort}) list->resize(count);
  ConstraintOutput view{out.A, out.B, out.residual, out.velocity_right, out.acceleration_right, out.effort};
  batch.evaluate(in.view(), view);
  return out;
}

/// A row applied to twists (or accelerations) of the markers and to velocities of the joints.
double applied(const Rows& rows, std::size_t row, std::span<const Spatial> twists, std::span<const double> v) {
  double sum = 0;
  for (std::size_t k = 0; k < twists.size(); ++k) sum += dot(rows.A[row * twists.size() + k], twists[k]);
  for (std::size_t k = 0; k < v.size(); ++k) sum += rows.B[row * v.size() + k] * v[k];
  return sum;
}

/// Calls body(group, instance, path, at): `at(t)` gives input and rows of the instance along the path.
template <class Body>
void on_instances(const std::vector<Case>& cases, Measure& m, Body body) {
  Random random(29);
  for (const Case& one : cases) {
    m.in_model(one.sample.text);
    const SystemView& view = one.sample.view();
    const ConstraintGroup& group = view.constraints[0];
    for (std::size_t i = 0; i < group.instances.size(); ++i) {
      Path path(view, one.state, random);
      const auto instance = group.instances.subspan(i, 1);
      const auto batch = make(group, instance);
      const auto at = [&](double t) {
        path.go(t);
        BatchInput in = input_of(view, group, i, path.frames(), path.now());
        in.time = t;
        Rows rows = evaluate(*batch, instance, group.rows.subspan(i, 1), in);
        return std::pair(std::move(in), std::move(rows));
      };
      body(group, i, path, at);
    }
  }
}

void check_velocity_rows(const ConstraintType& type, const std::vector<Case>& cases, Checklist& list) {
  constexpr std::string_view name = "A V + B v = velocity_right is the rate of the residual";
  if (!type.holonomic()) {
    list.unsupported(name, "not applicable: the type is not holonomic");
    return;
  }
  list.claim(name, 1e-7, "the rows A and B must be the gradient of the residual, velocity_right minus its partial rate",
             [&](Measure& m) {
               on_instances(cases, m, [&](const ConstraintGroup& group, std::size_t i, Path&, const auto& at) {
                 const auto [in, rows] = at(0);
                 const std::vector<Spatial> V = twists(in);
                 for (std::size_t r = 0; r < group.rows[i]; ++r) {
                   const auto residual = [&, row = r](double t) { return at(t).second.residual[row]; };
                   // A row whose residual is zero whatever moves asks nothing of positions.
                   if (residual(0) == 0 && residual(0.1) == 0 && residual(0.05) == 0) continue;
                   const double row = applied(rows, r, V, in.v), expected = rate(residual);
                   m.see(std::abs(row - rows.velocity_right[r] - expected) / (1 + std::abs(expected)), [&] {
                     return fmt::format("row {}: {:.6g}, the residual changes by {:.6g} per second", r,
                                        row - rows.velocity_right[r], expected);
                   });
                 }
               });
             });
}

void check_acceleration_rows(const std::vector<Case>& cases, Checklist& list) {
  list.claim(
      "A dV/dt + B dv/dt = acceleration_right is the rate of the velocity rows", 1e-7,
      "acceleration_right must be d(velocity_right)/dt - dA/dt V - dB/dt v", [&](Measure& m) {
        on_instances(cases, m, [&](const ConstraintGroup& group, std::size_t i, Path& path, const auto& at) {
          const std::vector<Spatial> accelerations = path.accelerations();
          const auto [in, rows] = at(0);
          const std::vector<Spatial> Vdot = marker_accelerations(group.instances[i], path.frames(), accelerations);
          const std::vector<double> vdot = joint_accelerations(path.view(), group, i, path.vdot());
          for (std::size_t r = 0; r < group.rows[i]; ++r) {
            const double found = applied(rows, r, Vdot, vdot) - rows.acceleration_right[r];
            const double expected = rate([&, row = r](double t) {
              const auto [then, rows_then] = at(t);
              return applied(rows_then, row, twists(then), then.v) - rows_then.velocity_right[row];
            });
            m.see(std::abs(found - expected) / (1 + std::abs(expected)), [&] {
              return fmt::format("row {}: {:.6g}, the velocity row changes by {:.6g} per second", r, found, expected);
            });
          }
        });
      });
}

void check_batches(const std::vector<Case>& cases, Checklist& list) {
  list.claim(
      "instances in one batch give what each gives alone, the same every time", 1e-12,
      "evaluate() must read the attachments of its own instance, write its own rows, and keep nothing between calls",
      [&](Measure& m) {
        Random random(31);
        for (const Case& one : cases) {
          m.in_model(one.sample.text);
          const SystemView& view = one.sample.view();
          const ConstraintGroup& group = view.constraints[0];
          Path path(view, one.state, random);
          std::vector<BatchInput> parts;
          Rows alone;
          for (std::size_t i = 0; i < group.instances.size(); ++i) {
            parts.push_back(input_of(view, group, i, path.frames(), path.now()));
            const auto instance = group.instances.subspan(i, 1);
            const Rows own = evaluate(*make(group, instance), instance, group.rows.subspan(i, 1), parts.back());
            const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
            append(alone.A, own.A);
            append(alone.B, own.B);
            append(alone.residual, own.residual);
            append(alone.velocity_right, own.velocity_right);
            append(alone.acceleration_right, own.acceleration_right);
          }
          const auto batch = make(group, group.instances);
          for (int round = 0; round < 2; ++round) {
            const Rows all = evaluate(*batch, group.instances, group.rows, joined(parts));
            for (std::size_t k = 0; k < all.A.size(); ++k)
              m.see(norm(all.A[k].angular - alone.A[k].angular) + norm(all.A[k].linear - alone.A[k].linear), "in A");
            const auto compare = [&](const std::vector<double>& a, const std::vector<double>& b, const char* what) {
              for (std::size_t k = 0; k < a.size(); ++k) m.see(std::abs(a[k] - b[k]) / (1 + std::abs(a[k])), what);
            };
            compare(all.B, alone.B, "in B");
            compare(all.residual, alone.residual, "in the residual");
            compare(all.velocity_right, alone.velocity_right, "in velocity_right");
            compare(all.acceleration_right, alone.acceleration_right, "in acceleration_right");
          }
        }
      });
}

/// Marks the cases whose elements have rows that move by themselves, or a given force.
void mark_driven(std::vector<Case>& cases) {
  for (Case& one : cases) {
    const ConstraintGroup& group = one.sample.view().constraints[0];
    Random random(43);
    const Path path(one.sample.view(), one.state, random);
    const Rows rows = evaluate(*make(group, group.instances), group.instances, group.rows,
                               input_of(one.sample.view(), group, 0, path.frames(), path.now()));
    const auto zero = [](double x) { return x == 0; };
    one.driven = !std::ranges::all_of(rows.velocity_right, zero) || !std::ranges::all_of(rows.effort, zero);
  }
}

}  // namespace

void check_constraint(const ConstraintType& type, const Bench& bench, Checklist& list) {
  std::vector<Case> one, several;
  try {
    one = cases_of(type, "constraints", bench, 8, 1);
  } catch (const Undecided& problem) {
    list.unsupported("all that is claimed of a constraint element", problem.why());
    return;
  }
  mark_driven(one);
  check_velocity_rows(type, one, list);
  check_acceleration_rows(one, list);
  try {
    several = cases_of(type, "constraints", bench, 3, 2);
  } catch (const Undecided&) {
    // Two of a kind need not be possible in so small a system.
  }
  check_batches(several.empty() ? one : several, list);
  check_in_formulations(one, false, bench, list);
}

}  // namespace polyform::host
