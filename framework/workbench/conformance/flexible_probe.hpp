// Flexible bodies by themselves, along a known motion of the body frame.
#pragma once

#include <Eigen/Eigenvalues>
#include <cmath>

#include "framework/workbench/conformance/allocation_count.hpp"
#include "framework/workbench/conformance/batch_probe.hpp"
#include "framework/workbench/conformance/canaries.hpp"
#include "framework/workbench/conformance/checklist.hpp"

namespace polyform::host::inline conformance::flexible {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Eigen::Index;

inline Index index(std::size_t i) { return static_cast<Index>(i); }
inline Eigen::Vector3d eigen(const Vec3& v) { return {v.x, v.y, v.z}; }

/// The equations that a type gives for one instance at one state.
struct Equations {
  Matrix mass;
  Vector force;
  double strain_energy, damping_power;
  std::size_t allocations;

  bool finite() const {
    return mass.allFinite() && force.allFinite() && std::isfinite(strain_energy) && std::isfinite(damping_power);
  }
  /// All their numbers as one list.
  std::vector<double> numbers() const {
    std::vector<double> all{strain_energy, damping_power};
    all.insert(all.end(), mass.data(), mass.data() + mass.size());
    all.insert(all.end(), force.data(), force.data() + force.size());
    return all;
  }
};

/// Storage of one instance's input and output, and the equations in it.
class Call {
 public:
  Call(const Eigen::Vector3d& omega, const Vector& eta, const Vector& etadot)
      : size_(6 + static_cast<std::size_t>(eta.size())),
        mass_(given_.numbers("mass", size_ * size_)),
        force_(given_.numbers("force", size_)),
        in_{{omega[0], omega[1], omega[2]}, {eta.data(), size_ - 6}, {etadot.data(), size_ - 6}} {}
  const FlexibleInput& in() const { return in_; }
  FlexibleOutput out() { return {mass_, force_, 0, 0}; }
  Equations equations(const FlexibleOutput& out, std::size_t allocations) const {
    given_.check();
    return {Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
                mass_.data(), index(size_), index(size_)),
            Eigen::Map<const Vector>(force_.data(), index(size_)), out.strain_energy, out.damping_power, allocations};
  }

 private:
  std::size_t size_;
  Canaries given_;
  std::span<double> mass_, force_;
  FlexibleInput in_;
};

inline BatchPointer<FlexibleBatch> make(const FlexibleBodyType& type, Strided<const FlexibleInstance> instances) {
  return made_batch(type.create(instances));
}

/// The result of initial_state().
struct FirstModes {
  Vector eta, etadot;
};
inline FirstModes start_of(const FlexibleData& body) {
  Canaries given;
  const std::span<double> eta = given.numbers("eta", body.modes), etadot = given.numbers("etadot", body.modes);
  body.type->initial_state(*body.instance, eta, etadot);
  given.check("initial_state()");
  return {Eigen::Map<const Vector>(eta.data(), index(eta.size())),
          Eigen::Map<const Vector>(etadot.data(), index(etadot.size()))};
}
/// Asks for the mode shapes at a point. The type must not write beyond the storage that it is given.
inline void ask_shapes(const FlexibleData& body, const Vec3& point) {
  Canaries given;
  const std::size_t m = body.modes;
  ModeShapes shapes{.displacement = given.numbers("displacement", 3 * m),
                    .rotation = given.numbers("rotation", 3 * m),
                    .second_order = given.numbers("second_order", 3 * m * m)};
  body.type->shapes_at(*body.instance, point, shapes);
  given.check("shapes_at()");
}

class Probe {
 public:
  explicit Probe(const FlexibleData& data) : modes_(data.modes), batch_(make(*data.type, {data.instance, 1})) {}
  Equations at(const Eigen::Vector3d& omega, const Vector& eta, const Vector& etadot) {
    Call call(omega, eta, etadot);
    FlexibleOutput out = call.out();
    const std::size_t allocations =
        allocations_of([&] { batch_->evaluate(std::span(&call.in(), 1), std::span(&out, 1)); });
    return call.equations(out, allocations);
  }
  std::size_t modes() const { return modes_; }

 private:
  std::size_t modes_;
  BatchPointer<FlexibleBatch> batch_;
};

/// A motion known with its accelerations: constant α, a, η̈ at t = 0, in body axes.
struct Motion {
  Eigen::Vector3d omega, v, alpha, a;
  Vector eta, etadot, etaddot;

  Motion(const FlexibleData& body, Random& random)
      : omega(eigen(random.vector(2))),
        v(eigen(random.vector(2))),
        alpha(eigen(random.vector(2))),
        a(eigen(random.vector(2))),
        eta(numbers(body.modes, 0.05, random)),
        etadot(numbers(body.modes, 0.5, random)),
        etaddot(numbers(body.modes, 1, random)) {
    const std::vector<ValueRange> modes =
        ranges_of(*body.type, ValueRanges::Kind::mode, body.modes, body.instance->fields);
    for (Index k = 0; k < eta.size(); ++k) {
      const double size = modes[static_cast<std::size_t>(k)].typical / 0.05;
      if (size > 0) eta[k] *= size, etadot[k] *= size, etaddot[k] *= size;
    }
    keep_modes_valid(body, {eta.data(), body.modes});
  }
  static Vector numbers(std::size_t count, double size, Random& random) {
    const std::vector<double> list = random.numbers(count, size);
    return Eigen::Map<const Vector>(list.data(), index(count));
  }
  Eigen::Vector3d omega_at(double t) const { return omega + t * alpha; }
  /// dv/dt in body axes is a − Ω × v.
  Eigen::Vector3d v_at(double t) const { return v + t * (a - omega.cross(v)); }
  Vector eta_at(double t) const { return eta + t * etadot + 0.5 * t * t * etaddot; }
  Vector etadot_at(double t) const { return etadot + t * etaddot; }
  Vector u_at(double t) const {
    Vector u(6 + eta.size());
    u << omega_at(t), v_at(t), etadot_at(t);
    return u;
  }
};

/// Two instances in one batch.
inline std::pair<Equations, Equations> pair_of(const FlexibleData& a, const Motion& s, const FlexibleData& b,
                                               const Motion& r) {
  const FlexibleInstance instances[]{*a.instance, *b.instance};
  Call first(s.omega, s.eta, s.etadot), second(r.omega, r.eta, r.etadot);
  const FlexibleInput in[]{first.in(), second.in()};
  FlexibleOutput out[]{first.out(), second.out()};
  make(*a.type, instances)->evaluate(in, out);
  return {first.equations(out[0], 0), second.equations(out[1], 0)};
}

}  // namespace polyform::host::conformance::flexible
