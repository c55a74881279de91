// The wind turbine: thrust and torque against a blade-element sum of its own.
#include <cmath>
#include <numbers>

#include "tests/examples_thompson/example.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

constexpr double pi = std::numbers::pi, V = 8.2, rho = 1.225;

struct Section {
  double lift, drag;
};
/// What the table of the model was made of: attached flow about −4.2 degrees, a flat plate beyond stall.
Section smooth_section(double alpha) {
  const double from_zero_lift = alpha + 4.2 * pi / 180;
  const double attached = 1 / (1 + std::exp((std::abs(from_zero_lift) - 15 * pi / 180) / (1.5 * pi / 180)));
  return {attached * 6.1 * from_zero_lift + (1 - attached) * 1.1 * std::sin(2 * alpha),
          0.0065 + (1 - attached) * 1.8 * std::pow(std::sin(alpha), 2)};
}

/// Its rows are 2 degrees apart where blades of a running turbine are.
Section section(double alpha) {
  const double step = 2 * pi / 180, below = step * std::floor(alpha / step), s = (alpha - below) / step;
  const Section a = smooth_section(below), b = smooth_section(below + step);
  return {a.lift + s * (b.lift - a.lift), a.drag + s * (b.drag - a.drag)};
}

struct Node {
  double radius, twist, width, chord;
};
/// NREL/TP-500-38060, Table 3-1: m, degrees.
constexpr Node nodes[]{
    {2.8667, 13.308, 2.7333, 3.542},  {5.6000, 13.308, 2.7333, 3.854},  {8.3333, 13.308, 2.7333, 4.167},
    {11.7500, 13.308, 4.1000, 4.557}, {15.8500, 11.480, 4.1000, 4.652}, {19.9500, 10.162, 4.1000, 4.458},
    {24.0500, 9.011, 4.1000, 4.249},  {28.1500, 7.795, 4.1000, 4.007},  {32.2500, 6.544, 4.1000, 3.748},
    {36.3500, 5.361, 4.1000, 3.502},  {40.4500, 4.188, 4.1000, 3.256},  {44.5500, 3.125, 4.1000, 3.010},
    {48.6500, 2.319, 4.1000, 2.764},  {52.7500, 1.526, 4.1000, 2.518},  {56.1667, 0.863, 2.7333, 2.313},
    {58.9000, 0.370, 2.7333, 2.086},  {61.6333, 0.106, 2.7333, 1.419}};

struct RotorLoad {
  double thrust = 0, torque = 0;
};
/// Three straight blades in uniform axial flow: inflow angle φ = atan(V / Ω r), α = φ − twist.
RotorLoad blade_element_sum(double omega) {
  RotorLoad sum;
  for (const Node& n : nodes) {
    const double across = omega * n.radius, phi = std::atan2(V, across);
    const Section c = n.radius < 10 ? Section{0, 0.5} : section(phi - n.twist * pi / 180);
    const double scale = 3 * 0.5 * rho * (V * V + across * across) * n.chord * n.width;
    sum.thrust += scale * (c.lift * std::cos(phi) + c.drag * std::sin(phi));
    sum.torque += scale * n.radius * (c.lift * std::sin(phi) - c.drag * std::cos(phi));
  }
  return sum;
}

}  // namespace

TEST_CASE("the rotor of a straight wind turbine gains speed as the blade-element sum says") {
  // Straight blades, tower and flap at rest: the first instant, without gravity so that nothing else acts.
  std::string text = with(model_text("wind_turbine"), "initial: {position: 0.0391}", "initial: {position: 0}");
  text = with(with(text, "{position: [0.00434, 0.00029]}", "{position: [0, 0]}"), "[0, 0, -9.81]", "[0, 0, 0]");
  const auto system = system_from_text(text);
  CHECK(system->count_constraints().degrees_of_freedom == 7);
  const auto all = formulations_for(*system);
  REQUIRE(all.size() >= 5);
  const double omega = 1.267;
  const RotorLoad expected = blade_element_sum(omega);
  CHECK(expected.torque * omega == Approx(5.2e6).epsilon(0.05));  // rated: 5.3 MW at the shaft
  for (const Formulation* formulation : all) {
    INFO(formulation->name());
    const auto solver = solver_for(*system, *formulation);
    host::ObservationStore store(system->view());
    const Observation& o = store.now();
    REQUIRE(solver->observe(0, initial_vector(*system, *solver), store.now()) == Status::ok);
    // About the shaft the rotor has J α_x = torque of the air − torque of the generator, which is 3.27e6 Ω.
    const double blade = 11776047 + 17740 * (2 * 1.5 * 20.475 + 1.5 * 1.5), J = 115926 + 3 * blade;
    const double torque = J * o.bodies[body_named(system->view(), "rotor")].angular_acceleration.x + 3.27e6 * omega;
    CHECK(torque == Approx(expected.torque).epsilon(1e-4));  // the table has five digits
  }
}

TEST_CASE("the running wind turbine takes from the wind what the blade-element sum says") {
  const auto system = system_from_text(model_text("wind_turbine"));
  const SystemView& view = system->view();
  const auto solver = solver_for(*system, *formulations_for(*system).back());
  const JointData& shaft = joint_named(view, "shaft");
  const auto shaft_index = static_cast<std::size_t>(&shaft - &view.joints.front());
  double speed = 0, thrust = 0;
  int rows = 0;
  const double turn = 2 * pi / 1.267;
  run_rows(
      *system, *solver, 8 * turn,
      [&](double t, const Observation& o) {
        if (t <= 4 * turn) return;  // the mean over four turns
        speed += o.v[shaft.v_offset];
        thrust -= o.reactions[shaft_index].linear.x;
        ++rows;
      },
      800);
  speed /= rows;
  thrust /= rows;
  const RotorLoad expected = blade_element_sum(speed);
  CHECK(speed == Approx(1.267).epsilon(2e-3));
  CHECK(3.27e6 * speed == Approx(expected.torque).epsilon(0.01));  // blades bent by 0.04 rad
  CHECK(thrust == Approx(expected.thrust).epsilon(0.01));
}
