#include "framework/host/reading/inertia.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace polyform::host::inline reading {

namespace {

using Matrix = Eigen::Matrix3d;
using Solver = Eigen::SelfAdjointEigenSolver<Matrix>;

bool is_diagonal(const Sym3& j) { return j.xy == 0 && j.xz == 0 && j.yz == 0; }

double largest_element(const Sym3& j) {
  return std::max({std::abs(j.xx), std::abs(j.yy), std::abs(j.zz), std::abs(j.xy), std::abs(j.xz), std::abs(j.yz)});
}

Sym3 scaled(const Sym3& j, double by) { return {j.xx * by, j.yy * by, j.zz * by, j.xy * by, j.xz * by, j.yz * by}; }

Matrix matrix(const Sym3& j) {
  Matrix m;
  m << j.xx, j.xy, j.xz, j.xy, j.yy, j.yz, j.xz, j.yz, j.zz;
  return m;
}

/// The principal second moments of mass ∫ x² dm. The inertia about x is the sum of those along y and z, so the one
/// along x is half the trace less the inertia about x. A distribution of mass exists when none of them is negative.
/// This is the triangle inequality; it also makes the principal moments of inertia positive or zero.
Eigen::Vector3d second_moments(const Sym3& j) {
  if (is_diagonal(j))  // exact where a slender rod reaches zero
    return 0.5 * Eigen::Vector3d((j.yy - j.xx) + j.zz, (j.xx - j.yy) + j.zz, (j.xx - j.zz) + j.yy);
  const Matrix m = matrix(j);
  return Solver(0.5 * m.trace() * Matrix::Identity() - m, Eigen::EigenvaluesOnly).eigenvalues();
}

std::array<double, 3> principal_moments(const Sym3& j) {
  std::array<double, 3> out{j.xx, j.yy, j.zz};
  if (!is_diagonal(j)) {
    const Eigen::Vector3d values = Solver(matrix(j), Eigen::EigenvaluesOnly).eigenvalues();
    std::copy(values.begin(), values.end(), out.begin());
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// How far the points of each body that the model names lie from its mass centre, m: its frame, its joints, the points
/// where elements act. About these points a tensor may have been given before it was moved to the mass centre. Shapes
/// are for pictures and count for nothing.
class Sizes {
 public:
  explicit Sizes(const Description& model) : model_(model), size_(model.bodies.size()) {
    for (std::size_t b = 0; b < size_.size(); ++b) size_[b] = norm(model.bodies[b].center_of_mass);
    for (const JointItem& joint : model.joints)
      if (joint.type) see_joint(joint);
    see_all(model.forces);
    see_all(model.constraints);
    see_all(model.modules);
    extent_ = extent();
    for (const BodyItem& body : model.bodies) heaviest_ = std::max(heaviest_, body.mass);
  }

  /// The size of a body, m. It is the extent of the model where frame, joints and points all lie in the mass centre.
  double of(std::size_t body) const { return size_[body] > 0 ? size_[body] : extent_; }
  double heaviest() const { return heaviest_; }

 private:
  void see(std::size_t body, const Vec3& point) {
    size_[body] = std::max(size_[body], norm(point - model_.bodies[body].center_of_mass));
  }
  /// The position of a joint is given in ground axes, in the assembled configuration.
  void see_joint(const JointItem& joint) {
    const Strided<const FieldSpec> specs = joint.type->fields();
    for (std::size_t i = 0; i < std::min(specs.size(), joint.fields.values.size()); ++i) {
      if (specs[i].type != FieldType::vector3 || specs[i].name != "position") continue;
      for (const BodyIndex b : {joint.base, joint.moving})
        if (!is_ground(b)) {
          const Pose& pose = model_.bodies[at(b)].pose;
          see(at(b), transpose_times(rotation_matrix(pose.orientation), joint.fields.values[i].vector - pose.position));
        }
    }
  }
  void see_markers(const FieldSpec& spec, const FieldValue& value) {
    const auto see_point = [&](BodyIndex body, const Vec3& point) {
      if (!is_ground(body)) see(at(body), point);
    };
    if (spec.type == FieldType::marker) see_point(value.body, value.vector);
    if (spec.type == FieldType::markers)
      for (std::size_t k = 0; k < value.bodies.size(); ++k) see_point(value.bodies[k], value.points[k]);
  }
  template <class Items>
  void see_all(const Items& items) {
    for (const auto& item : items) {
      if (!item.type) continue;
      const Strided<const FieldSpec> specs = item.type->fields();
      for (std::size_t i = 0; i < std::min(specs.size(), item.fields.values.size()); ++i)
        see_markers(specs[i], item.fields.values[i]);
    }
  }
  double extent() const {
    constexpr double far = std::numeric_limits<double>::max();
    Vec3 low{far, far, far}, high{-far, -far, -far};
    for (const BodyItem& body : model_.bodies)
      for (std::size_t i = 0; i < 3; ++i) {
        low[i] = std::min(low[i], body.pose.position[i]);
        high[i] = std::max(high[i], body.pose.position[i]);
      }
    const double found = model_.bodies.empty() ? 0 : norm(high - low);
    return found > 0 ? found : 1;  // a model that tells no length at all
  }

  const Description& model_;
  std::vector<double> size_;
  double extent_ = 0, heaviest_ = 0;
};

/// What rounding leaves of second moments that are zero.
double rounding(const BodyItem& body, double size, double heaviest) {
  // Slender rods and thin plates reach equality; programs write their moments with ten digits or more.
  constexpr double of_the_largest = 1e-9;
  // A tensor that was moved by c loses m c² ε at each of its moves and turns; a thousand of them lose less than this.
  // Rounding of the body's positions changes its motion as much, so that the repair changes no motion that is known.
  constexpr double of_the_size = 1e-13;
  // The tensor of a body without mass was subtracted from another's: a thousandth of the heaviest mass judges it.
  constexpr double of_the_heaviest = 1e-3;
  const double mass = body.mass > 0 ? body.mass : of_the_heaviest * heaviest;
  return 0.5 * of_the_largest * largest_element(body.inertia) + of_the_size * mass * size * size;
}

constexpr std::string_view lenient_remedy =
    " --lenient, or 'lenient: true' in the model, takes it as it is, with a warning.";

void report(const BodyItem& body, const DoubtfulInertia& doubtful, bool lenient, Report& report) {
  const double scale = largest_element(body.inertia);
  const auto [a, b, c] = principal_moments(scaled(body.inertia, 1 / scale));
  std::string message, remedy;
  constexpr double rounding_of_moments = 1e-12;  // of the largest: less is a moment that is zero
  if (a < -rounding_of_moments) {
    message = fmt::format("the inertia has a negative principal moment ({:g} kg m²), which no body has", a * scale);
    remedy =
        "Check the signs: xx, yy, zz are not negative, and a product of inertia is at most as large as they are "
        "(xy is the element of the tensor, −∫xy dm).";
  } else {
    // Twelve digits are printed, because the excess may be many digits smaller than the moments.
    message = fmt::format(
        "the inertia violates the triangle inequality: of its principal moments {:.12g}, {:.12g} and {:.12g} kg m², "
        "the "
        "largest exceeds the sum of the others by {:.2g}",
        a < 0 ? 0.0 : a * scale, std::abs(b) <= rounding_of_moments ? 0.0 : b * scale, c * scale, (c - a - b) * scale);
    remedy =
        "No body has such an inertia; check the values, their order and whether they are about the centre of mass.";
  }
  const Path path{nullptr, doubtful.path, Path::no_index};
  if (lenient)
    report.warning(doubtful.place, path, message + "; it is used as it is given",
                   "Solvers may refuse it, or differ, where its motion depends on it.");
  else
    report.error(doubtful.place, path, message, remedy.append(lenient_remedy));
}

}  // namespace

double shortfall(const Sym3& j) noexcept {
  const double scale = largest_element(j);
  return scale > 0 ? scale * std::max(0.0, -second_moments(scaled(j, 1 / scale)).minCoeff()) : 0;
}

Sym3 mended(const Sym3& j) noexcept {
  const double scale = largest_element(j);
  if (!(scale > 0)) return j;
  const Sym3 unit = scaled(j, 1 / scale);
  if (is_diagonal(unit)) {
    const Eigen::Vector3d s = second_moments(unit).cwiseMax(0);
    return scaled({s[1] + s[2], s[0] + s[2], s[0] + s[1], 0, 0, 0}, scale);
  }
  const Matrix m = matrix(unit);
  const Solver solver(0.5 * m.trace() * Matrix::Identity() - m);
  const Eigen::Vector3d s = solver.eigenvalues().cwiseMax(0);
  const Matrix& axes = solver.eigenvectors();
  const Matrix whole = s.sum() * Matrix::Identity() - axes * s.asDiagonal() * axes.transpose();
  return scaled({whole(0, 0), whole(1, 1), whole(2, 2), whole(0, 1), whole(0, 2), whole(1, 2)}, scale);
}

void judge_inertias(Description& model, std::span<const DoubtfulInertia> doubtful, Report& out) {
  if (doubtful.empty()) return;
  const Sizes sizes(model);
  for (const DoubtfulInertia& one : doubtful) {
    if (one.first_body + one.bodies > model.bodies.size()) continue;
    BodyItem& first = model.bodies[one.first_body];
    // The bodies of a chain differ only in their joints.
    double size = 0;
    for (std::size_t k = 0; k < one.bodies; ++k) size = std::max(size, sizes.of(one.first_body + k));
    if (shortfall(first.inertia) > rounding(first, size, sizes.heaviest())) {
      report(first, one, model.lenient, out);
      continue;
    }
    const Sym3 whole = mended(first.inertia);
    for (std::size_t k = 0; k < one.bodies; ++k) model.bodies[one.first_body + k].inertia = whole;
  }
}

}  // namespace polyform::host::reading
