// Section VI of the paper: the pendulum, and the H2 matrices of its examples, written down from their printed blocks.
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "tests/thompson/tree_bench.hpp"

using namespace polyform;
using namespace polyform::test;
using thompson::Construction;

namespace {

using Matrix3 = Eigen::Matrix3d;

Matrix3 eigen(const Mat3& m) {
  Matrix3 out;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) out(r, c) = m.m[3 * r + c];
  return out;
}
Mat3 about(const Vec3& axis, double angle) { return axis_rotation(axis, std::cos(angle), std::sin(angle)); }

/// A body of an example, placed by hand: its joint at a point of the inboard body turns about axes that each stand in
/// the frame to which the earlier ones lead.
struct Link {
  std::string name, inboard;   ///< "" for the root, which is free, or hinged to ground if it has axes
  Vec3 on_inboard, to_center;  ///< joint from the mass centre of the inboard body, mass centre from the joint
  std::vector<Vec3> axes;
  std::vector<double> angles;
};

/// Its orientation A^{e/k}, its mass centre, its joint, and B of the joint: the axes in its own frame.
struct Placed {
  Mat3 R = Mat3::identity();
  Vec3 center, joint;
  Eigen::MatrixXd B;
  int column = 0;
};

/// The printed matrices: for the joint p of body j and a body x outboard of it,
///
///   [b_j^{p/x} B_j; A^{x/j} B_j],      b_j^{p/x} = A^{e/j} tilde(r_j^{p/x})
///
/// and for a free root b [A^{e/b} or 1, b_b^{b/x}; 0, A^{x/b}].
class Example {
 public:
  explicit Example(std::vector<Link> links) : links_(std::move(links)) {
    for (const Link& link : links_) {
      Placed p;
      const Placed in = link.inboard.empty() ? Placed{} : placed_[link.inboard];
      p.R = in.R;
      for (std::size_t k = 0; k < link.axes.size(); ++k) p.R = p.R * about(link.axes[k], link.angles[k]);
      p.joint = in.center + in.R * link.on_inboard;
      p.center = p.joint + p.R * link.to_center;
      const int freedoms = link.axes.empty() ? 6 : static_cast<int>(link.axes.size());
      p.B.resize(3, freedoms);
      Mat3 reached = in.R;
      for (std::size_t k = 0; k < link.axes.size(); ++k) {
        const Vec3 b = transpose_times(p.R, reached * link.axes[k]);
        p.B.col(static_cast<int>(k)) << b.x, b.y, b.z;
        reached = reached * about(link.axes[k], link.angles[k]);
      }
      p.column = columns_;
      columns_ += freedoms;
      placed_[link.name] = p;
    }
  }

  Eigen::MatrixXd H2() const {
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(6 * static_cast<int>(links_.size()), columns_);
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const Placed& x = placed_.at(links_[i].name);
      const int row = 6 * static_cast<int>(i);
      for (const Link* link = &links_[i]; link != nullptr; link = inboard(*link)) {
        const Placed& j = placed_.at(link->name);
        const Matrix3 turn = eigen(transpose_times(x.R, j.R));
        if (link->axes.empty()) {
          H.block<3, 3>(row, j.column) = Matrix3::Identity();
          H.block<3, 3>(row, j.column + 3) = lever(j, j.center, x);
          H.block<3, 3>(row + 3, j.column + 3) = turn;
        } else {
          H.block(row, j.column, 3, j.B.cols()) = lever(j, j.joint, x) * j.B;
          H.block(row + 3, j.column, 3, j.B.cols()) = turn * j.B;
        }
      }
    }
    return H;
  }
  const Placed& operator[](const std::string& name) const { return placed_.at(name); }

  /// The same system as a model, drawn with all frames parallel.
  std::string model() const {
    std::string bodies, joints;
    std::map<std::string, Vec3> centers;
    for (const Link& link : links_) {
      const Vec3 joint = (link.inboard.empty() ? Vec3{} : centers[link.inboard]) + link.on_inboard;
      const Vec3 center = centers[link.name] = joint + link.to_center;
      bodies += fmt::format(
          "  - {{name: {}, position: [{}, {}, {}], mass: 1.3, center_of_mass: [0, 0, 0], "
          "inertia: {{xx: 0.3, yy: 0.2, zz: 0.25, xy: 0.02}}}}\n",
          link.name, center.x, center.y, center.z);
      const char* types[] = {"free", "revolute", "universal"};
      joints += fmt::format("  - {{name: to_{}, type: {}, base: {}, moving: {}", link.name, types[link.axes.size()],
                            link.inboard.empty() ? "ground" : link.inboard, link.name);
      if (!link.axes.empty()) joints += fmt::format(", position: [{}, {}, {}]", joint.x, joint.y, joint.z);
      for (std::size_t k = 0; k < link.axes.size(); ++k)
        joints +=
            fmt::format(", axis{}: [{}, {}, {}]", k == 0 ? "" : "2", link.axes[k].x, link.axes[k].y, link.axes[k].z);
      if (link.angles.size() == 1) joints += fmt::format(", initial: {{position: {}}}", link.angles[0]);
      if (link.angles.size() == 2)
        joints += fmt::format(", initial: {{position: [{}, {}]}}", link.angles[0], link.angles[1]);
      joints += "}\n";
    }
    return "polyform: 1\nbodies:\n" + bodies + "joints:\n" + joints;
  }

 private:
  const Link* inboard(const Link& link) const {
    for (const Link& other : links_)
      if (other.name == link.inboard) return &other;
    return nullptr;
  }
  static Matrix3 lever(const Placed& j, const Vec3& point, const Placed& x) {
    return eigen(j.R * skew(transpose_times(j.R, point - x.center)));
  }

  std::vector<Link> links_;
  std::map<std::string, Placed> placed_;
  int columns_ = 0;
};

/// The formulation's H2 with the paper's coordinates: for a free root the angular velocity in body axes.
void check_H2(const Example& example, const std::string& free_root, int rows, int columns) {
  const Eigen::MatrixXd expected = example.H2();
  REQUIRE(expected.rows() == rows);
  REQUIRE(expected.cols() == columns);
  TreeBench bench(example.model(), Construction::velocity);
  Eigen::MatrixXd found = bench.H2();
  if (!free_root.empty()) found.middleCols<3>(3) = (found.middleCols<3>(3) * eigen(example[free_root].R)).eval();
  const double largest = expected.cwiseAbs().maxCoeff();
  CHECK((found - expected).cwiseAbs().maxCoeff() < 2e-15 * largest);
  TreeBench null_space(example.model(), Construction::null_space);
  const Eigen::MatrixXd N = null_space.H2();
  // Both span the same space: N (N⁺ H2) = H2.
  CHECK((N * (N.transpose() * N).ldlt().solve(N.transpose() * expected) - expected).cwiseAbs().maxCoeff() <
        1e-13 * largest);
}

constexpr Vec3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};

}  // namespace

TEST_CASE("the pendulum obeys (J_yy + m l^2) beta'' + b beta' + k beta + m g l sin beta = 0 to round-off") {
  const double J = 0.07, m = 1.7, l = 0.45, b = 0.3, k = 2.5, g = 9.81;
  for (const double beta : {-2.9, -1.1, -1e-3, 0.4, 1.5707, 3.0})
    for (const double rate : {-4.0, 0.0, 2.2}) {
      const auto system = system_from_text(fmt::format(R"(
polyform: 1
gravity: [0, 0, {}]
bodies:
  - {{name: b, mass: {}, center_of_mass: [0, 0, {}], inertia: {{xx: 0.09, yy: {}, zz: 0.03}}}}
joints:
  - {{name: p, type: revolute, base: ground, moving: b, position: [0, 0, 0], axis: [0, 1, 0], initial: {{position: {}, velocity: {}}}}}
forces:
  - {{name: s, type: joint-spring-damper, joint: p, stiffness: {}, damping: {}}}
)",
                                                       -g, m, -l, J, beta, rate, k, b));
      const double expected = -(b * rate + k * beta + m * g * l * std::sin(beta)) / (J + m * l * l);
      for (const SolverOptions& options : variants()) {
        INFO(text_of(options) << beta << " rad, " << rate << " rad/s");
        CHECK(observe_with(*system, options)->now().acceleration[0] == Approx(expected).epsilon(2e-15).margin(1e-14));
      }
    }
}

TEST_CASE("H2 of the four body problem is that of the paper") {
  const Example example({{"b", "", {}, {}, {}, {}},
                         {"k1", "b", {0.4, 0.1, -0.2}, {0.5, 0.02, 0.1}, {z, y}, {0.4, -0.7}},
                         {"k2", "b", {-0.3, 0.3, 0.1}, {-0.6, 0.1, 0}, {y, x}, {1.1, 0.3}},
                         {"k3", "b", {0, -0.5, 0.2}, {0.1, -0.4, 0.2}, {x, z}, {-0.8, 2}}});
  check_H2(example, "b", 24, 12);
}

TEST_CASE("H2 of connected joints is that of the paper") {
  const Example example({{"b", "", {}, {}, {}, {}},
                         {"h", "b", {0.1, 0.2, 0.9}, {0.05, -0.02, 0.3}, {z, y}, {0.9, 0.2}},
                         {"k", "h", {0.2, 0, 0.1}, {1.2, 0.1, 0}, {y}, {-0.4}}});
  check_H2(example, "b", 18, 9);
}

TEST_CASE("H2 of the rotorcraft is that of the paper, for blades that flap, and that flap and lag") {
  for (const int blades : {2, 3, 5})
    for (const int freedoms : {1, 2}) {
      std::vector<Link> links = {{"b", "", {}, {}, {}, {}}, {"h", "b", {0.1, 0, 1.2}, {}, {z}, {0.7}}};
      for (int i = 0; i < blades; ++i) {
        const Mat3 spoke = about(z, 2 * 3.14159265358979323846 * i / blades);
        Link k{fmt::format("k{}", i),     "h",         spoke * Vec3{0.3, 0, 0.05},
               spoke * Vec3{2.1, 0.1, 0}, {spoke * y}, {0.1 * (i + 1)}};
        if (freedoms == 2) {
          k.axes.push_back(z);
          k.angles.push_back(-0.05 * (i + 1));
        }
        links.push_back(k);
      }
      check_H2(Example(links), "b", 12 + 6 * blades, 7 + blades * freedoms);
    }
}

TEST_CASE("H2 of the wind turbine is that of the paper") {
  std::vector<Link> links = {{"t", "", {}, {0.02, 0, 30}, {x, y}, {0.02, 0.05}},
                             {"n", "t", {0, 0, 32}, {1.5, 0.1, 1}, {z}, {0.3}},
                             {"h", "n", {-4, 0, 0.5}, {-0.6, 0, 0}, {x}, {1.2}}};
  for (int i = 0; i < 3; ++i) {
    const Mat3 spoke = about(x, 2 * 3.14159265358979323846 * i / 3);
    links.push_back({fmt::format("k{}", i + 1),
                     "h",
                     spoke * Vec3{0, 0, 1.5},
                     spoke * Vec3{-0.2, 0.3, 14},
                     {spoke * y},
                     {0.08 - 0.05 * i}});
  }
  check_H2(Example(links), "", 36, 7);
}
