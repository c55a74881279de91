// H2 and the reduced equations, from the motions of the bodies.
#include <Eigen/LU>

#include "apps/formulas/expansion.hpp"

namespace polyform::apps::formulas {

/// Efforts in balls and free joints are of base axes, rates of the formulas of moving axes: Eᵀ takes the efforts there.
void Expansion::turn_efforts() {
  const auto turn_back = [&](std::size_t at, const Rotation& E) {
    Vector effort;
    for (std::size_t k = 0; k < 3; ++k) effort[k] = efforts_[at + k];
    effort = symbols_.reduced(E.back(effort));
    for (std::size_t k = 0; k < 3; ++k) efforts_[at + k] = effort[k];
  };
  for (const Turned& t : turned_) {
    turn_back(t.v, t.E);
    if (t.free) turn_back(t.v - 3, t.E);
  }
}

/// H2, Ḣ2 q̇2 and the terms of Eq 15.
void Expansion::project() {
  turn_efforts();
  const std::size_t n = bodies_.size(), p = freedoms_.size();
  Matrix H2{"H2",
            "velocity transformation, Eq 17; rows of a body: v, ground axes; w, body axes",
            "H_2",
            6 * n,
            p,
            false,
            std::vector<ex>(6 * n * p, 0)};
  Matrix gamma{"G", "rate of H2 times q2', Eq 14", "\\dot H_2 \\dot q_2", 6 * n, 1, false, std::vector<ex>(6 * n, 0)};
  Matrix M22{"M22", "reduced mass H2^T M H2, Eq 15", "\\hat M_{22}", p, p, true, std::vector<ex>(p * p, 0)};
  Matrix Q2{
      "Q2", "reduced force H2^T Q with gyroscopic torques, Eq 15", "\\hat Q_2", p, 1, false, std::vector<ex>(p, 0)};
  Matrix N22{"N22",
             "gyroscopic term H2^T M (rate of H2) q2', Eq 15",
             "\\hat N_{22} \\dot q_2",
             p,
             1,
             false,
             std::vector<ex>(p, 0)};
  for (std::size_t b = 0; b < n; ++b) {
    const Body& body = bodies_[b];
    const Motion& m = body.frame;
    const auto times_inertia = [&](const Vector& x) {
      return Vector{{dot(body.inertia[0], x), dot(body.inertia[1], x), dot(body.inertia[2], x)}};
    };
    const Vector a = m.to_ground.times(body.center_acceleration);
    for (std::size_t r = 0; r < 3; ++r) {
      gamma.values[6 * b + r] = symbols_.expanded(a[r]);
      gamma.values[6 * b + 3 + r] = m.alpha[r];
    }
    const Vector force = symbols_.reduced(m.to_ground.back(body.force) + body.mass * m.gravity);
    const Vector moment = symbols_.reduced(body.moment - cross(m.w, times_inertia(m.w)));
    const Vector inertial = symbols_.reduced(times_inertia(m.alpha));
    const std::vector<Vector>&V = body.center_velocities, &W = m.W;
    for (std::size_t k = 0; k < p; ++k) {
      const Vector v = m.to_ground.times(V[k]), JW = symbols_.reduced(times_inertia(W[k]));
      for (std::size_t r = 0; r < 3; ++r) {
        H2.values[(6 * b + r) * p + k] = symbols_.expanded(v[r]);
        H2.values[(6 * b + 3 + r) * p + k] = W[k][r];
      }
      for (std::size_t l = k; l < p; ++l) M22.values[k * p + l] += body.mass * dot(V[k], V[l]) + dot(JW, W[l]);
      Q2.values[k] += dot(V[k], force) + dot(W[k], moment);
      N22.values[k] += body.mass * dot(V[k], body.center_acceleration) + dot(W[k], inertial);
    }
  }
  for (std::size_t k = 0; k < p; ++k) {
    Q2.values[k] = symbols_.expanded(Q2.values[k] + efforts_[k]);
    N22.values[k] = symbols_.expanded(N22.values[k]);
    for (std::size_t l = k; l < p; ++l)
      M22.values[l * p + k] = M22.values[k * p + l] = symbols_.expanded(M22.values[k * p + l]);
  }
  matrices_ = {std::move(H2), std::move(gamma), std::move(M22), std::move(Q2), std::move(N22)};
}

/// q̈2 at the state, in the view's coordinates: for a ball ω̇ = R ẇ, for a free joint v̇ = R (v̇_b + w × v_b).
std::vector<double> Expansion::accelerations() const {
  const Eigen::Index p = static_cast<Eigen::Index>(freedoms_.size());
  Eigen::MatrixXd M(p, p);
  Eigen::VectorXd right(p);
  for (Eigen::Index r = 0; r < p; ++r) {
    for (Eigen::Index c = 0; c < p; ++c)
      M(r, c) = symbols_.value(matrices_[2].values[static_cast<std::size_t>(r * p + c)]);
    right[r] = symbols_.value(matrices_[3].values[static_cast<std::size_t>(r)]) -
               symbols_.value(matrices_[4].values[static_cast<std::size_t>(r)]);
  }
  const Eigen::VectorXd found = M.partialPivLu().solve(right);
  std::vector<double> out(found.begin(), found.end());
  for (const Turned& t : turned_) {
    const auto put = [&](std::size_t at, const Vec3& x) {
      const Vec3 turned = t.R * x;
      for (std::size_t k = 0; k < 3; ++k) out[at + k] = turned[k];
    };
    const auto get = [&](std::size_t at) { return Vec3{out[at], out[at + 1], out[at + 2]}; };
    if (t.free) put(t.v - 3, get(t.v - 3) + cross(t.spin, t.speed));
    put(t.v, get(t.v));
  }
  return out;
}

}  // namespace polyform::apps::formulas
