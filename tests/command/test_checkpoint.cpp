// polyform run --checkpoint and polyform resume: a run in two parts has the rows of one.
#include <signal.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "framework/host/results/result_reader.hpp"
#include "tests/command/command_runner.hpp"
#include "tests/command/sample_models.hpp"
#include "tests/support/wait.hpp"

using namespace polyform::test;
using Catch::Contains;
using nlohmann::json;

namespace {

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Runs a model to the end, and to half of that with a checkpoint and on from there; the rows of both.
struct InTwoParts {
  InTwoParts(const std::string& model, const std::string& half, const std::string& end,
             const std::vector<std::string>& more = {}) {
    const std::vector<std::string> run = with({"run", model, "--output-interval", "0.02"}, more);
    whole_record = shop.run(with(run, {"--duration", end, "--output", "whole.csv", "--json"}));
    REQUIRE(whole_record.code == 0);
    const Outcome first =
        shop.run(with(run, {"--duration", half, "--output", "parts.csv", "--checkpoint", "run.state"}));
    INFO(first.err);
    REQUIRE(first.code == 0);
    record = shop.run({"resume", "run.state", "--duration", end, "--json"});
    INFO(record.err);
    REQUIRE(record.code == 0);
    whole = read_table(shop.read("whole.csv"));
    parts = read_table(shop.read("parts.csv"));
  }

  /// The largest difference of a column, over the rows of the whole run.
  double difference(const std::string& column) const {
    REQUIRE(whole.names == parts.names);
    REQUIRE(whole.rows.size() == parts.rows.size());
    double largest = 0;
    for (std::size_t k = 0; k < whole.rows.size(); ++k)
      largest = std::max(largest, std::abs(whole.at(k, column) - parts.at(k, column)));
    return largest;
  }

  Workshop shop;
  Outcome whole_record, record;
  Table whole, parts;
};

/// A run of a rod to t = 0.4 s, with its checkpoint.
struct Interrupted {
  explicit Interrupted(const std::string& output = "a.csv") {
    shop.write("rod.yaml", Rod{}.text());
    const Outcome outcome = shop.run({"run", "rod.yaml", "--duration", "0.4", "--output-interval", "0.1", "--output",
                                      output, "--checkpoint", "run.state"});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
  }
  Outcome resume() const { return shop.run({"resume", "run.state", "--duration", "1"}); }

  Workshop shop;
};

}  // namespace

TEST_CASE("a run that goes on from its checkpoint has the rows of a run in one part") {
  const InTwoParts pendulum(shipped("double_pendulum"), "2", "4", {"--integrator", "rk4"});
  // A quaternion goes on with its sign: it turns through w = 0 before the checkpoint.
  for (const char* column : {"time", "j1.q", "j2.v", "rod2.x", "rod2.qw", "rod2.qz"})
    CHECK(pendulum.difference(column) < 1e-10);
  const json whole = json::parse(pendulum.whole_record.out), parts = json::parse(pendulum.record.out);
  CHECK(whole.at("steps") == parts.at("steps"));
  CHECK(std::abs(whole.at("energy_drift").get<double>() - parts.at("energy_drift").get<double>()) < 1e-13);
}

TEST_CASE("what touches, what was counted, and what samplers hold go on too") {
  const InTwoParts ball(shipped("rigid_ball"), "2", "4.5");
  CHECK(ball.difference("ball.z") < 1e-8);
  CHECK(ball.difference("floor.lost") < 1e-8);
  CHECK(ball.difference("floor.impacts") == 0);
  CHECK(json::parse(ball.whole_record.out).at("events") == json::parse(ball.record.out).at("events"));
  const InTwoParts belt(shipped("belt_stick_slip"), "1", "3");
  CHECK(belt.difference("lining.mode") == 0);
  CHECK(belt.difference("lining.effort") < 1e-6);
  const InTwoParts servo(shipped("servo_slide"), "0.4", "1");
  CHECK(servo.difference("signal.command") < 1e-8);
}

TEST_CASE("a jump of the energy balance before the checkpoint is told after it") {
  const Workshop shop;
  const Outcome first =
      shop.run({"run", shipped("rigid_ball"), "--duration", "1", "--output", "a.csv", "--checkpoint", "run.state"});
  INFO(first.err);
  REQUIRE(first.code == 0);
  json state = json::parse(shop.read("run.state"));
  CHECK(std::abs(state.at("sums").at("jump").get<double>()) < 1e-9);
  state["sums"]["jump"] = -0.01;
  state["sums"]["jump_time"] = 0.75;
  shop.write("run.state", state.dump() + "\n");
  const Outcome on = shop.run({"resume", "run.state", "--duration", "1.5", "--json"});
  INFO(on.err);
  REQUIRE(on.code == 0);
  CHECK_THAT(on.out, Contains("at t = 0.75 s, where bodies touch"));
}

TEST_CASE("rows behind the checkpoint are written anew, a broken one too") {
  const Interrupted earlier;
  const std::string rows = earlier.shop.read("a.csv");
  earlier.shop.write("a.csv", rows + "0.5,7,7\n0.6,");
  const Outcome outcome = earlier.resume();
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const std::vector<std::string> words = json::parse(earlier.shop.read("run.state")).at("words");
  CHECK(std::ranges::find(words, "--duration=1") != words.end());  // it goes on as a run of this length
  const Table table = read_table(earlier.shop.read("a.csv"));
  REQUIRE(table.rows.size() == 11);
  for (std::size_t k = 0; k < 11; ++k) CHECK(table.at(k, "time") == Approx(0.1 * static_cast<double>(k)));
  CHECK_THAT(earlier.shop.read("a.csv"), Catch::StartsWith(rows));
}

TEST_CASE("an HDF5 file goes on") {
  const Interrupted earlier("a.h5");
  const Outcome outcome = earlier.resume();
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const polyform::host::Results results = polyform::host::ResultFile(earlier.shop.path("a.h5").string()).read_all();
  REQUIRE(results.find("time") != nullptr);
  REQUIRE(results.find("time")->values.size() == 11);
  CHECK(results.find("time")->values.back() == 1);
  CHECK(results.find("pin.q")->values.size() == 11);
}

TEST_CASE("a run that was killed goes on from its last checkpoint, and one that was interrupted where it stood") {
  for (const int signal : {SIGKILL, SIGTERM}) {
    const Workshop shop;
    const pid_t process = shop.start({"run", shop.write("rod.yaml", endless_rod()), "--output", "a.csv", "--checkpoint",
                                      "run.state", "--every", "0.05"});
    CHECK(wait_until([&] {
      std::error_code missing;
      return std::filesystem::file_size(shop.path("a.csv"), missing) >= 100'000 && !missing &&
             std::filesystem::exists(shop.path("run.state"));
    }));
    kill(process, signal);
    shop.finish(process);
    const double reached = json::parse(shop.read("run.state")).at("time");
    const double end = std::ceil(reached) + 2;
    const Outcome outcome = shop.run({"resume", "run.state", "--duration", std::to_string(end), "--quiet"});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    const Table table = read_table(shop.read("a.csv"));
    REQUIRE(table.rows.size() == static_cast<std::size_t>(10 * end) + 1);
    for (std::size_t k = 0; k + 1 < table.rows.size(); ++k)
      REQUIRE(table.at(k, "time") == static_cast<double>(k) * 0.1);
  }
}

TEST_CASE("what a run cannot go on with is refused, and nothing is lost") {
  const auto refused = [](const Interrupted& run, const std::string& why) {
    const std::string rows = run.shop.read("a.csv");
    const Outcome outcome = run.resume();
    CHECK(outcome.code == 2);
    CHECK_THAT(in_one_line(outcome.err), Contains(why));
    CHECK(run.shop.read("a.csv") == rows);
  };
  const Interrupted model, row, columns, other, damaged, version, none;
  model.shop.write("rod.yaml", Rod{.mass = "mass: 2"}.text());
  refused(model, "rod.yaml is not as it was when the run began");
  const std::string rows = row.shop.read("a.csv");
  row.shop.write("a.csv", rows.substr(0, rows.rfind('\n', rows.size() - 2) + 1));
  refused(row, "a.csv has 4 rows up to t = 0.4 s, and the run had written 5");
  columns.shop.write("a.csv", "time,x\n0,1\n");
  refused(columns, "a.csv does not hold the results of the run that is to go on");
  other.shop.write("run.state", "{}");
  refused(other, "run.state is no checkpoint");
  json state = json::parse(damaged.shop.read("run.state"));
  state.erase("y");
  damaged.shop.write("run.state", state.dump());
  refused(damaged, "run.state is damaged");
  state = json::parse(version.shop.read("run.state"));
  state["version"] = "0.0.1";
  version.shop.write("run.state", state.dump());
  refused(version, "run.state is a checkpoint of polyform 0.0.1");
  std::filesystem::remove(none.shop.path("run.state"));
  refused(none, "cannot read run.state");
  const Interrupted shorter;
  const Outcome outcome = shorter.shop.run({"resume", "run.state", "--duration", "0.3"});
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err, Contains("has reached t = 0.4 s"));
}

TEST_CASE("checkpoints need files that a run can go on with") {
  const Workshop shop;
  shop.write("rod.yaml", Rod{}.text());
  const auto refused = [&](const std::vector<std::string>& more, const std::string& why) {
    const Outcome outcome = shop.run(with({"run", "rod.yaml"}, more));
    CHECK(outcome.code == 2);
    CHECK_THAT(in_one_line(outcome.err), Contains(why));
  };
  refused({"--every", "5"}, "--every is given without --checkpoint");
  refused({"--checkpoint", "run.state", "--every", "0"}, "--every");
  refused({"--checkpoint", "run.state", "--output", "-"}, "not a stream");
  refused({"--checkpoint", "nowhere/run.state"}, "The folder must exist");
  refused({"--checkpoint", "."}, "it is a folder");
  refused({"--checkpoint", "/dev/full"}, "not a regular file");
  refused({"--checkpoint", "/dev/null"}, "not a regular file");
  refused({"--checkpoint", "rod.yaml"}, "rod.yaml");
  refused({"--checkpoint", "run.state", "--report", "a.html", "--output", "a.csv"}, "rows of an HDF5 file");
}
