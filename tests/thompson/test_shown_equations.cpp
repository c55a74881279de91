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
                           "four_bar_rhombus", "planar_3rrr", "rolling_disc", "flexible_pendulum", "motor_arm"}) {
    const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/" + name + ".yaml");
    const auto expected = observe_with(*system, {});
    for (const char* construction : {"velocity", "null-space"}) {
      INFO(name << ", " << construction);
      const Shown e(*system, {{"construction", construction}});
      const Matrix &Phi = e["Phi_q"], &H1 = e["H1"], &H2 = e["H2"];
      CHECK(largest(Phi * H2) < 1e-12 * (1 + largest(H2)));                                             // Eq 5
      CHECK(largest(Phi * H1 - Matrix::Identity(Phi.rows(), Phi.rows())) < 1e-10 * (1 + largest(H1)));  // Eq 9
      CHECK(largest(H2 * e["q2'"] - e["q'"]) < 1e-12 * (1 + largest(e["q'"])));                         // Eq 13
      const Matrix& Z = e.has("Z") ? e["Z"] : Matrix(Matrix::Identity(H2.cols(), H2.cols()));
      const Matrix HZ = H2 * Z;
      CHECK(largest(HZ.transpose() * e["M"] * HZ - e["M22"]) <= 1e-12 * largest(e["M22"]));
      const Matrix left = e["M22"] * e["q2''"] - e["Q2"] + e["N22 q2'"];  // Eq 15
      CHECK(largest(left) < 1e-9 * (largest(e["Q2"]) + largest(e["N22 q2'"]) + largest(e["M22"]) * largest(e["q2''"])));
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
