// Derivatives that a force gives, compared with differences of its outputs.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "framework/workbench/conformance/batch_probe.hpp"
#include "polyform/contract/given_derivatives.hpp"
#include "polyform/mechanics/kinematics.hpp"

namespace polyform::host::inline conformance {

/// The shape of the matrix of one instance. joints: attached, in order.
inline DerivativeShape shape_of(const ForceType& type, const ElementInstance& instance,
                                const std::vector<const JointData*>& joints) {
  DerivativeShape shape{.markers = instance.markers.size(), .states = type.state_count()};
  for (const JointData* joint : joints) shape.velocities += joint->nv;
  return shape;
}

/// The matrix of one instance by central differences. outputs(input): all outputs of the instance, as in a column.
template <class Outputs>
std::vector<double> differences(const DerivativeShape& shape, const std::vector<const JointData*>& joints,
                                const BatchInput& in, const Outputs& outputs) {
  std::vector<double> matrix(shape.inputs() * shape.outputs());
  constexpr double relative_step = 1e-6;
  /// move(input, step): the input moved by the step.
  const auto column = [&](std::size_t c, double size, const auto& move) {
    const double step = relative_step * size;
    BatchInput up = in, down = in;
    move(up, step);
    move(down, -step);
    const std::vector<double> above = outputs(up), below = outputs(down);
    for (std::size_t r = 0; r < above.size(); ++r) matrix[r * shape.inputs() + c] = (above[r] - below[r]) / (2 * step);
  };
  for (std::size_t m = 0; m < shape.markers; ++m)
    for (std::size_t k = 0; k < 3; ++k) {
      const auto along = [k](double step) {
        Vec3 out;
        out[k] = step;
        return out;
      };
      const MarkerMotion& at = in.markers[m];
      column(shape.rotation(m) + k, 1, [&](BatchInput& x, double step) {
        x.markers[m].R = rotation_matrix(from_rotation_vector(along(step))) * x.markers[m].R;
      });
      column(shape.displacement(m) + k, 1e-2 + norm(at.position),
             [&](BatchInput& x, double step) { x.markers[m].position += along(step); });
      column(shape.angular_velocity(m) + k, 1 + norm(at.angular_velocity),
             [&](BatchInput& x, double step) { x.markers[m].angular_velocity += along(step); });
      column(shape.velocity(m) + k, 1 + norm(at.velocity),
             [&](BatchInput& x, double step) { x.markers[m].velocity += along(step); });
    }
  std::size_t q = 0, v = 0;
  for (const JointData* joint : joints) {
    for (std::size_t k = 0; k < joint->nv; ++k) {
      column(shape.coordinate(v + k), 1, [&](BatchInput& x, double step) {
        double direction[6]{}, moved[most_joint_positions];
        direction[k] = step;
        joint_position_step(*joint, in.q.data() + q, direction, moved);
        for (std::size_t c = 0; c < joint->nq; ++c) x.q[q + c] += moved[c];
      });
      column(shape.rate(v + k), 1 + std::abs(in.v[v + k]), [&](BatchInput& x, double step) { x.v[v + k] += step; });
    }
    q += joint->nq;
    v += joint->nv;
  }
  for (std::size_t k = 0; k < shape.states; ++k)
    column(shape.state(k), 1e-3 + std::abs(in.states[k]), [&](BatchInput& x, double step) { x.states[k] += step; });
  return matrix;
}

/// The largest difference of two such matrices, relative to the largest number of its column. A column that is all but
/// zero compared with others is judged relative to a millionth of these.
inline double matrix_difference(const DerivativeShape& shape, const std::vector<double>& a,
                                const std::vector<double>& b) {
  double worst = 0, all = 0;
  for (const double x : b) all = std::max(all, std::abs(x));
  for (std::size_t c = 0; c < shape.inputs(); ++c) {
    double error = 0, scale = 1e-6 * all;
    for (std::size_t r = 0; r < shape.outputs(); ++r) {
      const std::size_t k = r * shape.inputs() + c;
      error = larger(error, std::abs(a[k] - b[k]));
      scale = std::max(scale, std::abs(b[k]));
    }
    worst = larger(worst, relative(error, scale));
  }
  return worst;
}

}  // namespace polyform::host::conformance
