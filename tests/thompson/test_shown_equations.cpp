// The matrices of `evaluate --equations`: the paper's identities hold between them, by either construction.
#include <Eigen/LU>
#include <catch2/catch.hpp>
#include <map>

#include "polyform/contract/equation_matrices.hpp"
#include "tests/thompson/bench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

using Matrix = Eigen::MatrixXd;

class Shown {
 public:
  Shown(const host::System& system, const SolverOptions& options)
      : solver_(solver_for(system, thompson_formulation(), options)) {
    auto* equations = ask<EquationMatrices>(*solver_);
    REQUIRE(equations != nullptr);
    REQUIRE(equations->form(0, system.initial_state()) == Status::ok);
    for (std::size_t i = 0; i < equations->matrices(); ++i) {
      const EquationMatrices::Matrix m = equations->matrix(i);
      all_[std::string(m.name)] =
          Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
              m.values.data(), static_cast<Eigen::Index>(equations->length(m.rows)),
              static_cast<Eigen::Index>(equations->length(m.columns)));
    }
  }
  const Matrix& operator[](const std::string& name) const { return all_.at(name); }
  bool has(const std::string& name) const { return all_.contains(name); }

 private:
  decltype(solver_for(std::declval<const host::System&>(), thompson_formulation(), {})) solver_;
  std::map<std::string, Matrix> all_;
};

double largest(const Matrix& m) { return m.size() == 0 ? 0 : m.cwiseAbs().maxCoeff(); }

}  // namespace

TEST_CASE("shown matrices obey the paper's equations") {
  for (const char* name : {"double_pendulum", "random_tree", "rotorcraft", "wind_turbine", "satellite",
                           "four_bar_rhombus", "planar_3rrr", "rolling_disc", "flexible_pendulum", "motor_arm",
                           "whirling_rod", "vibrating_pivot", "prescribed_motion", "bricard", "series_motors"}) {
    const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/" + name + ".yaml");
    const auto expected = observe_with(*system, {});
    for (const char* construction : {"velocity", "null-space"}) {
      INFO(name << ", " << construction);
      const Shown e(*system, {{"construction", construction}});
      const Matrix &Phi = e["Phi_q"], &H1 = e["H1"], &H2 = e["H2"];
      CHECK(largest(Phi * H2) < 1e-12 * (1 + largest(H2)));                                             // Eq 5
      CHECK(largest(Phi * H1 - Matrix::Identity(Phi.rows(), Phi.rows())) < 1e-10 * (1 + largest(H1)));  // Eq 9
      const Matrix h = e.has("h") ? e["h"] : Matrix(Matrix::Zero(H2.rows(), 1));
      CHECK(largest(H2 * e["q2'"] + h - e["q'"]) < 1e-12 * (1 + largest(e["q'"])));  // Eq 13
      // Q − M q̈ is the force of the constraints, those of the loops too.
      Matrix force = e["Q"] - e["M"] * e["q''"] - Phi.transpose() * e["lambda"];
      if (e.has("Z")) {
        CHECK(largest(H2 * (e["Z"] * e["q3'"] + e["x'"]) + h - e["q'"]) < 1e-12 * (1 + largest(e["q'"])));
        CHECK(largest(e["Phi_c"] * H2 - e["J"]) < 1e-10 * (1 + largest(e["J"])));
        force -= e["Phi_c"].transpose() * e["lambda_c"];
      }
      CHECK(largest(force) <= 1e-9 * (largest(e["Q"]) + largest(e["M"] * e["q''"])));  // Eqs 1, 19
      const Matrix& Z = e.has("Z") ? e["Z"] : Matrix(Matrix::Identity(H2.cols(), H2.cols()));
      const Matrix HZ = H2 * Z;
      CHECK(largest(HZ.transpose() * e["M"] * HZ - e["M22"]) <= 1e-12 * largest(e["M22"]));
      const Matrix left = e["M22"] * e["q2''"] - e["Q2"] + e["N22 q2'"];  // Eq 15
      CHECK(largest(left) <=
            1e-9 * (largest(e["Q2"]) + largest(e["N22 q2'"]) + largest(e["M22"]) * largest(e["q2''"])));
      // q̈ of the mass centres are those that are observed.
      if (std::string(name) != "flexible_pendulum" &&
          system->view().bodies.size() * 6 == static_cast<std::size_t>(e["q''"].rows()))
        for (std::size_t i = 0; i < system->view().bodies.size(); ++i) {
          const auto& body = expected->now().bodies[i];
          const Vec3 alpha = transpose_times(rotation_matrix(body.pose.orientation), body.angular_acceleration);
          const Eigen::Vector3d found = e["q''"].block<3, 1>(6 * static_cast<Eigen::Index>(i) + 3, 0);
          CHECK((found - Eigen::Vector3d(alpha.x, alpha.y, alpha.z)).norm() < 1e-8 * (1 + norm(alpha)));
        }
    }
  }
}

TEST_CASE("velocities that functions of time give are shown beside H2 q2'") {
  const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/whirling_rod.yaml");
  const Shown e(*system, {});
  REQUIRE(e.has("h"));
  CHECK(largest(e["h"]) > 0);
  // Φ_q q̇ is what the pivot is moved with.
  CHECK(largest(e["Phi_q"] * (e["q'"] - e["h"])) < 1e-12);
}

TEST_CASE("welded bodies have all their names in shown equations") {
  const auto system = system_from_text(R"(
polyform: 1
bodies:
  - {name: arm, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.1, zz: 0.1}}
  - {name: hand, position: [1, 0, 0], mass: 0.5, center_of_mass: [0.1, 0, 0], inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}
  - {name: tool, position: [1.2, 0, 0], mass: 0.1, center_of_mass: [0, 0, 0], inertia: {xx: 0.001, yy: 0.001, zz: 0.001}}
joints:
  - {name: p, type: revolute, base: ground, moving: arm, position: [0, 0, 0], axis: [0, 1, 0]}
  - {name: w, type: fixed, base: arm, moving: hand, position: [1, 0, 0]}
  - {name: t, type: fixed, base: hand, moving: tool, position: [1.2, 0, 0]}
)");
  const auto solver = solver_for(*system, thompson_formulation(), {});
  auto* equations = ask<EquationMatrices>(*solver);
  REQUIRE(equations->form(0, system->initial_state()) == Status::ok);
  CHECK(equations->group(0, 0).name == "arm + hand + tool");
}

TEST_CASE("the printed implicit equations have the accelerations as their solution") {
  for (const char* form : {"implicit-1", "implicit-2"})
    for (const char* name : {"double_pendulum", "four_bar_rhombus", "cardan_shaft"}) {
      INFO(name << ", " << form);
      const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/" + name + ".yaml");
      const Shown e(*system, {{"form", form}});
      const Matrix x = e["E"].fullPivLu().solve(e["r"]);
      const Matrix& q = e["q''"];
      CHECK(largest(x.topRows(q.rows()) - q) < 1e-9 * (1 + largest(q)));
    }
}

TEST_CASE("the pendulum's shown terms are those of section VI") {
  // M22 = J_yy + m l², Q2 = −m g l sin β − b β̇ − k β, H2 = [b̃ B; B].
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: b, mass: 2, center_of_mass: [0, 0, -0.5], inertia: {xx: 0.1, yy: 0.12, zz: 0.05}}
joints:
  - {name: p, type: revolute, base: ground, moving: b, position: [0, 0, 0], axis: [0, 1, 0], initial: {position: 0.3, velocity: 1.5}}
forces:
  - {name: s, type: joint-spring-damper, joint: p, stiffness: 3, damping: 0.25}
)");
  const Shown e(*system, {});
  CHECK(e["M22"](0, 0) == Approx(0.12 + 2 * 0.25).epsilon(1e-15));
  CHECK(e["Q2"](0, 0) == Approx(-2 * 9.81 * 0.5 * std::sin(0.3) - 0.25 * 1.5 - 3 * 0.3).epsilon(1e-14));
  CHECK(std::abs(e["N22 q2'"](0, 0)) < 1e-15);
  CHECK(e["H2"](0, 0) == Approx(-0.5 * std::cos(0.3)).epsilon(1e-15));
  CHECK(e["H2"](2, 0) == Approx(0.5 * std::sin(0.3)).epsilon(1e-15));
  CHECK(e["H2"](4, 0) == 1);
}
