// The same linear model from every formulation.
#include <catch2/catch.hpp>

#include "tests/linearization/linear_bench.hpp"

using namespace polyform;
using namespace polyform::test;

TEST_CASE(
    "all formulations give the same matrices: trees, closed and redundant loops, flexible bodies, moving states") {
  struct Model {
    const char* name;
    bool unique_reactions;
  };
  for (const Model model : {Model{"double_pendulum", true},
                            {"heavy_top", true},
                            {"triple_spherical_pendulum", true},
                            {"free_body", true},
                            {"planar_3rrr", true},
                            {"bennett", false},
                            {"four_link_flexible", true},
                            {"modal_frame", true},
                            {"cardan_shaft", false}}) {
    const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/" + model.name + ".yaml");
    const std::vector<std::string> outputs =
        model.unique_reactions ? std::vector<std::string>{"*"} : std::vector<std::string>{"*.q", "*.v"};
    const std::vector<LinearCase> all = linearize_all(*system, {"*"}, outputs);
    REQUIRE(all.size() >= 2);
    const host::Linearization& first = all.front().linear;
    for (const LinearCase& c : all) {
      INFO(model.name << ", " << c.formulation->name() << " against " << all.front().formulation->name());
      const auto agree = [](const host::Linearization::Matrix& a, const host::Linearization::Matrix& b) {
        return (a.value - b.value).norm() <= 1e-9 * b.value.norm();
      };
      CHECK(agree(c.linear.A, first.A));
      CHECK(agree(c.linear.B, first.B));
      CHECK(agree(c.linear.C, first.C));
      CHECK(agree(c.linear.D, first.D));
    }
  }
}

TEST_CASE("every shape is an eigenvector, whatever formulation the matrix comes from") {
  for (const char* const name :
       {"satellite", "connected_joints", "vehicle", "governor", "rotorcraft", "cardan_shaft"}) {
    const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/" + name + ".yaml");
    std::size_t zeros = 0;
    for (const LinearCase& c : linearize_all(*system)) {
      INFO(name << ", " << c.formulation->name());
      const auto n = static_cast<Eigen::Index>(c.linear.scales.size());
      const Eigen::VectorXd s = Eigen::Map<const Eigen::VectorXd>(c.linear.scales.data(), n);
      const Eigen::MatrixXd A = s.cwiseInverse().asDiagonal() * c.linear.A.value * s.asDiagonal();
      const Eigen::MatrixXd noise = s.cwiseInverse().asDiagonal() * c.linear.A.error * s.asDiagonal();
      for (const host::Mode& mode : c.modes.all) {
        const Eigen::VectorXcd x = mode.shape.cwiseQuotient(s.cast<std::complex<double>>());
        CHECK((A.cast<std::complex<double>>() * x - mode.eigenvalue * x).norm() <
              (1e-8 * A.norm() + 10 * noise.norm()) * x.norm());
      }
      if (zeros == 0) zeros = c.modes.zero_eigenvalues;
      if (noise.norm() < 1e-6 * A.norm()) CHECK(c.modes.zero_eigenvalues == zeros);
    }
  }
}
