// A constraint element by itself: its rows by differences; then in every formulation that carries such elements.
#include <fmt/format.h>

#include <limits>

#include "framework/host/expressions/formula_rows.hpp"
#include "framework/workbench/conformance/batteries.hpp"
#include "framework/workbench/conformance/constraint_probe.hpp"
#include "framework/workbench/conformance/discrete_checks.hpp"
#include "framework/workbench/conformance/larger.hpp"
#include "framework/workbench/conformance/measured_rate.hpp"
#include "framework/workbench/conformance/output_checks.hpp"
#include "framework/workbench/conformance/redrawing.hpp"
#include "polyform/contract/rows_by_formulas.hpp"

namespace polyform::host::inline conformance {

namespace {

/// The rate of f at t = 0, and how far a value is from it, relative to the terms that it is the sum of.
template <class Function>
std::pair<double, double> against_rate(double found, double terms, double tolerance, Function f) {
  double expected = 0;
  const double error = rate_error(found, terms, tolerance, f, &expected);
  return {expected, error};
}

void check_velocity_rows(const ConstraintType& type, const std::vector<Case>& cases, Checklist& list) {
  constexpr std::string_view name = "A V + B v = velocity_right is the rate of the residual";
  if (!type.holonomic()) {
    list.claim("its residual is zero, as it is not holonomic", 0,
               "where the residual is a condition on positions, holonomic() is true", [&](Measure& m) {
                 on_instances(cases, m, [&](const auto& at, const auto&) {
                   for (const double r : at(0.05).second.residual) m.see(r == 0 ? 0 : 1, "a residual is written");
                 });
               });
    return;
  }
  // Along velocities that satisfy the rows the residual stays zero, whatever its sign and its factor are.
  list.claim(name, 1e-7, "the rows A and B must be the gradient of the residual, velocity_right minus its partial rate",
             [&](Measure& m) {
               bool asks = false;
               on_instances(
                   cases, m,
                   [&](const ConstraintInstances& group, std::size_t i, Path&, const auto& at) {
                     const auto [in, rows] = at(0);
                     const std::vector<Spatial> V = twists(in);
                     for (std::size_t r = 0; r < group.rows[i]; ++r) {
                       const auto residual = [&, row = r](double t) { return at(t).second.residual[row]; };
                       // A row whose residual is zero whatever moves asks nothing of positions.
                       if (residual(0) == 0 && residual(0.1) == 0 && residual(0.05) == 0) continue;
                       asks = true;
                       const double found = applied(rows, r, V, in.v) - rows.velocity_right[r];
                       const double terms = applied_size(rows, r, V, in.v) + std::abs(rows.velocity_right[r]);
                       const auto [expected, error] = against_rate(found, terms, 1e-7, residual);
                       m.see(error, [&, slope = expected] {
                         return fmt::format("row {}: {:.6g}, the residual changes by {:.6g} per second", r, found,
                                            slope);
                       });
                     }
                   },
                   Start::any);
               m.see(asks ? 0 : 1, "it is declared holonomic, and all its residuals are zero wherever it is");
             });
}

void check_acceleration_rows(const std::vector<Case>& cases, Checklist& list) {
  list.claim(
      "A dV/dt + B dv/dt = acceleration_right is the rate of the velocity rows", 1e-7,
      "acceleration_right must be d(velocity_right)/dt - dA/dt V - dB/dt v", [&](Measure& m) {
        on_instances(cases, m, [&](const ConstraintInstances& group, std::size_t i, Path& path, const auto& at) {
          const std::vector<Spatial> accelerations = path.accelerations();
          const auto [in, rows] = at(0);
          const std::vector<Spatial> Vdot = marker_accelerations(group.instances[i], path.frames(), accelerations);
          const std::vector<double> vdot = joint_accelerations(path.view(), group, i, path.vdot());
          const std::vector<char> on_accelerations = expressions::rows_on_accelerations(path.view());
          for (std::size_t r = 0; r < group.rows[i]; ++r) {
            if (on_accelerations[r] != 0) continue;  // asks nothing of velocities
            const double found = applied(rows, r, Vdot, vdot) - rows.acceleration_right[r];
            const double terms = applied_size(rows, r, Vdot, vdot) + std::abs(rows.acceleration_right[r]);
            const auto [expected, error] = against_rate(found, terms, 1e-7, [&, row = r](double t) {
              const auto [then, rows_then] = at(t);
              return applied(rows_then, row, twists(then), then.v) - rows_then.velocity_right[row];
            });
            m.see(error, [&, slope = expected] {
              return fmt::format("row {}: {:.6g}, the velocity row changes by {:.6g} per second", r, found, slope);
            });
          }
        });
      });
}

void check_rows(const std::vector<Case>& cases, Checklist& list) {
  list.claim("everything it gives is a finite number", 0, "guard divisions by lengths and speeds that may be zero",
             [&](Measure& m) {
               on_instances(cases, m, [&](const auto& at, const auto&) {
                 for (const double t : {0.0, 0.1, 0.3}) m.see(at(t).second.finite() ? 0 : 1, "at a random state");
               });
               for (const Case& one : cases) {
                 m.in_model(one.sample.text);
                 const ConstraintInstances& group = one.sample.view().constraints[0];
                 const auto instance = group.instances.first(1);
                 for (const double speed : {0.0, 1.0})
                   m.see(evaluate(*make(group, instance), instance, group.rows.first(1),
                                  input_as_drawn(one.sample.view(), group, 0, speed))
                                 .finite()
                             ? 0
                             : 1,
                         speed == 0 ? "as drawn, at rest" : "as drawn, in motion");
               }
             });
  list.claim("every row asks something of markers or joints", 0,
             "write A or B of each of the rows() of an instance: a row of zeros leaves its multiplier open",
             [&](Measure& m) {
               on_instances(cases, m, [&](const auto& at, const auto&) {
                 const Rows rows = at(0).second;
                 for (std::size_t r = 0; r < rows.residual.size(); ++r) {
                   const Eigen::RowVectorXd row = rows.row(r);
                   m.see(row.head(row.size() - 2).isZero(0) ? 1 : 0, [&] { return fmt::format("row {} is zero", r); });
                 }
               });
             });
}

void check_allocation(const std::vector<Case>& cases, Checklist& list) {
  claim_no_allocation(list, evaluate_allocates_nothing, make_memory_before, [&](Measure& m) {
    on_instances(cases, m, [&](const auto& at, const auto&) { see_allocations(at(0).second.allocations, m); });
  });
}

/// How far rows lie outside of what others span, relative to their size.
double outside(const Eigen::MatrixXd& rows, const Eigen::MatrixXd& others) {
  const Eigen::MatrixXd basis =
      others.transpose().colPivHouseholderQr().householderQ() * Eigen::MatrixXd::Identity(others.cols(), others.rows());
  const double left = (rows - rows * basis * basis.transpose()).norm();
  return left == 0 ? 0 : left / rows.norm();
}

constexpr std::string_view turns = "what its rows ask together turns with the frame";
constexpr std::string_view balances = "what its rows put on the markers cancels";

/// Rows may be written in any axes: what they ask together must turn.
void check_frames(const ConstraintType& type, const std::vector<Case>& cases, Checklist& list) {
  const std::size_t markers = cases.front().sample.view().constraints[0].instances[0].markers.size();
  const auto rows_of = [&](const ElementInstance& instance, const BatchInput& in) {
    const std::size_t rows = type.rows(instance);
    const std::span one(&instance, 1);
    const BatchPointer<ConstraintBatch> batch = made_batch(type.create(one));
    return evaluate(*batch, one, std::span(&rows, 1), in);
  };
  const auto differ = [](const Rows& a, const Rows& b) { return outside(b.matrix(), a.matrix()); };
  const auto on_each = [&](Measure& m, auto body) {
    on_instances(cases, m, [&](const ConstraintInstances& group, std::size_t i, Path&, const auto& at) {
      body(group.instances[i], at(0).first);
    });
  };
  claim_drawn_axes(type, markers, list, [&](Measure& m, auto see) {
    on_each(m, [&](const ElementInstance& read, const BatchInput& in) { see(read, in, rows_of, differ); });
  });
  if (markers == 0) {
    list.unsupported(turns, "not applicable: it has no markers");
    list.unsupported(balances, "not applicable: it has no markers");
    return;
  }
  std::vector<double> errors;  // of each instance
  std::string tied;
  const auto see_turns = [&](Measure& m) {
    Random random(53);
    errors.clear();
    on_each(m, [&](const ElementInstance& read, const BatchInput& in) {
      const Mat3 R = rotation_matrix(random.quaternion());
      Rows expected = rows_of(read, in);
      for (Spatial& a : expected.A) a = {R * a.angular, R * a.linear};
      const auto error_of = [&](const ElementInstance& instance, const BatchInput& there) {
        return differ(expected, rows_of(instance, there));
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
    const bool may_hold_on = std::ranges::any_of(type.fields(), &FieldSpec::tied_to_ground);
    on_each(m, [&](const ElementInstance& read, const BatchInput& in) {
      if (may_hold_on && !(errors[i++] <= 1e-9)) return;  // ground takes its part
      const Rows rows = rows_of(read, in);
      for (std::size_t r = 0; r < rows.residual.size(); ++r) {
        Spatial sum;
        double scale = 0;
        for (std::size_t k = 0; k < in.markers.size(); ++k) {
          const Spatial& a = rows.A[r * in.markers.size() + k];
          sum += {a.angular + cross(in.markers[k].position, a.linear), a.linear};
          scale = larger({scale, norm(a.linear), norm(a.angular)});
        }
        const double left = larger(norm(sum.linear), norm(sum.angular));
        m.see(left == 0 ? 0 : left / scale, [&] { return fmt::format("action of row {} is not reaction", r); });
      }
    });
    if (m.seen() == 0) throw Undecided(tied_by(tied));
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
          const ConstraintInstances& group = view.constraints[0];
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

/// The inputs of all instances.
BatchInput inputs(const Case& one, const Path& path) {
  const ConstraintInstances& group = one.sample.view().constraints[0];
  std::vector<BatchInput> parts;
  for (std::size_t i = 0; i < group.instances.size(); ++i)
    parts.push_back(input_of(one.sample.view(), group, i, path.frames(), path.now()));
  return joined(parts);
}

void check_own_data(const std::vector<Case>& cases, Checklist& list) {
  const auto group = [](const Case& one) -> const ConstraintInstances& { return one.sample.view().constraints[0]; };
  claim_own_data(
      group(cases.front()).type, cases, list, [&](const Case& one) { return make(group(one), group(one).instances); },
      [&](const Case& one) {
        Random random(31);
        return inputs(one, Path(one.sample.view(), one.state, random));
      },
      [&](ConstraintBatch& batch, const Case& one, const BatchInput& in) {
        return evaluate(batch, group(one).instances, group(one).rows, in).numbers();
      });
}

/// Marks the cases whose elements have rows that move by themselves, or a given force.
void mark_driven(std::vector<Case>& cases) {
  for (Case& one : cases) {
    const ConstraintInstances& group = one.sample.view().constraints[0];
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
  const auto prepare = [&](Measure&) {
    one = cases_of(type, "constraints", bench, bench.count(8), 1);
    mark_driven(one);
  };
  if (!list.prepare(instances_are_made, sound_instances, prepare, needs_example)) return;
  check_rows(one, list);
  check_velocity_rows(type, one, list);
  check_acceleration_rows(one, list);
  if (ask<RowsByFormulas>(type) == nullptr) {
    check_frames(type, one, list);
  } else {
    list.unsupported(turns, "not applicable: its formulas read components in ground axes");
    list.unsupported(balances, "not applicable: its formulas may hold one body to ground");
  }
  try {
    several = cases_of(type, "constraints", bench, 3, 2);
  } catch (const Undecided&) {
    // Two of a kind need not be possible in so small a system.
  }
  check_batches(several.empty() ? one : several, list);
  check_own_data(one, list);
  check_allocation(one, list);
  check_offers(type, several.empty() ? one : several, bench, list);
  check_discrete(
      type.descriptor().discrete, one, list,
      [](const Case& case_of) {
        const ConstraintInstances& group = case_of.sample.view().constraints[0];
        return make(group, group.instances);
      },
      [](const Case& case_of, const Path& path, double) { return EventState{inputs(case_of, path)}; });
  check_in_formulations(one, false, bench, list);
}

}  // namespace polyform::host::conformance
