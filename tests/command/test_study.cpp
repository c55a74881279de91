// Studies through the command line: values of the model, quantities of each case, failures as rows.
#include <signal.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numbers>

#include "tests/command/command_runner.hpp"
#include "tests/command/sample_models.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/wait.hpp"

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
simulation: {duration: 1, output_interval: 0.0005, integrator: dopri5}
)";

}  // namespace

TEST_CASE("a study tells quantities of a motion that is known") {
  const Workshop shop;
  const Outcome outcome = shop.run({"study",      shop.write("m.yaml", oscillator),
                                    "--vary",     "bodies.block.mass=0.5:2:4",
                                    "--vary",     "forces.spring.stiffness=50,200",
                                    "--quantity", "end=final(slide.q)",
                                    "--quantity", "low=min(slide.q)",
                                    "--quantity", "zero=crossing(slide.q, 0)",
                                    "--quantity", "area=integral(slide.q)",
                                    "--quantity", "square=rms(slide.q)^2",
                                    "--quantity", "swing=amplitude(slide.q)",
                                    "--output",   "a.csv"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const std::string csv = shop.read("a.csv");
  CHECK_THAT(csv, Catch::StartsWith(
                      "case,bodies.block.mass,forces.spring.stiffness,end,low,zero,area,square,swing,status,reason\n"));
  const auto rows = rows_of(csv);
  REQUIRE(rows.size() == 8);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    INFO("case " << k);
    CHECK(rows[k][0] == std::to_string(k));
    const double omega = std::sqrt(std::stod(rows[k][2]) / std::stod(rows[k][1]));
    CHECK(std::stod(rows[k][3]) == Approx(0.2 * std::cos(omega)).margin(1e-7));
    CHECK(std::stod(rows[k][4]) == Approx(-0.2).margin(1e-6));
    CHECK(std::stod(rows[k][5]) == Approx(std::numbers::pi / 2 / omega).margin(1e-6));
    CHECK(std::stod(rows[k][6]) == Approx(0.2 * std::sin(omega) / omega).margin(1e-6));
    CHECK(std::stod(rows[k][7]) == Approx(0.02 + 0.01 * std::sin(2 * omega) / omega).margin(1e-5));
    CHECK(std::stod(rows[k][8]) == Approx(0.2).margin(1e-6));
    CHECK(rows[k][9] == "done");
  }
}

TEST_CASE("a study imports its model as the options say") {
  const Workshop shop;
  // With a free base the robot falls as a whole.
  const Outcome outcome =
      shop.run({"study", std::string(POLYFORM_MODELS) + "/arm.urdf", "--import-option", "base=free", "--vary",
                "bodies.pedestal.mass=5,10", "--quantity", "drop=initial(pedestal.z)-final(pedestal.z)", "--duration",
                "0.2", "--output", "a.csv"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const auto rows = rows_of(shop.read("a.csv"));
  REQUIRE(rows.size() == 2);
  for (const auto& row : rows) CHECK(std::stod(row[2]) == Approx(0.5 * 9.81 * 0.04).margin(1e-7));
}

TEST_CASE("a table is the same for any number of workers, any shards, and after a stop") {
  const Workshop shop;
  const std::string model = shop.write("m.yaml", oscillator);
  const std::vector<std::string> study{"study",      model,
                                       "--vary",     "bodies.block.mass=uniform(1,2)",
                                       "--vary",     "joints.slide.initial.velocity=normal(0,1)",
                                       "--samples",  "60",
                                       "--seed",     "9",
                                       "--quantity", "end=final(slide.q)",
                                       "--duration", "0.1",
                                       "--quiet"};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> all = study;
    all.insert(all.end(), more.begin(), more.end());
    return shop.run(all);
  };
  REQUIRE(with({"--workers", "1", "--output", "one.csv"}).code == 0);
  const std::string whole = shop.read("one.csv");
  REQUIRE(with({"--workers", "5", "--output", "five.csv"}).code == 0);
  CHECK(shop.read("five.csv") == whole);
  REQUIRE(with({"--workers", "2", "--isolate", "--output", "alone.csv"}).code == 0);
  CHECK(shop.read("alone.csv") == whole);
  for (const char* shard : {"1/3", "2/3", "3/3"})
    REQUIRE(with({"--shard", shard, "--output", std::string("s") + shard[0] + ".csv"}).code == 0);
  REQUIRE(shop.run({"study", "--merge", "merged.csv", "s3.csv", "s1.csv", "s2.csv"}).code == 0);
  CHECK(shop.read("merged.csv") == whole);
  const Outcome gap = shop.run({"study", "--merge", "gap.csv", "s1.csv", "s3.csv"});
  CHECK(gap.code == 2);
  CHECK_THAT(gap.err, Contains("case 1 is in none of the shards"));
  // As after kill -9: the journal ends within a row.
  const std::string journal = shop.read("one.csv.journal");
  shop.write("killed.csv.journal", journal.substr(0, journal.size() * 2 / 3));
  const Outcome anew = with({"--output", "killed.csv"});
  CHECK(anew.code == 2);
  CHECK_THAT(anew.err, Contains("did not come to its end") && Contains("--resume"));
  REQUIRE(with({"--resume", "--output", "killed.csv"}).code == 0);
  CHECK(shop.read("killed.csv") == whole);
}

TEST_CASE("cases in lanes give what they give one at a time, and the record says how they ran") {
  const Workshop shop;
  const std::string model = shop.write("m.yaml", oscillator);
  const std::string integrator = GENERATE(as<std::string>(), "dopri5", "rk4");
  const auto study = [&](const std::string& table, std::vector<std::string> more) {
    std::vector<std::string> all{"study",        model,
                                 "--vary",       "bodies.block.mass=uniform(1,2)",
                                 "--vary",       "forces.spring.stiffness=uniform(10,90)",
                                 "--vary",       "gravity[0]=normal(0,1)",
                                 "--samples",    "21",
                                 "--quantity",   "end=final(slide.q)",
                                 "--quantity",   "work=max(energy.total)-min(energy.total)",
                                 "--integrator", integrator,
                                 "--output",     table};
    all.insert(all.end(), more.begin(), more.end());
    const Outcome outcome = shop.run(all);
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    return rows_of(shop.read(table));
  };
  const auto together = study("lanes.csv", {}), alone = study("alone.csv", {"--no-lanes"});
  CHECK_THAT(shop.read("lanes.csv.journal"), Contains("in lanes: 8 cases at a time by riccati and " + integrator));
  CHECK_THAT(shop.read("alone.csv.journal"), Contains("one case at a time: as asked for"));
  REQUIRE(together.size() == alone.size());
  for (std::size_t k = 0; k < alone.size(); ++k) {
    INFO("case " << k);
    CHECK(std::stod(together[k][4]) == Approx(std::stod(alone[k][4])).margin(1e-11));
    CHECK(std::stod(together[k][5]) == Approx(std::stod(alone[k][5])).margin(1e-9));
    CHECK(together[k][6] == alone[k][6]);
  }
}

TEST_CASE("a study is extended, and one of another model is not resumed") {
  const Workshop shop;
  const auto study = [&](const std::string& model, const std::string& samples) {
    return shop.run({"study", shop.write("m.yaml", model), "--vary", "bodies.block.mass=uniform(1,2)", "--samples",
                     samples, "--method", "sobol", "--quantity", "end=final(slide.q)", "--duration", "0.1", "--output",
                     "a.csv", "--resume", "--json"});
  };
  REQUIRE(shop.run({"study", shop.write("m.yaml", oscillator), "--vary", "bodies.block.mass=uniform(1,2)", "--samples",
                    "20", "--method", "sobol", "--quantity", "end=final(slide.q)", "--duration", "0.1", "--output",
                    "a.csv"})
              .code == 0);
  const std::string before = shop.read("a.csv");
  const Outcome more = study(oscillator, "30");
  REQUIRE(more.code == 0);
  const auto object = nlohmann::json::parse(more.out);
  CHECK(object["done"] == 30);
  CHECK(object["resumed"] == 20);
  CHECK_THAT(shop.read("a.csv"), Catch::StartsWith(before));
  std::string changed = oscillator;
  changed.replace(changed.find("stiffness: 50"), 13, "stiffness: 60");
  const Outcome other = study(changed, "30");
  CHECK(other.code == 2);
  CHECK_THAT(other.err, Contains("the model has changed: forces[0].stiffness was '50' and is '60'"));
  CHECK(study("# a comment changes nothing\n" + oscillator, "30").code == 0);
}

TEST_CASE("a study is not resumed where a file of its model, or the correlation of its factors, has changed") {
  const Workshop shop;
  shop.write("part.yaml", oscillator.substr(0, oscillator.find("simulation:")));
  const auto study = [&](const std::string& correlation, const std::string& samples) {
    shop.write("m.yaml", "polyform: 1\ninclude: part.yaml\nsimulation: {duration: 0.1}\n");
    shop.write("s.yaml",
               "study: 1\nmodel: m.yaml\nvary:\n  - {path: bodies.block.mass, values: \"uniform(1,2)\"}\n"
               "  - {path: forces.spring.stiffness, values: \"uniform(40,60)\"}\nmethod: sobol\n"
               "quantities: {end: final(slide.q)}\nsamples: " +
                   samples +
                   "\n"
                   "correlation: [[1, " +
                   correlation + "], [" + correlation + ", 1]]\n");
    return shop.run({"study", shop.path("s.yaml").string(), "--output", "a.csv", "--resume", "--json"});
  };
  REQUIRE(study("0.5", "4").code == 0);
  // The study file itself may ask for more.
  const Outcome more = study("0.5", "6");
  INFO(more.err);
  REQUIRE(more.code == 0);
  CHECK(nlohmann::json::parse(more.out)["resumed"] == 4);
  const Outcome fewer = study("0.5", "5");
  CHECK(fewer.code == 2);
  CHECK_THAT(fewer.err, Contains("holds case 5 already"));
  const Outcome other = study("0.6", "6");
  CHECK(other.code == 2);
  CHECK_THAT(other.err, Contains("correlation was"));
  std::string part = shop.read("part.yaml");
  part.replace(part.find("stiffness: 50"), 13, "stiffness: 51");
  shop.write("part.yaml", part);
  const Outcome changed = study("0.5", "6");
  CHECK(changed.code == 2);
  CHECK_THAT(changed.err, Contains("the file 'part.yaml' has changed"));
}

TEST_CASE("cases that fail are rows with their reasons and cost no other") {
  const Workshop shop;
  const Outcome outcome = shop.run({"study", shop.write("m.yaml", oscillator), "--vary", "bodies.block.mass=1,-1,x,2",
                                    "--quantity", "end=final(slide.q)", "--output", "a.csv", "--duration", "0.1"});
  CHECK(outcome.code == 0);
  const auto rows = rows_of(shop.read("a.csv"));
  REQUIRE(rows.size() == 4);
  CHECK(rows[0][3] == "done");
  CHECK(rows[1][3] == "failed");
  CHECK_THAT(rows[1][4], Contains("bodies[0].mass: the mass is negative"));
  CHECK_THAT(shop.read("a.csv"), Contains("found 'x', expected a number in kg"));
  CHECK(rows[3][3] == "done");
  CHECK_THAT(outcome.out, Contains("4: 2 done, 2 failed"));
  const Outcome all = shop.run({"study", shop.write("m.yaml", oscillator), "--vary", "bodies.block.mass=-1,-2",
                                "--quantity", "end=final(slide.q)"});
  CHECK(all.code == 1);
}

TEST_CASE("plugins that crash, hang or take all memory cost their case alone") {
  const Workshop shop;
  const std::string plugin = std::string(POLYFORM_FIXTURES) + "/trouble.so";
  std::string model = oscillator;
  const std::string spring = "joint-spring-damper, joint: slide, stiffness: 50";
  model.replace(model.find(spring), spring.size(), "talking, joint: slide");
  const Outcome outcome =
      shop.run({"study", shop.write("m.yaml", model), "--plugin-path", plugin, "--vary",
                "forces.spring.type=talking,crashing,endless,exit,throwing,talking", "--quantity", "end=final(slide.q)",
                "--duration", "0.1", "--time-limit", "1", "--workers", "1", "--output", "a.csv"});
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  const auto rows = rows_of(shop.read("a.csv"));
  REQUIRE(rows.size() == 6);
  for (const std::size_t done : {0u, 5u}) CHECK(rows[done][3] == "done");
  for (const std::size_t failed : {1u, 2u, 3u, 4u}) CHECK(rows[failed][3] == "failed");
  if (!has_address_sanitizer) CHECK_THAT(rows[1][4], Contains("signal 11"));
  CHECK_THAT(rows[2][4], Contains("time limit of 1 s"));
  CHECK_THAT(rows[3][4], Contains("exit"));
  CHECK_THAT(rows[4][4], Contains("out of luck"));
}

TEST_CASE("paths that lead to nothing are refused with what may be meant") {
  const Workshop shop;
  const std::string model = shop.write("m.yaml", oscillator);
  const auto refusal = [&](const std::string& path) {
    const Outcome outcome = shop.run({"study", model, "--vary", path + "=1,2", "--quantity", "end=final(slide.q)"});
    CHECK(outcome.code == 2);
    return outcome.err;
  };
  CHECK_THAT(refusal("bodies.blok.mass"), Contains("Did you mean 'block'?"));
  CHECK_THAT(refusal("bodies.block.mas"), Contains("unknown key 'mas'") && Contains("Did you mean 'mass'?"));
  CHECK_THAT(refusal("bodies.block.inertia"), Contains("a map"));
  CHECK_THAT(refusal("bodies[3].mass"), Contains("the list has 1 items"));
  CHECK_THAT(refusal("bodies.block.mass.x"), Contains("has no parts"));
  const Outcome column = shop.run({"study", model, "--vary", "bodies.block.mass=1", "--quantity", "a=max(slide.qq)"});
  CHECK(column.code == 2);
  CHECK_THAT(column.err, Contains("'slide.qq'") && Contains("Did you mean 'slide.q'?"));
}

TEST_CASE("seeds and numbers of samples that are none, and pages by other names, are refused") {
  const Workshop shop;
  const std::string model = shop.write("m.yaml", oscillator);
  const auto refusal = [&](const char* option, const char* value) {
    const Outcome outcome = shop.run({"study", model, "--vary", "bodies.block.mass=uniform(1,2)", "--samples", "2",
                                      "--quantity", "end=final(slide.q)", option, value});
    CHECK(outcome.code == 2);
    return outcome.err;
  };
  for (const char* value : {"-1", "1.5", "1e3", "18446744073709551616", ""}) {
    INFO(value);
    CHECK_THAT(refusal("--seed", value), Contains("--seed") && Contains("whole number"));
  }
  CHECK_THAT(refusal("--report", "r.txt"), Contains("--report") && Contains("'r.txt'") && Contains(".html"));
  CHECK(!std::filesystem::exists(shop.path("r.txt")));
  for (const char* command : {"run", "compare"}) CHECK(shop.run({command, model, "--report", "r.txt"}).code == 2);
}

TEST_CASE("a setting for all cases does not stand over a factor") {
  const Workshop shop;
  const std::string model = shop.write("m.yaml", oscillator);
  const std::vector<std::vector<std::string>> pairs{{"simulation.duration=1,2", "--duration", "0.5"},
                                                    {"simulation.step=1e-3,1e-2", "--step", "0.1"},
                                                    {"simulation.tolerance.relative=1e-6", "--rtol", "1"},
                                                    {"simulation.integrator=rk4,dopri5", "--integrator", "radau5"},
                                                    {"solver=riccati,cartesian", "--solver", "riccati"},
                                                    {"solver.options.a=1", "--option", "a=2"}};
  for (const auto& pair : pairs) {
    INFO(pair[0]);
    const Outcome outcome =
        shop.run({"study", model, "--vary", pair[0], pair[1], pair[2], "--quantity", "t=final(time)"});
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.err, Contains("is a factor") && Contains("is given for all cases too"));
  }
  const Outcome name = shop.run({"study", model, "--vary", "bodies.block.mass=1", "--quantity", "status=final(time)"});
  CHECK(name.code == 2);
  const Outcome nothing = shop.run({"study", model, "--vary", "bodies.block.mass=1", "--quantity", "v=0/0",
                                    "--duration", "0.1", "--output", "n.csv"});
  CHECK(nothing.code == 0);
  CHECK_THAT(shop.read("n.csv"), Contains("0,1,nan,done,"));
}

TEST_CASE("values that the model leaves to their default can be varied, and others of a list stay") {
  const Workshop shop;
  const Outcome outcome =
      shop.run({"study", shop.write("m.yaml", oscillator), "--vary", "gravity[0]=0,50", "--vary",
                "joints.slide.initial.velocity=0,1", "--quantity", "v=initial(slide.v)", "--quantity",
                "middle=mean(slide.q)", "--duration", "1.2566370614359172", "--output", "a.csv"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const auto rows = rows_of(shop.read("a.csv"));
  REQUIRE(rows.size() == 4);
  CHECK(std::stod(rows[1][3]) == 1);
  CHECK(std::stod(rows[0][4]) == Approx(0).margin(1e-6));  // over a whole period
  CHECK(std::stod(rows[2][4]) == Approx(2).margin(1e-5));  // m g / k
}

TEST_CASE("a study file says the same as the command line") {
  const Workshop shop;
  shop.write("m.yaml", oscillator);
  REQUIRE(shop.run({"study", "m.yaml", "--vary", "bodies.block.mass=1:2:3", "--vary", "solver=riccati,cartesian",
                    "--quantity", "end=final(slide.q)", "--duration", "0.5", "--output", "a.csv"})
              .code == 0);
  const std::string file = shop.write("s.yaml", R"(study: 1
model: m.yaml
vary:
  - {path: bodies.block.mass, values: "1:2:3"}
  - {path: solver, values: [riccati, cartesian]}
quantities: {end: final(slide.q)}
simulation: {duration: 0.5}
)");
  const Outcome outcome = shop.run({"study", file, "--output", "b.csv"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(shop.read("a.csv") == shop.read("b.csv"));
  const Outcome wrong = shop.run({"study", shop.write("w.yaml", "study: 1\nmodel: m.yaml\nvari: []\n")});
  CHECK(wrong.code == 2);
  CHECK_THAT(wrong.err, Contains("w.yaml:3:1: error: vari: unknown key 'vari'") && Contains("Did you mean 'vary'?"));
}

TEST_CASE("the shipped study tells where a shaken rod stands, as the theory of fast shaking does") {
  const Workshop shop;
  const Outcome outcome = shop.run({"study", shipped("studies/upright_rod"), "--output", "a.csv"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const auto rows = rows_of(shop.read("a.csv"));
  REQUIRE(rows.size() == 56);
  const double limit = std::sqrt(2 * 9.81 * (0.05 + 0.6 * 0.25) / (0.6 * 0.5));
  for (const auto& row : rows) {
    INFO("case " << row[0] << ", " << row[1] << " Hz, " << row[2] << " m: swing " << row[4]);
    const double speed = 2 * std::numbers::pi * std::stod(row[1]) * std::stod(row[2]);
    CHECK(std::stod(row[5]) == Approx(speed).epsilon(1e-2));
    // Near the limit the theory is not sharp.
    if (speed > 1.3 * limit) CHECK(std::stod(row[4]) < 0.4);
    if (speed < 0.8 * limit) CHECK(std::stod(row[4]) > 1.5);
  }
}

TEST_CASE("an interrupted study keeps what was done and goes on") {
  const Workshop shop;
  const std::string model = shop.write("m.yaml", oscillator);
  const std::vector<std::string> study{"study",      model, "--vary",     "bodies.block.mass=uniform(1,2)",
                                       "--samples",  "400", "--quantity", "end=final(slide.q)",
                                       "--duration", "40",  "--output",   "a.csv"};
  const pid_t process = shop.start(study);
  CHECK(wait_until([&] {
    std::error_code missing;
    const auto bytes = std::filesystem::file_size(shop.path("a.csv.journal"), missing);
    return !missing && bytes >= 1500;
  }));
  kill(process, SIGTERM);
  const Outcome outcome = shop.finish(process);
  INFO(outcome.err);
  CHECK(outcome.code == 130);
  CHECK_THAT(outcome.err, Contains("interrupted after") && Contains("--resume goes on with it"));
  const auto rows = rows_of(shop.read("a.csv"));
  CHECK(!rows.empty());
  CHECK(rows.size() < 400);
  for (const auto& row : rows) CHECK(row[3] == "done");
}
