// A program that uses libpolyform: reads, runs, evaluates, linearizes, drives a solver, and meets errors.
#include <cmath>
#include <cstdio>
#include <polyform/polyform.hpp>
#include <string>
#include <vector>

namespace pf = polyform::library;

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("not so: %s\n", what);
  ++failures;
}

void use(const pf::Model& model) {
  pf::RunRequest request;
  request.duration = 0.5;
  int steps = 0;
  request.watch.progress = [&](double) { ++steps; };
  const pf::Result result = model.run(request);
  result.check();
  expect(result.status() == pf::RunStatus::done, "the run is done");
  expect(steps > 0, "progress is told");
  expect(result.rows() == 51 || result.rows() > 2, "there are rows");
  expect(result.data().size() == result.rows() * result.columns().size(), "rows are whole");
  expect(std::abs(result.column("time").back() - 0.5) < 1e-12, "the run ends at its end");
  expect(result.record()["status"].text() == "done", "the record says so");

  for (const std::string& name : model.solvers()) {
    const pf::Solver solver = model.solver({name, {}});
    const std::vector<double> y = solver.encode();
    std::vector<double> ydot(y.size()), row(solver.columns().size());
    solver.derivative(0, y, ydot);
    solver.observe(0, y, row);
    const pf::Value evaluated = model.evaluate({name, {}});
    expect(evaluated["solver"].text() == name, "evaluate takes the solver");
    const pf::Value& pin = evaluated["joints"][model.joints().front()]["acceleration"];
    expect(pin[0].number() == pin.numbers()[0] && &pin[0] == &pin[0u] && &pin[0] == &pin[std::size_t{0}],
           "an item has a place of any integer type");
    try {
      pin[-1];
      expect(false, "no item stands before the first");
    } catch (const pf::Error& error) {
      expect(error.kind() == pf::Error::Kind::bad_input, "no item stands before the first, by kind");
    }
  }
  expect(model.linearize()["A"].size() > 0, "there is a linear model");
  expect(model.check()["degrees_of_freedom"].number() > 0, "check counts");
}

void meet_errors(const std::string& folder) {
  try {
    pf::Model::read(folder + "/no_such_model.yaml");
    expect(false, "a missing file is an error");
  } catch (const pf::Error& error) {
    expect(error.kind() == pf::Error::Kind::bad_input, "of its kind");
    expect(error.first().file == folder + "/no_such_model.yaml", "that names the file");
  }
  try {
    pf::Model::parse("polyform: 1\nbodies:\n  - {name: a, mass: -1, inertia: {xx: 1, yy: 1, zz: 1}}\n", "a.yaml");
    expect(false, "a negative mass is an error");
  } catch (const pf::Error& error) {
    expect(error.first().line == 3 && error.first().column > 0, "that names the place");
    expect(!error.first().text.empty(), "and the cause");
  }
}

void use_functions(const std::string& folder) {
  pf::FunctionForce damper;
  const pf::Model plain = pf::Model::read(folder + "/simple_pendulum.yaml");
  damper.name = "damper";
  damper.joints = {plain.joints().front()};
  damper.law = [](const pf::FunctionInput& in, const pf::FunctionOutput& out) { out.efforts[0] = -0.5 * in.v[0]; };
  const pf::Model damped = pf::Model::read(folder + "/simple_pendulum.yaml", {false, {}, {damper}});
  const auto energy = [](const pf::Model& model) { return model.run({.duration = 1}).column("energy.total").back(); };
  expect(energy(damped) < energy(plain), "a function of the program acts");
}

}  // namespace

int main(int, char** arguments) {
  const std::string folder = arguments[1];
  try {
    use(pf::Model::read(folder + "/double_pendulum.yaml"));
    meet_errors(folder);
    use_functions(folder);
  } catch (const pf::Error& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
  if (failures == 0) std::printf("all is well\n");
  return failures;
}
