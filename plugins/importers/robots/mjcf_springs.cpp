#include "mjcf_springs.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <unordered_map>

namespace polyform::importers {

namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Axes = Eigen::Matrix<double, 6, Eigen::Dynamic>;
constexpr std::size_t no_joint = static_cast<std::size_t>(-1);

Eigen::Vector3d column_of(const Vec3& v) { return {v.x, v.y, v.z}; }

/// About the origin of ground, for angular velocity and the velocity of the point there.
Matrix6 spatial_inertia(const Body& body) {
  const MassProperties own = body.mass.in(body.frame);
  const Sym3& j = own.inertia;
  const Eigen::Vector3d c = column_of(own.center);
  Eigen::Matrix3d across, about;
  across << 0, -c.z(), c.y(), c.z(), 0, -c.x(), -c.y(), c.x(), 0;
  about << j.xx, j.xy, j.xz, j.xy, j.yy, j.yz, j.xz, j.yz, j.zz;
  Matrix6 out;
  out << about - own.mass * across * across, own.mass * across, -own.mass * across,
      own.mass * Eigen::Matrix3d::Identity();
  return out;
}

/// The motions that a joint allows, as those of the point at the origin of ground.
Axes axes_of(const Joint& joint) {
  const Eigen::Vector3d at = column_of(joint.position);
  const auto turn = [&](const Eigen::Vector3d& axis) { return (Axes(6, 1) << axis, at.cross(axis)).finished(); };
  const auto slide = [&](const Eigen::Vector3d& axis) {
    return (Axes(6, 1) << Eigen::Vector3d::Zero(), axis).finished();
  };
  const Eigen::Vector3d axis = column_of(joint.axis.value_or(Vec3{}));
  if (joint.type == "revolute") return turn(axis);
  if (joint.type == "prismatic") return slide(axis);
  Axes out(6, joint.type == "free" ? 6 : joint.type == "spherical" ? 3 : 0);
  for (Eigen::Index k = 0; k < out.cols(); ++k)
    out.col(k) = k < 3 ? turn(Eigen::Vector3d::Unit(k)) : slide(Eigen::Vector3d::Unit(k - 3));
  return out;
}

class JointInertias {
 public:
  JointInertias(const Mechanism& m, const std::map<std::string, double>& armature) {
    std::unordered_map<std::string, std::size_t> body, carrier;
    std::vector<Matrix6> carried;  // by body: with all that it carries
    for (const Body& b : m.bodies) {
      body[b.name] = carried.size();
      carried.push_back(spatial_inertia(b));
    }
    std::vector<const Joint*> tree;  // what carries stands before what it carries
    for (const Joint& joint : m.joints)
      if (!joint.cut) {
        carrier[joint.moving] = tree.size();
        tree.push_back(&joint);
      }
    std::vector<Axes> axes;
    std::vector<Eigen::Index> first;
    for (const Joint* joint : tree) {
      first.push_back(size_);
      axes.push_back(axes_of(*joint));
      place_[joint->name] = {size_, axes.back().cols()};
      size_ += axes.back().cols();
    }
    Eigen::MatrixXd mass = Eigen::MatrixXd::Zero(size_, size_);
    for (std::size_t k = tree.size(); k-- > 0;) {
      const Matrix6& whole = carried[body.at(tree[k]->moving)];
      if (tree[k]->base != ground) carried[body.at(tree[k]->base)] += whole;
      const Axes momentum = whole * axes[k];
      for (std::size_t at = k; at != no_joint;) {
        const Eigen::MatrixXd block = axes[at].transpose() * momentum;
        mass.block(first[at], first[k], axes[at].cols(), axes[k].cols()) = block;
        mass.block(first[k], first[at], axes[k].cols(), axes[at].cols()) = block.transpose();
        const auto up = carrier.find(tree[at]->base);
        at = up == carrier.end() ? no_joint : up->second;
      }
      if (const auto given = armature.find(tree[k]->name); given != armature.end())
        mass.diagonal().segment(first[k], axes[k].cols()).array() += given->second;
    }
    const Eigen::LLT<Eigen::MatrixXd> factors(mass);
    regular_ = size_ > 0 && factors.info() == Eigen::Success;
    if (regular_) inverse_ = factors.solve(Eigen::MatrixXd::Identity(size_, size_)).diagonal();
  }

  /// 0 where there is none.
  double of(const std::string& joint) const {
    const auto [first, count] = place_.at(joint);
    if (!regular_ || count == 0) return 0;
    const double mean = static_cast<double>(count) / inverse_.segment(first, count).sum();
    return std::isfinite(mean) && mean > 0 ? mean : 0;
  }

 private:
  Eigen::Index size_ = 0;
  bool regular_ = false;
  Eigen::VectorXd inverse_;  ///< the diagonal of the inverse mass matrix
  std::unordered_map<std::string, std::pair<Eigen::Index, Eigen::Index>> place_;
};

}  // namespace

std::optional<TimedSpring> timed_spring(const Element& by) {
  const auto given = by ? by.numbers("springdamper", 2) : std::nullopt;
  if (!given || ((*given)[0] == 0 && (*given)[1] == 0)) return std::nullopt;
  if (!((*given)[0] > 0 && (*given)[1] > 0)) {
    by.mark("springdamper", Treatment::not_honoured, "both numbers have to be positive");
    return std::nullopt;
  }
  by.mark("springdamper", Treatment::converted, "stiffness and damping by the inertia of the joint as drawn");
  return TimedSpring{.time = (*given)[0], .ratio = (*given)[1], .by = by};
}

void set_timed_springs(Mechanism& m, const std::vector<TimedSpring>& springs,
                       const std::map<std::string, double>& armature) {
  if (springs.empty()) return;
  const JointInertias inertias(m, armature);
  for (const TimedSpring& spring : springs) {
    const double inertia = inertias.of(spring.joint);
    if (inertia == 0) {
      spring.by.mark("springdamper", Treatment::not_honoured, "the joint has no inertia");
      continue;
    }
    const auto set = [&](std::string_view name, double value) {
      for (auto& [field, text] : m.elements[spring.element].fields)
        if (field == name) text = written(value);
    };
    set("stiffness", inertia / (spring.time * spring.time * spring.ratio * spring.ratio));
    set("damping", 2 * inertia / spring.time);
  }
}

}  // namespace polyform::importers
