// Modal bodies for the tests, from mass points.
#pragma once

#include "tests/flexible/flexible_bench.hpp"

namespace polyform::test {

inline const FlexibleBodyType& modal_type = flexible::modal_body();

inline std::vector<MassPoint> random_points(Random& random, std::size_t count, std::size_t modes) {
  std::vector<MassPoint> points;
  for (std::size_t i = 0; i < count; ++i) {
    points.push_back({random.uniform(0, 1), random.vector(1), {}});
    for (std::size_t k = 0; k < modes; ++k) points.back().shape.push_back(random.vector(1));
  }
  return points;
}

inline void append(std::vector<double>& list, const Vec3& v) { list.insert(list.end(), {v.x, v.y, v.z}); }

/// Nodes and modes of the points with a stiffness of 1, 2, ... per mode; no inertia yet.
inline FieldSet massless_fields(const std::vector<MassPoint>& points) {
  const std::size_t modes = points[0].shape.size();
  std::vector<double> nodes, displacements, stiffness;
  for (const MassPoint& p : points) append(nodes, p.position);
  for (std::size_t k = 0; k < modes; ++k) {
    for (const MassPoint& p : points) append(displacements, p.shape[k]);
    stiffness.push_back(static_cast<double>(k + 1));
  }
  FieldSet f(modal_type.fields());
  f.matrix("nodes", points.size(), nodes).matrix("mode_displacements", modes, displacements);
  f.numbers("modal_stiffness", stiffness);
  return f;
}
inline FieldSet lumped_fields(const std::vector<MassPoint>& points) {
  std::vector<double> masses;
  for (const MassPoint& p : points) masses.push_back(p.mass);
  FieldSet f = massless_fields(points);
  f.numbers("node_masses", masses);
  return f;
}
/// The same inertia by the integrals of the modes; the rigid part is left to the host.
inline FieldSet integral_fields(const std::vector<MassPoint>& points) {
  const std::size_t m = points[0].shape.size();
  std::vector<double> one(3 * m), two(9 * m), three(9 * m * m);
  for (const MassPoint& p : points)
    for (std::size_t k = 0; k < m; ++k)
      for (std::size_t i = 0; i < 3; ++i) {
        one[3 * k + i] += p.mass * p.shape[k][i];
        for (std::size_t j = 0; j < 3; ++j) {
          two[9 * k + 3 * i + j] += p.mass * p.position[i] * p.shape[k][j];
          for (std::size_t l = 0; l < m; ++l)
            three[(3 * k + i) * 3 * m + 3 * l + j] += p.mass * p.shape[k][i] * p.shape[l][j];
        }
      }
  FieldSet f = massless_fields(points);
  f.matrix("integral_phi", m, one).matrix("integral_u_phi", m, two);
  f.matrix("integral_phi_phi", 3 * m, three);
  return f;
}

}  // namespace polyform::test
