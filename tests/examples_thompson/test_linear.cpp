// Linear models of the examples, from every formulation, against closed forms.
#include <Eigen/Eigenvalues>
#include <numbers>

#include "tests/examples_thompson/blade.hpp"
#include "tests/examples_thompson/linear.hpp"
#include "tests/examples_thompson/textbook_aircraft.hpp"

using namespace polyform;
using namespace polyform::test;

TEST_CASE("the linear aircraft has the eigenvalues of the textbook's longitudinal and lateral models") {
  const auto system = system_from_text(model_text("navion"));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const host::Linearization linear = linear_model(*system, *formulation, {"air.controls[0]"});
    const auto found = eigenvalues(linear);
    CHECK(found.size() == 5);  // two and two pairs, phugoid, short period, Dutch roll; roll and spiral; not where it is
    for (const Eigen::Matrix4d& A : {textbook::longitudinal(), textbook::lateral()})
      for (const std::complex<double> value : A.eigenvalues())
        if (value.imag() >= 0) CHECK(distance_to(found, value) < 1e-8);
    // The elevator turns by Cm_delta Q S c / Iy: the state is [positions; velocities], pitch being the fifth velocity.
    using namespace textbook;
    const auto pitch = static_cast<Eigen::Index>(linear.positions) + 4;
    CHECK(std::abs(linear.B.value(pitch, 0)) == Approx(0.923 * Q * c / Iy).epsilon(1e-8));
  }
}

TEST_CASE("the linear pendulum is that of the paper") {
  // (Jyy + m l²) β̈ + b β̇ + (k + m g l) β = 0 about straight down.
  const auto system = system_from_text(with(model_text("spring_damper_pendulum"), "position: 2,", "position: 0,"));
  const double inertia = 0.15 + 2 * 0.7 * 0.7, decay = 0.2 / (2 * inertia), stiffness = (3 + 2 * 9.81 * 0.7) / inertia;
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const auto found = eigenvalues(linear_model(*system, *formulation));
    REQUIRE(found.size() == 1);
    CHECK(distance_to(found, {-decay, std::sqrt(stiffness - decay * decay)}) < 1e-9);
  }
}

TEST_CASE("the linear flap and lag of an offset blade on a spring have the frequencies of the closed forms") {
  const double flap = std::sqrt(1 + blade::e * blade::S / blade::I + 52000 / (blade::I * blade::omega * blade::omega));
  const double lag = std::sqrt(blade::e * blade::S / blade::I + 52000 / (blade::I * blade::omega * blade::omega));
  for (const bool flaps : {true, false}) {
    const auto system = system_from_text(blade::model(flaps, 52000, 0, 0));
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO((flaps ? "flap, " : "lag, ") << formulation->name());
      CHECK(distance_to(eigenvalues(linear_model(*system, *formulation)), {0, (flaps ? flap : lag) * blade::omega}) <
            1e-8);
    }
  }
}

TEST_CASE("the air damps the flap of a blade as the blade-element sum says") {
  // A section of lift slope a without drag, at zero pitch: a strip at the distance y from the hinge meets the air at
  // the angle −β̇ y / (Ω (e + y)), so that I β̈ + Σ ½ρ a c Δy Ω (e + y) y² β̇ + ... = 0: the Lock number's damping.
  const double slope = 5.7, rho = 1.225, chord = 0.27, width = blade::L / 10, pi = std::numbers::pi;
  double damping = 0;
  std::string strips;
  for (int i = 0; i < 10; ++i) {
    const double y = (i + 0.5) * width;
    damping += 0.5 * rho * slope * chord * width * blade::omega * (blade::e + y) * y * y;
    strips += fmt::format("{}[{}, {}, {}, 0]", i == 0 ? "" : ", ", y, width, chord);
  }
  const auto system = system_from_text(
      blade::model(true, 52000, 0, 0) +
      fmt::format("  - {{name: air, type: blade-elements, body: blade, orientation: {{axis: [1, 1, 0], angle: {0}}}, "
                  "strips: [{1}], polar: [[-{0}, -{2}, 0], [{0}, {2}, 0]]}}\n",
                  pi, strips, slope * pi));
  const double decay = damping / (2 * blade::I),
               square = (1 + blade::e * blade::S / blade::I) * blade::omega * blade::omega + 52000 / blade::I;
  CHECK(decay / blade::omega > 0.2);  // heavily damped
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    CHECK(distance_to(eigenvalues(linear_model(*system, *formulation)), {-decay, std::sqrt(square - decay * decay)}) <
          1e-8);
  }
}

TEST_CASE("the fore-aft modes of the wind turbine at rest are those of tower, coning and tilting flap") {
  // Mirror symmetry leaves three coordinates: tower tilt θ, coning β0 and cosine flap βc of β_k = β0 + βc cos ψ_k. With
  // S and I the first and second moment of a blade about its root, 1.5 m off the shaft, 90 m up, 5 m upwind:
  // No air: at rest in it the drag of v |v| has a slope of zero, but no second derivative to extrapolate by.
  std::string text = model_text("wind_turbine");
  for (const auto& [piece, instead] : {std::pair{"initial: {position: 0.0391}", "initial: {position: 0}"},
                                       {"{position: [0.00434, 0.00029]}", "{position: [0, 0]}"},
                                       {"{velocity: 1.267}", "{velocity: 0}"},
                                       {"[0, 0, -9.81]", "[0, 0, 0]"},
                                       {"wind: [8.2, 0, 0]\n", "density: 0\n"},
                                       {"wind: [8.2, 0, 0],", "density: 0,"},
                                       {"damping: 1.4e8", "damping: 0"},
                                       {"damping: 1.916e7", "damping: 0"},
                                       {"damping: 5.0e5", "damping: 0"}})
    text = with(text, piece, instead);
  const auto system = system_from_text(text);
  const double m = 17740, r = 20.475, S = m * r, I = 11776047, own = I - m * r * r, root = 1.5, high = 90;
  const double blades = 3 * m * (high * high + 25) + 1.5 * m * (root + r) * (root + r) + 1.5 * (own + 4.0e4);
  const double tower = 2.222e8 + 347460 * 38.234 * 38.234, nacelle = 1.7415e6 + 240000 * (1.9 * 1.9 + 89.35 * 89.35),
               hub = 6.0e4 + 56780 * (high * high + 25);
  Eigen::Matrix3d M, K = Eigen::Vector3d(1.45e10, 3 * 2.27345e8, 1.5 * 2.27345e8).asDiagonal();
  M << tower + nacelle + hub + blades, 3 * high * S, 1.5 * (I + root * S), 3 * high * S, 3 * I, 0, 1.5 * (I + root * S),
      0, 1.5 * I;
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::Matrix3d> expected(K, M);
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const auto found = eigenvalues(linear_model(*system, *formulation));
    for (Eigen::Index i = 0; i < 3; ++i) CHECK(distance_to(found, {0, std::sqrt(expected.eigenvalues()[i])}) < 1e-8);
  }
  // The tower alone nods near a third of a hertz, as the source gives it.
  CHECK(std::sqrt(expected.eigenvalues()[0]) / (2 * std::numbers::pi) == Approx(0.32).epsilon(0.05));
}
