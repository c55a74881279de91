// What studies keep and compare: trajectories, differences of solvers, Sobol indices; and factors that are refused.
#include <hdf5.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/command/command_runner.hpp"

using namespace polyform::test;
using Catch::Contains;

namespace {

/// A mass on a spring: q = 0.2 cos(sqrt(k/m) t).
const std::string oscillator = R"(polyform: 1
bodies:
  - {name: block, mass: 2, inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  - {name: slide, type: prismatic, base: ground, moving: block, position: [0, 0, 0], axis: [1, 0, 0],
     initial: {position: 0.2}}
forces:
  - {name: spring, type: joint-spring-damper, joint: slide, stiffness: 50}
simulation: {duration: 1, output_interval: 0.05, integrator: dopri5, tolerance: {relative: 1e-10, absolute: 1e-12}}
)";

struct Dataset {
  std::vector<hsize_t> shape;
  std::vector<double> values;
  std::string unit;
  double at(std::size_t i, std::size_t k) const { return values.at(i * shape.at(1) + k); }
};

/// A dataset of a file, as any program that knows HDF5 reads it.
Dataset read_dataset(const std::filesystem::path& file, const std::string& path) {
  Dataset out;
  const hid_t open = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  REQUIRE(open >= 0);
  const hid_t dataset = H5Dopen2(open, path.c_str(), H5P_DEFAULT), space = H5Dget_space(dataset);
  REQUIRE(dataset >= 0);
  out.shape.resize(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  H5Sget_simple_extent_dims(space, out.shape.data(), nullptr);
  out.values.resize(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  REQUIRE(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out.values.data()) >= 0);
  const hid_t unit = H5Aopen(dataset, "unit", H5P_DEFAULT), type = H5Aget_type(unit);
  REQUIRE(H5Tis_variable_str(type) > 0);
  char* text = nullptr;
  H5Aread(unit, type, &text);
  out.unit = text;
  H5free_memory(text);
  H5Tclose(type);
  H5Aclose(unit);
  H5Sclose(space);
  H5Dclose(dataset);
  H5Fclose(open);
  return out;
}

std::vector<std::string> with(std::vector<std::string> study, const std::vector<std::string>& more) {
  study.insert(study.end(), more.begin(), more.end());
  return study;
}

}  // namespace

TEST_CASE("trajectories of chosen columns are those of the motion, with their units, and a failed case has none") {
  const Workshop shop;
  const Outcome outcome =
      shop.run({"study", shop.write("m.yaml", oscillator), "--vary", "bodies.block.mass=0.5,1,-1,2", "--trajectories",
                "slide.*", "--output", "a.h5", "--quantity", "end=final(slide.q)"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK_THAT(outcome.out, Contains("trajectories a.trajectories.h5"));
  const Dataset q = read_dataset(shop.path("a.h5"), "trajectories/slide.q"),
                t = read_dataset(shop.path("a.h5"), "trajectories/time");
  CHECK(q.unit == "m");
  CHECK(read_dataset(shop.path("a.h5"), "trajectories/slide.v").unit == "m/s");
  CHECK(read_dataset(shop.path("a.h5"), "factors/bodies.block.mass").unit == "kg");
  REQUIRE(q.shape == std::vector<hsize_t>{4, 21});
  const double masses[] = {0.5, 1, 0, 2};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t k = 0; k < 21; ++k) {
      INFO("case " << i << ", row " << k);
      if (i == 2) {
        CHECK(std::isnan(q.at(i, k)));
        continue;
      }
      CHECK(t.at(i, k) == Approx(0.05 * static_cast<double>(k)).margin(1e-12));
      CHECK(q.at(i, k) == Approx(0.2 * std::cos(std::sqrt(50 / masses[i]) * t.at(i, k))).margin(1e-8));
    }
  const Outcome page = shop.run({"report", "a.h5"});
  INFO(page.err);
  CHECK(page.code == 0);
}

TEST_CASE("trajectories are the same for any workers and shards, and after a kill") {
  const Workshop shop;
  const std::vector<std::string> study{"study",          shop.write("m.yaml", oscillator),
                                       "--vary",         "bodies.block.mass=uniform(1,2)",
                                       "--samples",      "30",
                                       "--quantity",     "end=final(slide.q)",
                                       "--trajectories", "slide.q,energy",
                                       "--quiet"};
  REQUIRE(shop.run(with(study, {"--workers", "1", "--output", "one.h5"})).code == 0);
  const std::string whole = shop.read("one.trajectories.h5");
  REQUIRE(shop.run(with(study, {"--workers", "3", "--output", "three.csv"})).code == 0);
  CHECK(shop.read("three.trajectories.h5") == whole);
  std::filesystem::create_directory(shop.path("parts"));
  for (const char* shard : {"1/3", "2/3", "3/3"})
    REQUIRE(shop.run(with(study, {"--shard", shard, "--output", std::string("parts/") + shard[0] + ".h5"})).code == 0);
  REQUIRE(shop.run({"study", "--merge", "merged.h5", "parts/2.h5", "parts/1.h5", "parts/3.h5"}).code == 0);
  // As parts/*.h5 would name them.
  REQUIRE(shop.run({"study", "--merge", "merged.csv", "parts/1.h5", "parts/1.trajectories.h5", "parts/2.h5",
                    "parts/2.trajectories.h5", "parts/3.h5", "parts/3.trajectories.h5"})
              .code == 0);
  for (const char* column : {"time", "slide.q", "energy.total"}) {
    const std::string path = std::string("trajectories/") + column;
    const std::vector<double> wanted = read_dataset(shop.path("one.h5"), path).values;
    CHECK(read_dataset(shop.path("merged.h5"), path).values == wanted);
    CHECK(read_dataset(shop.path("merged.trajectories.h5"), path).values == wanted);
  }
  // Both journals end within an entry, as after kill -9.
  for (const char* journal : {"journal", "trajectories.journal"}) {
    const std::string content = shop.read(std::string("one.h5.") + journal);
    shop.write(std::string("killed.h5.") + journal, content.substr(0, content.size() * 3 / 5));
  }
  REQUIRE(shop.run(with(study, {"--resume", "--output", "killed.h5"})).code == 0);
  CHECK(shop.read("killed.trajectories.h5") == whole);
  // Rows without trajectories are computed again.
  std::filesystem::remove(shop.path("killed.h5.trajectories.journal"));
  REQUIRE(shop.run(with(study, {"--resume", "--output", "killed.h5"})).code == 0);
  CHECK(shop.read("killed.trajectories.h5") == whole);
}

TEST_CASE("a table without rows is written and read") {
  const Workshop shop;
  for (const std::string table : {"a.csv", "a.h5"}) {
    const Outcome outcome =
        shop.run({"study", shipped("double_pendulum"), "--vary", "bodies.rod1.mass=1,2", "--quantity",
                  "end=final(j1.q)", "--duration", "0.02", "--shard", "3/3", "--output", table});
    INFO(outcome.err);
    CHECK(outcome.code == 0);
  }
  CHECK(rows_of(shop.read("a.csv")).empty());
  CHECK(shop.run({"report", "a.h5", "--output", "a.html"}).code == 0);
}

TEST_CASE("trajectories that cannot be kept are refused") {
  const Workshop shop;
  const std::vector<std::string> study{"study", shop.write("m.yaml", oscillator), "--vary", "bodies.block.mass=1,2"};
  const Outcome nowhere = shop.run(with(study, {"--trajectories", "slide.q"}));
  CHECK(nowhere.code == 2);
  CHECK_THAT(nowhere.err, Contains("--trajectories needs the --output"));
  const Outcome unknown = shop.run(with(study, {"--trajectories", "slide.x", "--output", "a.h5"}));
  CHECK(unknown.code == 2);
  CHECK_THAT(unknown.err, Contains("slide.x"));
  CHECK(!std::filesystem::exists(shop.path("a.h5")));
}

TEST_CASE("the difference from another solver is a quantity, and each solver computes every sample") {
  const Workshop shop;
  const Outcome outcome =
      shop.run({"study", shipped("double_pendulum"), "--vary", "bodies.rod1.mass=uniform(0.5,2)", "--vary",
                "solver=riccati,cartesian", "--samples", "3", "--duration", "0.5", "--quantity",
                "apart=difference(j1.q, cartesian)", "--quantity", "end=final(j1.q)", "--output", "a.csv"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const Table table = read_table([&] {
    std::string csv = shop.read("a.csv");
    for (const auto& [word, number] : {std::pair("riccati", "0"), {"cartesian", "1"}, {",done,", ",1,0"}})
      for (std::size_t at; (at = csv.find(word)) != csv.npos;) csv.replace(at, std::string(word).size(), number);
    return csv;
  }());
  REQUIRE(table.rows.size() == 6);
  for (std::size_t i = 0; i < 6; i += 2) {
    CHECK(table.at(i, "bodies.rod1.mass") == table.at(i + 1, "bodies.rod1.mass"));
    CHECK(table.at(i, "solver") == 0);
    CHECK(table.at(i + 1, "solver") == 1);
    CHECK(table.at(i, "end") == Approx(table.at(i + 1, "end")).margin(1e-9));
    CHECK(table.at(i, "apart") > 0);
    CHECK(table.at(i, "apart") < 1e-8);
    CHECK(table.at(i + 1, "apart") == 0);  // the difference of a solver from itself
  }
  const Outcome unknown = shop.run({"study", shipped("double_pendulum"), "--vary", "bodies.rod1.mass=1", "--quantity",
                                    "a=difference(j1.q, cartesien)"});
  CHECK(unknown.code == 3);
  CHECK_THAT(unknown.err, Contains("Did you mean 'cartesian'?"));
}

TEST_CASE("total Sobol indices are told of a spring whose end position does not depend on one factor") {
  const Workshop shop;
  const Outcome outcome =
      shop.run({"study", shop.write("m.yaml", oscillator), "--vary", "joints.slide.initial.position=uniform(-1,1)",
                "--vary", "gravity[1]=uniform(-9,-1)", "--method", "saltelli", "--samples", "64", "--duration", "0.1",
                "--quantity", "end=final(slide.q)", "--json", "--quiet"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const auto object = nlohmann::json::parse(outcome.out);
  CHECK(object["cases"] == 256);
  const auto& factors = object["influence"][0]["factors"];
  CHECK(factors[0]["total"][0].get<double>() == Approx(1).margin(0.1));
  CHECK(factors[0]["first"][0].get<double>() == Approx(1).margin(0.1));
  CHECK(factors[1]["total"][0].get<double>() == Approx(0).margin(1e-9));
}

TEST_CASE("what no case could have is refused before the first one") {
  const Workshop shop;
  const std::string model = shop.write("m.yaml", oscillator);
  const auto refusal = [&](const std::string& path, const std::string& of = "") {
    const Outcome outcome = shop.run(
        {"study", of.empty() ? model : of, "--vary", path, "--quantity", "t=final(time)", "--duration", "0.01"});
    INFO(path << "\n" << outcome.out << outcome.err);
    CHECK(outcome.code == 2);
    return outcome.err;
  };
  CHECK_THAT(refusal("solver.options.foo=1,2"), Contains("solver riccati has no option 'foo'"));
  CHECK_THAT(refusal("simulation.integrator.options.foo=1,2"), Contains("integrator dopri5 has no option 'foo'"));
  CHECK_THAT(refusal("simulation.integrator=rk4,dopri"), Contains("Did you mean 'dopri5'?"));
  CHECK_THAT(refusal("parameters.foo=1"), Contains("the model has no parameter 'foo'") && Contains("It defines none"));
  CHECK_THAT(refusal("signals.foo.value=1"), Contains("signals"));
  const std::string parts = shipped("planar_3rrr_parts");
  CHECK_THAT(refusal("parts.leg.parameters.foo=1,2", parts), Contains("the part has no parameter 'foo'"));
  CHECK_THAT(refusal("place[0].parameters.foo=1,2", parts), Contains("the part has no parameter 'foo'"));
  CHECK_THAT(refusal("forces.nope.stiffness=1", parts), Contains("forces"));
  CHECK(shop.run({"study", model, "--vary", "solver=riccati,none", "--quantity", "t=final(time)"}).code == 3);
}

TEST_CASE("options of an integrator are factors, whether the model names it or not") {
  const Workshop shop;
  const auto study = [&](const std::string& model, const std::vector<std::string>& more) {
    return shop.run(
        with({"study", shop.write("m.yaml", model), "--vary", "simulation.integrator.options.rho_infinity=0.5,1",
              "--quantity", "end=final(slide.q)", "--step", "0.01", "--output", "a.csv"},
             more));
  };
  std::string named = oscillator, unnamed = oscillator;
  named.replace(named.find("dopri5"), 6, "generalized-alpha");
  unnamed.replace(unnamed.find(", integrator: dopri5"), 20, "");
  for (const auto& [model, more] :
       {std::pair(named, std::vector<std::string>{}),
        std::pair(unnamed, std::vector<std::string>{"--integrator", "generalized-alpha"})}) {
    const Outcome outcome = study(model, more);
    INFO(outcome.out << outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK_THAT(outcome.out, Contains("2: 2 done"));
  }
}

TEST_CASE("the shipped study of a pendulum's speed has the closed form, and its mass no influence") {
  const Workshop shop;
  const Outcome outcome =
      shop.run({"study", shipped("studies/pendulum_speed"), "--output", "a.csv", "--json", "--quiet"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  std::string csv = shop.read("a.csv");
  for (std::size_t at; (at = csv.find(",done,")) != csv.npos;) csv.replace(at, 6, ",1,0");
  const Table table = read_table(csv);
  REQUIRE(table.rows.size() == 160);
  for (std::size_t k = 0; k < table.rows.size(); ++k) {
    const double g = -table.at(k, "gravity[1]"), a = table.at(k, "joints.pin.initial.position");
    // The largest value of rows 0.01 s apart.
    CHECK(table.at(k, "speed") == Approx(std::sqrt(2 * g * (1 - std::sin(a)))).epsilon(4e-4));
  }
  const auto object = nlohmann::json::parse(outcome.out);
  const auto& factors = object["influence"][0]["factors"];
  CHECK(factors[0]["total"][0].get<double>() > 0.05);
  CHECK(factors[1]["total"][0].get<double>() < 1e-12);
  CHECK(factors[2]["total"][0].get<double>() > 0.5);
}

TEST_CASE("a run that an element has ended says which one, alone and in a study") {
  const Workshop shop;
  // The faster flow has the piston at the end of its stroke before the second is over.
  shop.write("press.yaml", R"(polyform: 1
gravity: [0, 0, 0]
bodies: [{name: ram, position: [1, 0, 0], mass: 2, inertia: {xx: 1, yy: 1, zz: 1}}]
joints: [{name: slide, type: prismatic, base: ground, moving: ram, position: [1, 0, 0], axis: [1, 0, 0]}]
forces:
  - {name: cylinder, type: hydraulic-cylinder, a: {body: ground}, b: {body: ram}, piston_area: 0.002, stroke: 0.2,
     dead_volume: 1e-4, flow: 2e-3}
simulation: {duration: 1, integrator: dopri5, output_interval: 0.1}
)");
  const Outcome study = shop.run({"study", "press.yaml", "--vary", "forces.cylinder.flow=1e-4,2e-3", "--quantity",
                                  "end=final(slide.q)", "--output", "press.csv"});
  INFO(study.err);
  REQUIRE(study.code == 0);
  const std::string rows = shop.read("press.csv");
  CHECK_THAT(rows, Contains("`cylinder`") && Contains("ended the run at t = "));
  CHECK(rows.find("ended the run") == rows.rfind("ended the run"));
  const Outcome early = shop.run(
      {"run", "press.yaml", "--set", "forces.cylinder.flow=2e-3", "--output", "rows.csv", "--quiet", "--json"});
  CHECK(early.code == 0);
  CHECK_THAT(early.err, Contains("warning: `cylinder`") && Contains("ended the run at t = "));
  CHECK_THAT(nlohmann::json::parse(early.out)["ended_by"].get<std::string>(), Contains("`cylinder`"));
}

TEST_CASE("quantities take the names that a joint type gives its coordinates") {
  const Workshop shop;
  const std::string model = std::string(POLYFORM_MODELS) + "/bead_on_a_wire.yaml";
  const Outcome outcome =
      shop.run({"study", model, "--vary", "bodies.bead.mass=0.1,0.2", "--quantity", "named=max(wire.way)", "--quantity",
                "numbered=max(wire.q[0])", "--output", shop.path("ways.csv").string(), "--quiet"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const std::string table = shop.read("ways.csv");
  std::istringstream rows(table.substr(table.find('\n') + 1));
  for (std::string row; std::getline(rows, row);) {
    std::vector<std::string> cells;
    std::istringstream in(row);
    for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
    REQUIRE(cells.size() >= 4);
    CHECK(cells[2] == cells[3]);
    CHECK(std::stod(cells[2]) > 2);  // m: the bead slides down more than a turn of the coil
  }
}
