// A flexible body by itself: its equations against those of Lagrange and Euler, by differences of its energy; then in
// every formulation that carries such bodies.
//
// With u = [Ω v η̇] (angular velocity of the body frame, velocity of its origin in body axes) and T = ½ uᵀ M(η) u,
// p = ∂T/∂u = M u, the loads that belong to accelerations are
//
//   moment  ṗ_Ω + Ω × p_Ω + v × p_v      force  ṗ_v + Ω × p_v      modes  ṗ_η − ∂T/∂η + ∂V/∂η + D η̇
//
// (Meirovitch 1991, hybrid equations in quasi-coordinates), and must be what M [α a η̈] − force gives.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/workbench/conformance/batteries.hpp"
#include "framework/workbench/conformance/element_systems.hpp"
#include "framework/workbench/conformance/flexible_probe.hpp"
#include "framework/workbench/conformance/larger.hpp"
#include "framework/workbench/conformance/measured_rate.hpp"
#include "framework/workbench/conformance/model_state.hpp"

namespace polyform::host::inline conformance {

namespace {

using namespace flexible;

constexpr double infinity = std::numeric_limits<double>::infinity();

Vector one(double x) { return Vector::Constant(1, x); }

/// The rates of functions of which nothing is expected.
template <class Function>
Vector rates_of(Function f) {
  const Index n = f(0.0).size();
  return measured_rates(Vector::Constant(n, infinity), Vector::Zero(n), f).value;
}

/// The gradient of f at x.
template <class Function>
Vector gradient(const Vector& x, Function f) {
  Vector g(x.size());
  for (Index k = 0; k < x.size(); ++k)
    g[k] = rates_of([&](double h) {
      Vector moved = x;
      moved[k] += h;
      return one(static_cast<double>(f(moved)));
    })[0];
  return g;
}

/// The loads apart from the rate of the momenta; their sizes are added to `terms`.
Vector lagrange_loads(Probe& probe, const Motion& s, Vector& terms) {
  const auto momentum = [&](double t) -> Vector {
    return probe.at(s.omega_at(t), s.eta_at(t), s.etadot_at(t)).mass * s.u_at(t);
  };
  const Vector p = momentum(0), u = s.u_at(0);
  Vector load = rates_of(momentum);
  terms += load.cwiseAbs();
  const auto add = [&](auto part, const Vector& more) {
    part(load) += more;
    part(terms) += more.cwiseAbs();
  };
  const auto moments = [](Vector& v) { return v.head(3); };
  const auto forces = [](Vector& v) { return v.segment(3, 3); };
  const auto modes = [](Vector& v) { return v.tail(v.size() - 6); };
  const Eigen::Vector3d moment = p.head<3>(), impulse = p.segment<3>(3);
  add(moments, s.omega.cross(moment));
  add(moments, s.v.cross(impulse));
  add(forces, s.omega.cross(impulse));
  if (probe.modes() == 0) return load;
  const auto lagrangian = [&](const Vector& eta) {
    const Equations e = probe.at(s.omega, eta, s.etadot);
    return 0.5 * u.dot(e.mass * u) - e.strain_energy;
  };
  add(modes, -gradient(s.eta, lagrangian));
  add(modes,
      -0.5 * gradient(s.etadot, [&](const Vector& etadot) { return probe.at(s.omega, s.eta, etadot).damping_power; }));
  return load;
}

template <class Body>
void on_states(const std::vector<Case>& cases, Measure& m, Body body) {
  Random random(37);
  for (const Case& one : cases) {
    m.in_model(with_state(one.sample.text, one.sample.view(), one.state));
    const FlexibleData& data = one.sample.view().flexible[0];
    Probe probe(data);
    for (int i = 0; i < 4; ++i) body(data, probe, Motion(data, random));
  }
}

void check_finite(const std::vector<Case>& cases, Checklist& list) {
  list.claim("everything it gives is a finite number", 0, "write every entry of mass and force", [&](Measure& m) {
    on_states(cases, m, [&](const FlexibleData&, Probe& probe, const Motion& s) {
      m.see(probe.at(s.omega, s.eta, s.etadot).finite() ? 0 : 1, "at a random state");
    });
    for (const Case& one : cases) {
      m.in_model(one.sample.text);
      const FlexibleData& data = one.sample.view().flexible[0];
      const Vector rest = Vector::Zero(index(data.modes));
      const FirstModes start = start_of(data);
      Probe probe(data);
      m.see(probe.at({0, 0, 0}, rest, rest).finite() ? 0 : 1, "undeformed, at rest");
      m.see(probe.at({0.3, -0.7, 0.5}, rest, rest).finite() ? 0 : 1, "undeformed, in motion");
      m.see(start.eta.allFinite() && start.etadot.allFinite() ? 0 : 1, "initial_state() gives no number");
      m.see(probe.at({0, 0, 0}, start.eta, start.etadot).finite() ? 0 : 1, "as drawn");
    }
  });
}

void check_equations(const std::vector<Case>& cases, Checklist& list) {
  list.claim("the mass matrix is symmetric", 1e-13, "fill both triangles of FlexibleOutput::mass", [&](Measure& m) {
    on_states(cases, m, [&](const FlexibleData&, Probe& probe, const Motion& s) {
      const Matrix M = probe.at(s.omega, s.eta, s.etadot).mass;
      m.see(relative(largest(M - M.transpose()), largest(M)), "at a random state");
    });
  });
  list.claim("the mass matrix is positive semidefinite", 1e-10,
             "no motion may have a negative kinetic energy: integrals of the mode shapes do not belong to one body",
             [&](Measure& m) {
               on_states(cases, m, [&](const FlexibleData&, Probe& probe, const Motion& s) {
                 const Matrix M = probe.at(s.omega, s.eta, s.etadot).mass;
                 const Vector values = Eigen::SelfAdjointEigenSolver<Matrix>(M, Eigen::EigenvaluesOnly).eigenvalues();
                 m.see(relative(larger(0, -values[0]), largest(values)), [&] {
                   return fmt::format("its smallest eigenvalue is {:.3g} at modal coordinates [{:.4g}]", values[0],
                                      fmt::join(s.eta, ", "));
                 });
               });
             });
  list.claim("mass and first moment are those of the mass matrix", 1e-10,
             "mass_moment() and the upper left blocks of the mass matrix must be of the same ρ(η)", [&](Measure& m) {
               on_states(cases, m, [&](const FlexibleData& data, Probe& probe, const Motion& s) {
                 const Matrix M = probe.at(s.omega, s.eta, s.etadot).mass;
                 double mass = 0;
                 Vec3 c;
                 data.type->mass_moment(*data.instance, {s.eta.data(), probe.modes()}, mass, c);
                 const Mat3 expected = skew(c);  // moment per acceleration of the origin
                 const double moments = larger(largest(M.block<3, 3>(0, 3)), norm(c));
                 for (Index i = 0; i < 3; ++i)
                   for (Index k = 0; k < 3; ++k) {
                     const auto r = static_cast<std::size_t>(i), col = static_cast<std::size_t>(k);
                     m.see(relative(std::abs(M(3 + i, 3 + k) - (i == k ? mass : 0)), mass), "mass");
                     m.see(relative(std::abs(M(i, 3 + k) - expected(r, col)), moments), "first moment");
                   }
                 if (probe.modes() == 0) return;
                 // The velocity of the mass centre times the mass is the rate of the first moment.
                 for (Index k = 0; k < s.eta.size(); ++k) {
                   const Vector found = M.block<3, 1>(3, 6 + k);
                   const auto moment_at = [&](double h) {
                     Vector eta = s.eta;
                     eta[k] += h;
                     data.type->mass_moment(*data.instance, {eta.data(), probe.modes()}, mass, c);
                     return Vector(eigen(c));
                   };
                   const Vector size = Vector::Constant(3, found.norm());
                   m.see(largest(rate_errors(found, size, 1e-10, moment_at)), "first moment of the modes");
                 }
               });
             });
  list.claim(
      "its forces are those of Lagrange's equations", 1e-6,
      "the quadratic terms, the stiffness or the damping in FlexibleOutput::force do not belong to the mass matrix, "
      "strain_energy and damping_power",
      [&](Measure& m) {
        on_states(cases, m, [&](const FlexibleData&, Probe& probe, const Motion& s) {
          Vector rates(6 + s.eta.size());
          rates << s.alpha, s.a, s.etaddot;
          const Equations e = probe.at(s.omega, s.eta, s.etadot);
          Vector terms = e.mass.cwiseAbs() * rates.cwiseAbs() + e.force.cwiseAbs();
          const Vector found = e.mass * rates - e.force, expected = lagrange_loads(probe, s, terms),
                       error = found - expected;
          for (Index k = 0; k < error.size(); ++k) {
            const double size = k < 3 ? largest(terms.head(3)) : k < 6 ? largest(terms.segment(3, 3)) : terms[k];
            m.see(relative(std::abs(error[k]), size), [&] {
              return fmt::format("{} {}", k < 3 ? "moment" : k < 6 ? "force" : "mode", k < 6 ? k % 3 : k - 6);
            });
          }
        });
      });
  list.claim("strain energy is not negative, and damping takes energy", 0,
             "strain_energy is half ηᵀ K η, damping_power minus the rates with D between them", [&](Measure& m) {
               on_states(cases, m, [&](const FlexibleData&, Probe& probe, const Motion& s) {
                 const Equations e = probe.at(s.omega, s.eta, s.etadot);
                 m.see(e.strain_energy >= 0 ? 0 : 1, "the strain energy is negative");
                 m.see(e.damping_power <= 0 ? 0 : 1, "the damping gives energy");
               });
             });
}

void check_calls(const std::vector<Case>& cases, Checklist& list) {
  list.claim("the same input gives the same output", 0, "evaluate() must keep nothing between calls", [&](Measure& m) {
    on_states(cases, m, [&](const FlexibleData&, Probe& probe, const Motion& s) {
      const Equations first = probe.at(s.omega, s.eta, s.etadot);
      probe.at(-s.omega, 2 * s.eta, -s.etadot);
      const Equations again = probe.at(s.omega, s.eta, s.etadot);
      m.see(first.mass == again.mass && first.force == again.force ? 0 : 1,
            "a call between two equal ones changes the second");
    });
    for (const Case& one : cases)
      for (const FlexibleNode& node : one.sample.view().nodes) ask_shapes(one.sample.view().flexible[0], node.point);
  });
  list.claim(
      "instances in one batch give what each gives alone", 1e-12,
      "evaluate() must read the input of each instance, and write its own output", [&](Measure& m) {
        const FlexibleData &a = cases.front().sample.view().flexible[0], &b = cases.back().sample.view().flexible[0];
        Random random(59);
        const Motion s(a, random), r(b, random);
        Probe alone_a(a), alone_b(b);
        const Equations first = alone_a.at(s.omega, s.eta, s.etadot), second = alone_b.at(r.omega, r.eta, r.etadot);
        const auto [third, fourth] = pair_of(a, s, b, r);
        const auto see = [&](const Equations& x, const Equations& y) {
          m.see(largest(x.mass - y.mass) / (1 + largest(x.mass)), "the mass matrix");
          m.see(largest(x.force - y.force) / (1 + largest(x.force)), "the forces");
          m.see(std::abs(x.strain_energy - y.strain_energy) / (1 + x.strain_energy), "the strain energy");
        };
        see(first, third);
        see(second, fourth);
      });
  claim_own_data(
      cases.front().sample.view().flexible[0].type, cases, list,
      [](const Case& one) { return std::make_unique<Probe>(one.sample.view().flexible[0]); },
      [](const Case& one) {
        Random random(61);
        return Motion(one.sample.view().flexible[0], random);
      },
      [](Probe& probe, const Case&, const Motion& s) { return probe.at(s.omega, s.eta, s.etadot).numbers(); });
  claim_no_allocation(list, evaluate_allocates_nothing, make_memory_before, [&](Measure& m) {
    on_states(cases, m, [&](const FlexibleData&, Probe& probe, const Motion& s) {
      see_allocations(probe.at(s.omega, s.eta, s.etadot).allocations, m);
    });
  });
}

}  // namespace

void check_flexible_body(const FlexibleBodyType& type, const Bench& bench, Checklist& list) {
  std::vector<Case> cases;
  const auto prepare = [&](Measure&) {
    Random states(41);
    for (int i = 0; i < bench.count(6); ++i) {
      Sample sample = flexible_model(type, bench, static_cast<std::uint64_t>(60 + i));
      State state = random_state(*sample.system, states);
      const Probe can_be_created(sample.view().flexible[0]);
      cases.push_back({std::move(sample), std::move(state)});
    }
  };
  if (!list.prepare(instances_are_made, sound_instances, prepare, needs_example)) return;
  check_finite(cases, list);
  check_equations(cases, list);
  check_calls(cases, list);
  check_in_formulations(cases, false, bench, list);
}

}  // namespace polyform::host::conformance
