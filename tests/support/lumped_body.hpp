// A flexible body whose equations can be written down at sight: particles that modes displace, no continuum.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "polyform/contract/flexible_body.hpp"

namespace polyform::test {

/// Particles at u + Φu η with a linear elastic and damping matrix. Attachments take Φu from the particle at their point
/// (zero if there is none) and any Φθ, which has no inertia.
class LumpedBody final : public FlexibleBodyType {
 public:
  struct Particle {
    double mass;
    Vec3 point;
    std::vector<Vec3> displacement;  ///< Φu, one column per mode
    std::vector<Vec3> rotation;      ///< Φθ of what is attached here
  };
  LumpedBody(std::vector<Particle> particles, std::vector<double> stiffness, std::vector<double> damping)
      : particles_(std::move(particles)), stiffness_(std::move(stiffness)), damping_(std::move(damping)) {}

  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{.name = "lumped", .meaning = "particles on springs"};
    return descriptor;
  }
  std::size_t modes(const FlexibleInstance&) const noexcept override { return stiffness_.size(); }
  bool define(const FlexibleInstance&, std::size_t, FieldSink&) const noexcept override { return true; }
  bool shapes_at(const FlexibleInstance&, const Vec3& point, ModeShapes& shapes) const noexcept override {
    const std::size_t m = stiffness_.size();
    std::fill(shapes.displacement.begin(), shapes.displacement.end(), 0.0);
    std::fill(shapes.rotation.begin(), shapes.rotation.end(), 0.0);
    for (const Particle& p : particles_) {
      if (norm(p.point - point) > 1e-12) continue;
      for (std::size_t k = 0; k < m; ++k)
        for (std::size_t i = 0; i < 3; ++i) {
          shapes.displacement[i * m + k] = p.displacement[k][i];
          shapes.rotation[i * m + k] = p.rotation.empty() ? 0 : p.rotation[k][i];
        }
    }
    return true;
  }
  void initial_state(const FlexibleInstance&, std::span<double>, std::span<double>) const noexcept override {}
  void mass_moment(const FlexibleInstance&, std::span<const double> eta, double& mass,
                   Vec3& moment) const noexcept override {
    mass = 0;
    moment = {};
    for (const Particle& p : particles_) {
      mass += p.mass;
      moment += p.mass * place(p, eta);
    }
  }
  FlexibleBatch* create(Strided<const FlexibleInstance> instances) const noexcept override {
    return instances.size() == 1 ? new Batch(*this) : nullptr;
  }

  static Vec3 place(const Particle& p, std::span<const double> eta) {
    Vec3 r = p.point;
    for (std::size_t k = 0; k < eta.size(); ++k) r += eta[k] * p.displacement[k];
    return r;
  }
  const std::vector<Particle>& particles() const { return particles_; }

 private:
  class Batch final : public FlexibleBatch {
   public:
    explicit Batch(const LumpedBody& body) : body_(body) {}
    void evaluate(Strided<const FlexibleInput> inputs, Strided<FlexibleOutput> outputs) noexcept override {
      const FlexibleInput& in = inputs[0];
      FlexibleOutput& out = outputs[0];
      const std::size_t m = in.eta.size(), n = 6 + m;
      std::fill(out.mass.begin(), out.mass.end(), 0.0);
      std::fill(out.force.begin(), out.force.end(), 0.0);
      out.strain_energy = out.damping_power = 0;
      for (const Particle& p : body_.particles_) {
        const Vec3 r = place(p, in.eta), rate = place(p, in.etadot) - p.point;
        const Vec3& w = in.angular_velocity;
        const Vec3 bias = cross(w, cross(w, r)) + 2.0 * cross(w, rate);
        const auto column = [&](std::size_t c) -> Vec3 {
          Vec3 e;
          if (c < 6) e[c % 3] = 1;
          return c < 3 ? cross(e, r) : c < 6 ? e : p.displacement[c - 6];
        };
        for (std::size_t i = 0; i < n; ++i) {
          out.force[i] -= p.mass * dot(column(i), bias);
          for (std::size_t j = 0; j < n; ++j) out.mass[i * n + j] += p.mass * dot(column(i), column(j));
        }
      }
      for (std::size_t k = 0; k < m; ++k) {
        out.force[6 + k] -= body_.stiffness_[k] * in.eta[k] + body_.damping_[k] * in.etadot[k];
        out.strain_energy += 0.5 * body_.stiffness_[k] * in.eta[k] * in.eta[k];
        out.damping_power -= body_.damping_[k] * in.etadot[k] * in.etadot[k];
      }
    }
    void destroy() noexcept override { delete this; }

   private:
    const LumpedBody& body_;
  };

  std::vector<Particle> particles_;
  std::vector<double> stiffness_, damping_;
};

}  // namespace polyform::test
