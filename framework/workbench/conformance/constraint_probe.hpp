// Batches of constraint elements by themselves: their rows along a motion of what they are attached to.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "framework/workbench/conformance/allocation_count.hpp"
#include "framework/workbench/conformance/batch_probe.hpp"
#include "framework/workbench/conformance/canaries.hpp"
#include "framework/workbench/conformance/element_systems.hpp"
#include "framework/workbench/conformance/model_state.hpp"

namespace polyform::host::inline conformance {

/// The rows of one instance, with their storage.
struct Rows {
  std::vector<Spatial> A;
  std::vector<double> B, residual, velocity_right, acceleration_right, effort;
  std::size_t allocations = 0;

  bool finite() const {
    for (const auto* list : {&B, &residual, &velocity_right, &acceleration_right, &effort})
      if (!all_finite(*list)) return false;
    return std::ranges::all_of(A, [](const Spatial& a) { return std::isfinite(norm(a.angular) + norm(a.linear)); });
  }
  /// All that is in it as one list.
  std::vector<double> numbers() const {
    std::vector<double> all;
    for (const Spatial& a : A)
      for (std::size_t i = 0; i < 6; ++i) all.push_back(a[i]);
    for (const auto* list : {&B, &residual, &velocity_right, &acceleration_right, &effort})
      all.insert(all.end(), list->begin(), list->end());
    return all;
  }
  /// One row as numbers: A, B and the right-hand sides.
  Eigen::RowVectorXd row(std::size_t r) const {
    const std::size_t rows = residual.size(), markers = A.size() / rows, velocities = B.size() / rows;
    std::vector<double> all;
    for (std::size_t k = 0; k < markers; ++k)
      for (std::size_t i = 0; i < 6; ++i) all.push_back(A[r * markers + k][i]);
    for (std::size_t k = 0; k < velocities; ++k) all.push_back(B[r * velocities + k]);
    all.insert(all.end(), {velocity_right[r], acceleration_right[r]});
    return Eigen::Map<const Eigen::RowVectorXd>(all.data(), static_cast<Eigen::Index>(all.size()));
  }
  Eigen::MatrixXd matrix() const {
    Eigen::MatrixXd all(static_cast<Eigen::Index>(residual.size()), row(0).size());
    for (std::size_t r = 0; r < residual.size(); ++r) all.row(static_cast<Eigen::Index>(r)) = row(r);
    return all;
  }
};

inline BatchPointer<ConstraintBatch> make(const ConstraintInstances& group, Strided<const ElementInstance> instances) {
  return made_batch(group.type->create(instances));
}

inline Rows evaluate(ConstraintBatch& batch, Strided<const ElementInstance> instances,
                     std::span<const std::size_t> rows, const BatchInput& in) {
  Rows out;
  std::size_t count = 0, a = 0, b = 0;
  for (std::size_t i = 0; i < instances.size(); ++i) {
    std::size_t velocities = 0;
    for (const JointShape& joint : instances[i].joints) velocities += joint.nv;
    count += rows[i];
    a += rows[i] * instances[i].markers.size();
    b += rows[i] * velocities;
  }
  Canaries given;
  const std::span<Spatial> A = given.spatials("A", a);
  const std::span<double> B = given.numbers("B", b), residual = given.numbers("residual", count),
                          velocity_right = given.numbers("velocity_right", count),
                          acceleration_right = given.numbers("acceleration_right", count),
                          effort = given.numbers("effort", count);
  ConstraintOutput view{.A = A,
                        .B = B,
                        .residual = residual,
                        .velocity_right = velocity_right,
                        .acceleration_right = acceleration_right,
                        .effort = effort};
  out.allocations = allocations_of([&] { batch.evaluate(in.view(), view); });
  given.check();
  out.A.assign(A.begin(), A.end());
  out.B.assign(B.begin(), B.end());
  out.residual.assign(residual.begin(), residual.end());
  out.velocity_right.assign(velocity_right.begin(), velocity_right.end());
  out.acceleration_right.assign(acceleration_right.begin(), acceleration_right.end());
  out.effort.assign(effort.begin(), effort.end());
  return out;
}

/// A row applied to twists (or accelerations) of the markers and to velocities of the joints.
inline double applied(const Rows& rows, std::size_t row, std::span<const Spatial> twists, std::span<const double> v) {
  double sum = 0;
  for (std::size_t k = 0; k < twists.size(); ++k) sum += dot(rows.A[row * twists.size() + k], twists[k]);
  for (std::size_t k = 0; k < v.size(); ++k) sum += rows.B[row * v.size() + k] * v[k];
  return sum;
}

/// The sum of the sizes of those terms.
inline double applied_size(const Rows& rows, std::size_t row, std::span<const Spatial> twists,
                           std::span<const double> v) {
  double sum = 0;
  for (std::size_t k = 0; k < twists.size(); ++k) {
    const Spatial& a = rows.A[row * twists.size() + k];
    for (std::size_t i = 0; i < 6; ++i) sum += std::abs(a[i] * twists[k][i]);
  }
  for (std::size_t k = 0; k < v.size(); ++k) sum += std::abs(rows.B[row * v.size() + k] * v[k]);
  return sum;
}

/// Where a path starts from a configuration that satisfies the rows.
enum class Start {
  allowed,  ///< with velocities that satisfy them too
  any       ///< with velocities that leave them
};

/// Calls body(group, instance, path, at): `at(t)` gives input and rows of the instance along the path; or
/// body(at, rows_of): `rows_of(input)` gives the rows at any input.
template <class Body>
void on_instances(const std::vector<Case>& cases, Measure& m, Body body, Start start = Start::allowed) {
  Random random(29);
  for (const Case& one : cases) {
    const SystemView& view = one.sample.view();
    const ConstraintInstances& group = view.constraints[0];
    for (std::size_t i = 0; i < group.instances.size(); ++i) {
      State first = one.state;
      if (start == Start::any) {
        first.v = random.numbers(view.nv, 1.5);
        first.etadot = random.numbers(view.modes, 0.1);
      }
      m.in_model(with_state(one.sample.text, view, first));
      Path path(view, first, random);
      const auto instance = group.instances.subspan(i, 1);
      const auto batch = make(group, instance);
      const auto rows_of = [&](const BatchInput& in) {
        return evaluate(*batch, instance, group.rows.subspan(i, 1), in);
      };
      const auto at = [&](double t) {
        path.go(t);
        BatchInput in = input_of(view, group, i, path.frames(), path.now());
        in.time = Path::clock(t);
        Rows rows = rows_of(in);
        return std::pair(std::move(in), std::move(rows));
      };
      if constexpr (std::is_invocable_v<Body, decltype(at), decltype(rows_of)>)
        body(at, rows_of);
      else
        body(group, i, path, at);
    }
  }
}

}  // namespace polyform::host::conformance
