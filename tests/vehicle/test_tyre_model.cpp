// The tyre in models: closed forms of a mass on one wheel, and what is said of a wrong tyre.
#include <catch2/catch.hpp>
#include <cmath>

#include "framework/host/reading/reader.hpp"
#include "framework/host/simulation/simulate.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// 500 kg on a slide along z, with a tyre of 0.3 m, 2e5 N/m and 4e3 N s/m over the road z = 0.1.
std::string mass_on_a_tyre(double height) {
  return "polyform: 1\nbodies:\n  - {name: mass, position: [0, 0, " + std::to_string(height) +
         "], mass: 500, inertia: {xx: 1, yy: 1, zz: 1}}\n"
         "joints:\n  - {name: slide, type: prismatic, base: ground, moving: mass, position: [0, 0, 0], axis: [0, 0, "
         "1]}\n"
         "forces:\n  - {name: t, type: tyre, wheel: {body: mass}, axis: [0, 1, 0], radius: 0.3, stiffness: 2.0e+5, "
         "damping: 4.0e+3, road_height: 0.1}\n";
}

/// Keeps time and height of the first body.
class HeightSink final : public host::RowSink {
 public:
  void row(double time, const Observation& o) override {
    times.push_back(time);
    heights.push_back(o.bodies[0].pose.position.z);
    energies.push_back(o.kinetic_energy + o.potential_energy);
  }
  std::vector<double> times, heights, energies;
};

HeightSink run(const host::System& system, const Formulation& formulation, double duration) {
  const auto solver = solver_for(system, formulation);
  HeightSink sink;
  host::RowSink* sinks[] = {&sink};
  host::RunSettings settings = test::run_settings("cvode-bdf");
  settings.duration = duration;
  settings.step = 1e-5;
  settings.relative_tolerance = 1e-10;
  settings.absolute_tolerance = 1e-12;
  settings.output_interval = 0.01;
  const host::RunRecord record = host::simulate(system, *solver, settings, sinks, {});
  INFO(record.failure);
  CHECK(record.end == host::End::done);
  return sink;
}

}  // namespace

TEST_CASE("a mass in contact swings on its tyre as the damped oscillator in closed form") {
  const double m = 500, k = 2e5, d = 4e3, g = 9.81, start = 0.39;
  const auto system = system_from_text(mass_on_a_tyre(start));
  const double level = 0.1 + 0.3 - m * g / k, decay = d / (2 * m), pulse = std::sqrt(k / m - decay * decay);
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO("formulation " << formulation->name());
    const HeightSink sink = run(*system, *formulation, 1);
    double worst = 0;
    for (std::size_t i = 0; i < sink.times.size(); ++i) {
      const double t = sink.times[i];
      const double expected =
          level + (start - level) * std::exp(-decay * t) * (std::cos(pulse * t) + decay / pulse * std::sin(pulse * t));
      worst = std::max(worst, std::abs(sink.heights[i] - expected));
    }
    CHECK(worst < 1e-8);
  }
}

TEST_CASE("a dropped mass bounces, loses energy only in contact, and settles on m g / k") {
  const auto system = system_from_text(mass_on_a_tyre(0.5));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO("formulation " << formulation->name());
    const HeightSink sink = run(*system, *formulation, 4);
    bool landed = false, rebounded = false;
    for (std::size_t i = 1; i < sink.heights.size(); ++i) {
      landed = landed || sink.heights[i] < 0.4;
      rebounded = rebounded || (landed && sink.heights[i] > 0.4);
      CHECK(sink.energies[i] - sink.energies[i - 1] < 1e-5);
      if (!landed) CHECK(sink.energies[i] == Approx(sink.energies[0]).epsilon(1e-8));
    }
    CHECK(landed);
    CHECK(rebounded);
    CHECK(sink.heights.back() == Approx(0.4 - 500 * 9.81 / 2e5).margin(1e-6));
  }
}

TEST_CASE("messages about tyres") {
  const auto printed = [](const std::string& tyre) {
    const std::string text =
        "polyform: 1\n"
        "bodies:\n"
        "  - {name: w, position: [0, 0, 0.3], mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
        "joints:\n"
        "  - {name: j, type: free, base: ground, moving: w}\n"
        "forces:\n"
        "  - {name: t, type: tyre, " +
        tyre + "}\n";
    host::Diagnostics diagnostics;
    bool missing_plugin = false;
    host::Description description =
        host::read_model_text(text, "m.yaml", registry().catalog(), diagnostics, missing_plugin);
    if (!diagnostics.failed()) host::System::assemble(std::move(description), registry().keep_alive(), diagnostics);
    std::string all;
    for (const Diagnostic& d : diagnostics.all()) all += host::format(d) + "\n";
    return all;
  };
  const std::string sizes = "radius: 0.3, stiffness: 1000";
  CHECK(printed("wheel: {body: w}, axis: [0, 1, 0], " + sizes) == "");
  CHECK(printed("wheel: {body: w}, axis: [0, 1, 0], radius: 0, stiffness: 0, damping: -1, onset: -1") ==
        "m.yaml:7:70: error: forces[0].radius: found '0', expected a number in m greater than 0\n"
        "  radius: the radius of the tyre without load.\n"
        "m.yaml:7:84: error: forces[0].stiffness: found '0', expected a number in N/m greater than 0\n"
        "  stiffness: radial force per compression.\n"
        "m.yaml:7:96: error: forces[0].damping: found '-1', expected a number in N s/m of at least 0\n"
        "  damping: radial force per rate of compression.\n"
        "m.yaml:7:107: error: forces[0].onset: found '-1', expected a number in m of at least 0\n"
        "  onset: compression over which the damping grows from none to full, so that landing is no jump.\n");
  CHECK(printed("wheel: {body: w}, " + sizes) ==
        "m.yaml:7:5: error: forces[0].axis: 'axis' is missing: the axis that the wheel spins about, in the axes of its "
        "body\n"
        "  Add 'axis', a direction [x, y, z].\n");
  CHECK(printed("wheel: {body: ground}, axis: [0, 1, 0], " + sizes) ==
        "m.yaml:7:34: error: forces[0].wheel: the wheel is fixed in ground: its tyre moves nothing\n"
        "  Name the body that carries the wheel.\n");
  CHECK(printed("wheel: {body: w}, axis: [0, 0, 2], " + sizes) ==
        "m.yaml:7:51: error: forces[0].axis: the spin axis is parallel to the normal of the road as drawn: the wheel "
        "lies flat\n"
        "  Give the axis in the axes of the wheel's body, and the road's normal in ground axes.\n");
  CHECK(printed("wheel: {body: w}, axis: [0, 1, 0], road_normal: [0, 0, 0], " + sizes) ==
        "m.yaml:7:75: error: forces[0].road_normal: found [0, 0, 0], which has no direction\n"
        "  Give a vector along the axis; its length does not matter.\n");
  CHECK(printed("wheel: {body: w}, axis: [0, 1, 0], road_height: 0.5, " + sizes) ==
        "m.yaml:7:34: warning: forces[0].wheel: the wheel centre is drawn 0.2 m under the road\n"
        "  Draw it above the road, or correct road_normal and road_height.\n");
}
