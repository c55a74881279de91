// The equations of a module: M α = f + Aᵀ λ with rows A u + C V + B v = velocity_right, by differences along motions of
// what it is attached to.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/workbench/conformance/larger.hpp"
#include "framework/workbench/conformance/measured_rate.hpp"
#include "framework/workbench/conformance/module_checks.hpp"

namespace polyform::host::inline conformance {

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;
using Eigen::Index;

Index index(std::size_t i) { return static_cast<Index>(i); }

Vector vector_of(const std::vector<double>& list) { return Eigen::Map<const Vector>(list.data(), index(list.size())); }

Matrix mass_matrix(const ModuleEquations& e) {
  const Index n = index(e.f.size());
  return Eigen::Map<const Matrix>(e.M.data(), n, n);
}

Matrix own_rows(const ModuleEquations& e) {
  return Eigen::Map<const Matrix>(e.A.data(), index(e.velocity_right.size()), index(e.f.size()));
}

/// C and B of one module applied to twists (or accelerations) of its markers and to velocities of its joints.
Vector attached_rows(const ModuleEquations& e, std::span<const Spatial> V, std::span<const double> v) {
  Vector sum = Vector::Zero(index(e.velocity_right.size()));
  for (std::size_t r = 0; r < e.velocity_right.size(); ++r) {
    for (std::size_t k = 0; k < V.size(); ++k) sum[index(r)] += dot(e.C[r * V.size() + k], V[k]);
    for (std::size_t k = 0; k < v.size(); ++k) sum[index(r)] += e.B[r * v.size() + k] * v[k];
  }
  return sum;
}

/// The sizes of the terms of the rows, A u' + C V' + B v' less the right-hand side.
Vector row_terms(const ModuleEquations& e, const Vector& rates, std::span<const Spatial> V, std::span<const double> v,
                 const std::vector<double>& right) {
  Vector sum = own_rows(e).cwiseAbs() * rates.cwiseAbs() + vector_of(right).cwiseAbs();
  for (std::size_t r = 0; r < right.size(); ++r) {
    for (std::size_t k = 0; k < V.size(); ++k)
      for (std::size_t i = 0; i < 6; ++i) sum[index(r)] += std::abs(e.C[r * V.size() + k][i] * V[k][i]);
    for (std::size_t k = 0; k < v.size(); ++k) sum[index(r)] += std::abs(e.B[r * v.size() + k] * v[k]);
  }
  return sum;
}

void check_mass(const ModuleType& type, const std::vector<Case>& cases, Checklist& list) {
  constexpr std::string_view symmetric = "M is symmetric", definite = "M is positive semidefinite",
                             complete = "M and A determine the rates of all variables",
                             inertia = "kinetic_energy is half uᵀ M u";
  if (type.variables().empty()) {
    for (const std::string_view name : {symmetric, definite, complete, inertia})
      list.unsupported(name, "not applicable: the type has no variables");
    return;
  }
  list.claim(symmetric, 1e-13, "fill both triangles of ModuleOutput::M, rows first", [&](Measure& m) {
    on_modules(cases, m, [&](ModuleMotion& motion) {
      const Matrix M = mass_matrix(motion.equations(0.05));
      m.see(relative(largest(M - M.transpose()), largest(M)), "at a random state");
    });
  });
  list.claim(definite, 1e-10, "an inertia is never negative; forces that depend on rates of variables belong into f",
             [&](Measure& m) {
               on_modules(cases, m, [&](ModuleMotion& motion) {
                 const Vector values = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(
                                           mass_matrix(motion.equations(0.05)), Eigen::EigenvaluesOnly)
                                           .eigenvalues();
                 m.see(relative(larger(0, -values[0]), largest(values)),
                       [&] { return fmt::format("an eigenvalue is {:.6g}", values[0]); });
               });
             });
  list.claim(complete, 0,
             "a variable without inertia needs a row; one whose rate is known without the bodies' is a further state x",
             [&](Measure& m) {
               on_modules(cases, m, [&](ModuleMotion& motion) {
                 const ModuleEquations e = motion.equations(0.05);
                 Matrix all(index(e.f.size() + e.velocity_right.size()), index(e.f.size()));
                 all << mass_matrix(e), own_rows(e);
                 for (Index k = 0; k < all.cols(); ++k) {
                   const double size = all.col(k).norm();
                   m.see(size > 0 ? 0 : 1, [&] {
                     return fmt::format("no equation holds the rate of `{}`",
                                        type.variables()[static_cast<std::size_t>(k)].name);
                   });
                   if (size > 0) all.col(k) /= size;
                 }
                 const Vector values = all.jacobiSvd().singularValues();
                 m.see(values[values.size() - 1] > 1e-12 ? 0 : 1, "some rates appear together only");
               });
             });
  list.claim(inertia, 1e-12, "give the energy of the variables that M is the inertia or inductance of",
             [&](Measure& m) {
               on_modules(cases, m, [&](ModuleMotion& motion) {
                 const ModuleEquations e = motion.equations(0.05);
                 Vector u = vector_of(motion.at(0.05).u);
                 // A variable that the energy does not depend on has no inertia: a temperature, say.
                 bool any = false;
                 for (Index k = 0; k < u.size(); ++k) {
                   const bool counts = motion.energy_depends_on(static_cast<std::size_t>(k), 0.05);
                   if (!counts) u[k] = 0;
                   any |= counts;
                 }
                 if (!any) return;
                 const double expected = 0.5 * u.dot(mass_matrix(e) * u);
                 const double terms = 0.5 * u.cwiseAbs().dot(mass_matrix(e).cwiseAbs() * u.cwiseAbs());
                 m.see(relative(std::abs(e.kinetic_energy - expected), terms), [&] {
                   return fmt::format("kinetic_energy is {:.6g} J, half uᵀ M u {:.6g} J", e.kinetic_energy, expected);
                 });
               });
               if (m.seen() == 0)
                 throw Undecided("not applicable: kinetic_energy depends on no variable, so M is no inertia");
             });
}

void check_rows(const ModuleType& type, const std::vector<Case>& cases, Checklist& list) {
  constexpr std::string_view rates = "A α + C dV/dt + B dv/dt = acceleration_right is the rate of the velocity rows",
                             filled = "every row asks something of variables, markers or joints";
  if (type.rows().empty()) {
    for (const std::string_view name : {rates, filled}) list.unsupported(name, "not applicable: the type has no rows");
    return;
  }
  list.claim(
      rates, 1e-7, "acceleration_right must be d(velocity_right)/dt - dA/dt u - dC/dt V - dB/dt v", [&](Measure& m) {
        on_modules(cases, m, [&](ModuleMotion& motion) {
          const ModuleEquations e = motion.equations(0);
          const Vector found = own_rows(e) * vector_of(motion.alpha) + attached_rows(e, motion.Vdot, motion.vdot) -
                               vector_of(e.acceleration_right);
          const auto velocity_rows = [&](double t) -> Vector {
            const ModuleEquations then = motion.equations(t);
            const ModuleState s = motion.at(t);
            return own_rows(then) * vector_of(s.u) + attached_rows(then, twists(s.attachments), s.attachments.v) -
                   vector_of(then.velocity_right);
          };
          Vector expected;
          const Vector errors =
              rate_errors(found, row_terms(e, vector_of(motion.alpha), motion.Vdot, motion.vdot, e.acceleration_right),
                          1e-7, velocity_rows, &expected);
          for (Index r = 0; r < found.size(); ++r)
            m.see(errors[r], [&] {
              return fmt::format("row `{}`: {:.6g}, the velocity row changes by {:.6g} per second",
                                 type.rows()[static_cast<std::size_t>(r)].name, found[r], expected[r]);
            });
        });
      });
  list.claim(filled, 0, "write A, C and B of each row; a row of zeros leaves its multiplier open", [&](Measure& m) {
    std::vector<bool> written(type.rows().size());
    on_modules(cases, m, [&](ModuleMotion& motion) {
      const ModuleEquations e = motion.equations(0.05);
      const std::size_t markers = e.wrenches.size(), velocities = e.efforts.size();
      for (std::size_t r = 0; r < written.size(); ++r) {
        double size = own_rows(e).row(index(r)).norm();
        for (std::size_t k = 0; k < markers; ++k)
          size += norm(e.C[r * markers + k].angular) + norm(e.C[r * markers + k].linear);
        for (std::size_t k = 0; k < velocities; ++k) size += std::abs(e.B[r * velocities + k]);
        written[r] = written[r] || size > 0;
      }
    });
    for (std::size_t r = 0; r < written.size(); ++r)
      m.see(written[r] ? 0 : 1, [&] { return fmt::format("row `{}` is zero at all states", type.rows()[r].name); });
  });
}

/// Rows that are the rate of a residual, and states that are the integral of a variable.
void check_positions(const ModuleType& type, const std::vector<Case>& cases, Checklist& list) {
  constexpr std::string_view rates = "A u + C V + B v - velocity_right of a holonomic row is the rate of its residual",
                             of_positions = "residuals do not depend on u",
                             silent = "a row that is not holonomic has no residual",
                             integrals = "a state that is the integral of a variable has it for its rate";
  const Strided<const Variable> rows = type.rows(), states = type.states();
  const auto holonomic = std::ranges::count_if(rows, &Variable::holonomic);
  if (holonomic == 0) {
    for (const std::string_view name : {rates, of_positions})
      list.unsupported(name, "not applicable: no row of the type is holonomic");
  } else {
    list.claim(rates, 1e-7, "A, C and B must be the gradient of the residual by the integrals of u, by poses and by q",
               [&](Measure& m) {
                 on_modules(cases, m, [&](ModuleMotion& motion) {
                   const ModuleEquations e = motion.equations(0);
                   const ModuleState s = motion.at(0);
                   const Vector found = own_rows(e) * vector_of(s.u) +
                                        attached_rows(e, twists(s.attachments), s.attachments.v) -
                                        vector_of(e.velocity_right);
                   Vector expected;
                   const Vector errors = rate_errors(
                       found, row_terms(e, vector_of(s.u), twists(s.attachments), s.attachments.v, e.velocity_right),
                       1e-7, [&](double t) -> Vector { return vector_of(motion.equations(t).residual); }, &expected);
                   for (Index r = 0; r < found.size(); ++r)
                     if (rows[static_cast<std::size_t>(r)].holonomic)
                       m.see(errors[r], [&] {
                         return fmt::format("row `{}`: {:.6g}, the residual changes by {:.6g} per second",
                                            rows[static_cast<std::size_t>(r)].name, found[r], expected[r]);
                       });
                 });
               });
    list.claim(of_positions, 0, "a residual is a condition on positions and states x alone", [&](Measure& m) {
      on_module_paths(cases, m, [&](const Case& one, Path& path, Random& random) {
        const Strided<const ElementInstance> instances = one.sample.view().modules[0].instances;
        const auto batch = make(type, instances);
        ModuleState s = joined(states_of(one, path, random, 0.05));
        const std::vector<double> before = evaluate(*batch, type, instances.size(), s).residual;
        for (double& u : s.u) u += 1;
        const std::vector<double> after = evaluate(*batch, type, instances.size(), s).residual;
        for (std::size_t r = 0; r < before.size(); ++r)
          if (rows[r % rows.size()].holonomic)
            m.see(before[r] == after[r] ? 0 : 1, [&] {
              return fmt::format("that of row `{}` is another with another u", rows[r % rows.size()].name);
            });
      });
    });
  }
  if (holonomic == std::ssize(rows)) {
    list.unsupported(silent, "not applicable: the type has no such rows");
  } else {
    list.claim(silent, 0, "where a row's residual is a condition on positions, Variable::holonomic is true",
               [&](Measure& m) {
                 on_modules(cases, m, [&](ModuleMotion& motion) {
                   const ModuleEquations e = motion.equations(0.05);
                   for (std::size_t r = 0; r < rows.size(); ++r)
                     if (!rows[r].holonomic)
                       m.see(e.residual[r] == 0 ? 0 : 1,
                             [&] { return fmt::format("a residual is written in row `{}`", rows[r].name); });
                 });
               });
  }
  if (std::ranges::all_of(states, [](const Variable& s) { return s.integral_of < 0; })) {
    list.unsupported(integrals, "not applicable: no state of the type is said to be one");
    return;
  }
  list.claim(integrals, 1e-13, "write xdot = u of the variable that Variable::integral_of names", [&](Measure& m) {
    on_modules(cases, m, [&](ModuleMotion& motion) {
      const ModuleEquations e = motion.equations(0.05);
      const ModuleState s = motion.at(0.05);
      for (std::size_t k = 0; k < states.size(); ++k) {
        if (states[k].integral_of < 0) continue;
        const double u = s.u[static_cast<std::size_t>(states[k].integral_of)];
        m.see(std::abs(e.xdot[k] - u) / (1 + std::abs(u)),
              [&] { return fmt::format("the rate of `{}` is {:.6g}, u is {:.6g}", states[k].name, e.xdot[k], u); });
      }
    });
  });
}

/// α and λ that satisfy the equations where all that is attached moves as on the path. False if none do.
bool solve(const ModuleEquations& e, const ModuleMotion& motion, Vector& alpha, Vector& lambda) {
  const Index n = index(e.f.size()), rows = index(e.velocity_right.size());
  if (n + rows == 0) return true;
  Matrix all = Matrix::Zero(n + rows, n + rows);
  all.topLeftCorner(n, n) = mass_matrix(e);
  all.topRightCorner(n, rows) = -own_rows(e).transpose();
  all.bottomLeftCorner(rows, n) = own_rows(e);
  Vector right(n + rows);
  right << vector_of(e.f), vector_of(e.acceleration_right) - attached_rows(e, motion.Vdot, motion.vdot);
  const Vector x = all.completeOrthogonalDecomposition().solve(right);
  alpha = x.head(n);
  lambda = x.tail(rows);
  Vector terms = all.cwiseAbs() * x.cwiseAbs() + right.cwiseAbs();
  terms.tail(rows) += row_terms(e, alpha, motion.Vdot, motion.vdot, e.acceleration_right);
  return ((all * x - right).cwiseAbs().array() <= 1e-9 * terms.array()).all();
}

/// The power that rows put into markers and joints they take from the module, −uᵀ Aᵀ λ. The power of rows that move by
/// themselves is in no energy and in no other power.
void check_energy(const std::vector<Case>& cases, Checklist& list) {
  list.claim("what it does to markers and joints is its power less the rate of its energies", 1e-7,
             "d/dt (kinetic_energy + potential_energy) must be power less the power of wrenches, efforts and "
             "multipliers, along every motion that satisfies M α = f + Aᵀ λ and the rows",
             [&](Measure& m) {
               on_modules(cases, m, [&](ModuleMotion& motion) {
                 const ModuleEquations e = motion.equations(0);
                 const ModuleState s = motion.at(0);
                 Vector alpha, lambda;
                 if (!solve(e, motion, alpha, lambda)) return;
                 motion.alpha.assign(alpha.begin(), alpha.end());
                 double given = 0, moved = 0;  // the sum, and that of the sizes
                 const auto give = [&](double power) { given += power, moved += std::abs(power); };
                 const Vector loads = own_rows(e).transpose() * lambda;
                 for (Index k = 0; k < loads.size(); ++k) {
                   const double u = s.u[static_cast<std::size_t>(k)];
                   give(-u * loads[k]);
                   moved += std::abs(u * e.f[static_cast<std::size_t>(k)]);
                 }
                 const std::vector<Spatial> V = twists(s.attachments);
                 for (std::size_t k = 0; k < V.size(); ++k) give(dot(e.wrenches[k], V[k]));
                 for (std::size_t k = 0; k < e.efforts.size(); ++k) give(e.efforts[k] * s.attachments.v[k]);
                 double stored = 0;
                 const auto energy = [&](double t) {
                   const ModuleEquations then = motion.equations(t);
                   return then.kinetic_energy + then.potential_energy;
                 };
                 const double error = rate_error(e.power - given, moved + std::abs(e.power), 1e-7, energy, &stored);
                 m.see(error, [&] {
                   return fmt::format("{:.6g} W are given, the energies change by {:.6g} W, the power is {:.6g} W",
                                      given, stored, e.power);
                 });
               });
               if (m.seen() == 0)
                 throw Undecided("its equations have no solution while all that it is attached to moves as one likes");
             });
}

}  // namespace

void check_module_equations(const ModuleType& type, const std::vector<Case>& cases, Checklist& list) {
  check_mass(type, cases, list);
  check_rows(type, cases, list);
  check_positions(type, cases, list);
  check_energy(cases, list);
}

}  // namespace polyform::host::conformance
