// One flexible body as the host would hold it, and its equations of motion at a state.
#pragma once

#include <optional>

#include "plugins/elements/flexible/flexible_types.hpp"
#include "tests/elements/field_set.hpp"
#include "tests/elements/random.hpp"

namespace polyform::test {

/// What a type computes at one state.
struct FlexibleTerms {
  std::vector<double> mass, force;
  double strain_energy = 0, damping_power = 0;

  std::size_t size() const { return force.size(); }
  double operator()(std::size_t i, std::size_t j) const { return mass[i * size() + j]; }
};

/// Angular velocity of the frame and modal state.
struct FlexibleMotion {
  Vec3 angular_velocity;
  std::vector<double> eta, etadot;
};

inline FlexibleMotion random_motion(Random& random, std::size_t modes, double size = 0.3) {
  FlexibleMotion motion{random.vector(3), {}, {}};
  for (std::size_t k = 0; k < modes; ++k) {
    motion.eta.push_back(random.uniform(-size, size));
    motion.etadot.push_back(random.uniform(-3 * size, 3 * size));
  }
  return motion;
}

class FlexibleBench {
 public:
  FlexibleBench(const FlexibleBodyType& type, FieldSet fields)
      : type_(type), fields_(std::move(fields)), instance_{.fields = fields_.values()} {
    RecordingSink sink(type.fields());
    if (!type.define(instance_, 0, sink)) throw std::invalid_argument(sink.reports.at(0));
    modes_ = type.modes(instance_);
    batch_ = type.create({&instance_, 1});
    if (batch_ == nullptr) throw std::bad_alloc();
  }
  ~FlexibleBench() { batch_->destroy(); }
  FlexibleBench(const FlexibleBench&) = delete;
  FlexibleBench& operator=(const FlexibleBench&) = delete;

  std::size_t modes() const { return modes_; }
  FlexibleTerms at(const FlexibleMotion& motion) {
    const std::size_t n = 6 + modes_;
    FlexibleTerms terms;
    terms.mass.assign(n * n, std::nan(""));
    terms.force.assign(n, std::nan(""));
    const FlexibleInput in{motion.angular_velocity, motion.eta, motion.etadot};
    FlexibleOutput out{terms.mass, terms.force};
    batch_->evaluate({&in, 1}, {&out, 1});
    terms.strain_energy = out.strain_energy;
    terms.damping_power = out.damping_power;
    return terms;
  }
  struct Shapes {
    std::vector<double> displacement, rotation;
  };
  std::optional<Shapes> shapes_at(const Vec3& point) const {
    Shapes s{std::vector<double>(3 * modes_, std::nan("")), std::vector<double>(3 * modes_, std::nan(""))};
    ModeShapes out{.displacement = s.displacement, .rotation = s.rotation};
    if (!type_.shapes_at(instance_, point, out)) return std::nullopt;
    return s;
  }
  FlexibleMotion initial() const {
    FlexibleMotion motion{{}, std::vector<double>(modes_), std::vector<double>(modes_)};
    type_.initial_state(instance_, motion.eta, motion.etadot);
    return motion;
  }
  std::pair<double, Vec3> mass_moment(const std::vector<double>& eta) const {
    std::pair<double, Vec3> out;
    type_.mass_moment(instance_, eta, out.first, out.second);
    return out;
  }

 private:
  const FlexibleBodyType& type_;
  FieldSet fields_;
  FlexibleInstance instance_;
  std::size_t modes_ = 0;
  FlexibleBatch* batch_ = nullptr;
};

/// The messages of `define` about wrong fields, all in one text.
inline std::string complaints(const FlexibleBodyType& type, const FieldSet& fields) {
  RecordingSink sink(type.fields());
  const bool good = type.define({.fields = fields.values()}, 0, sink);
  std::string text = good ? "accepted" : "";
  for (const std::string& report : sink.reports) text += report + '\n';
  return text;
}

/// A mass point: its undeformed place, and its displacement in each mode.
struct MassPoint {
  double mass;
  Vec3 position;
  std::vector<Vec3> shape;           ///< per mode
  std::vector<Vec3> second_order{};  ///< per pair of modes, Γ; none: all zero
};

/// The same equations by summation over mass points at ρ = u + Φ η + ½ Γ[η, η]: Σ Bᵀ B m and
/// −Σ Bᵀ (Ω × (Ω × ρ) + 2 Ω × ρ̇ + Γ[η̇, η̇]) m, B = [−ρ̃  1  Φ + Γ η]. Without elastic and damping forces.
inline FlexibleTerms sum_over(const std::vector<MassPoint>& points, const FlexibleMotion& motion) {
  const std::size_t m = motion.eta.size(), n = 6 + m;
  FlexibleTerms terms{std::vector<double>(n * n), std::vector<double>(n)};
  const Vec3& w = motion.angular_velocity;
  for (const MassPoint& p : points) {
    Vec3 rho = p.position, rate, drawn_in;
    std::vector<Vec3> moves = p.shape;
    for (std::size_t k = 0; k < m; ++k)
      for (std::size_t l = 0; l < m && !p.second_order.empty(); ++l) {
        const Vec3& gamma = p.second_order[k * m + l];
        moves[k] += motion.eta[l] * gamma;
        rho += (0.5 * motion.eta[k] * motion.eta[l]) * gamma;
        drawn_in += (motion.etadot[k] * motion.etadot[l]) * gamma;
      }
    for (std::size_t k = 0; k < m; ++k) {
      rho += motion.eta[k] * p.shape[k];
      rate += motion.etadot[k] * moves[k];
    }
    std::vector<Vec3> b;  // columns of B
    const Mat3 turn = skew(-rho), one = Mat3::identity();
    for (std::size_t j = 0; j < 3; ++j) b.push_back(turn.column(j));
    for (std::size_t j = 0; j < 3; ++j) b.push_back(one.column(j));
    b.insert(b.end(), moves.begin(), moves.end());
    const Vec3 acceleration = cross(w, cross(w, rho)) + 2.0 * cross(w, rate) + drawn_in;
    for (std::size_t i = 0; i < n; ++i) {
      terms.force[i] -= p.mass * dot(b[i], acceleration);
      for (std::size_t j = 0; j < n; ++j) terms.mass[i * n + j] += p.mass * dot(b[i], b[j]);
    }
  }
  return terms;
}

inline double largest(const std::vector<double>& a) {
  double worst = 0;
  for (const double x : a) worst = std::max(worst, std::abs(x));
  return worst;
}
/// Largest difference of two lists, relative to the largest element; NaN stays NaN.
inline double difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return std::nan("");
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::abs(a[i] - b[i]);
    if (!(d <= worst)) worst = d;
  }
  return worst / std::max(largest(a), 1e-300);
}

}  // namespace polyform::test
