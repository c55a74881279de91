// Ctrl-C and a job's end: exit code 130, and results so far that can be read.
#include <signal.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "framework/host/results/result_reader.hpp"
#include "tests/command/command_runner.hpp"
#include "tests/command/sample_models.hpp"
#include "tests/support/wait.hpp"

using namespace polyform::test;
using Catch::Contains;

namespace {

/// Starts an endless run into a file, waits until the file has rows, then sends the signal.
Outcome interrupt(const Workshop& shop, const std::string& file, int signal) {
  const pid_t process = shop.start({"run", shop.write("rod.yaml", endless_rod()), "--output", file});
  CHECK(wait_until([&] {
    std::error_code missing;
    const auto bytes = std::filesystem::file_size(shop.path(file), missing);
    return !missing && bytes >= 500'000;
  }));
  kill(process, signal);
  return shop.finish(process);
}

}  // namespace

TEST_CASE("an interrupted run leaves a CSV file of whole rows") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const Workshop shop;
    const Outcome outcome = interrupt(shop, "a.csv", signal);
    INFO(outcome.err);
    CHECK(outcome.code == 130);
    CHECK_THAT(outcome.err, Contains("interrupted at t ="));
    const Table table = read_table(shop.read("a.csv"));
    REQUIRE(table.rows.size() > 10);
    for (std::size_t k = 0; k < table.rows.size(); ++k) REQUIRE(table.at(k, "time") == static_cast<double>(k) * 0.1);
  }
}

TEST_CASE("an interrupted run leaves an HDF5 file that says so and can be read") {
  const Workshop shop;
  const Outcome outcome = interrupt(shop, "a.h5", SIGINT);
  INFO(outcome.err);
  CHECK(outcome.code == 130);
  const polyform::host::Results results = polyform::host::ResultFile(shop.path("a.h5").string()).read_all();
  const auto* time = results.find("time");
  REQUIRE(time != nullptr);
  REQUIRE(time->values.size() > 10);
  for (std::size_t k = 0; k < time->values.size(); ++k) REQUIRE(time->values[k] == static_cast<double>(k) * 0.1);
  const auto* angle = results.find("pin.q");
  REQUIRE(angle != nullptr);
  CHECK(angle->values.size() == time->values.size());
  const auto status =
      std::find_if(results.record.begin(), results.record.end(), [](const auto& f) { return f.name == "status"; });
  REQUIRE(status != results.record.end());
  CHECK(std::get<std::string>(status->value) == "interrupted");
}

TEST_CASE("an interrupted comparison and an interrupted sweep print the JSON so far") {
  for (const bool sweep : {false, true}) {
    const Workshop shop;
    std::vector<std::string> command{"compare", shop.write("rod.yaml", endless_rod()), "--solvers", "riccati,cartesian",
                                     "--json"};
    if (sweep)
      command.insert(command.end(), {"--sweep", "step=1e-3,1e-4", "--output-interval", "10", "--report", "a.html"});
    const pid_t process = shop.start(command);
    CHECK(wait_until([&] {  // a process of the command makes a process for a solver
      const pid_t command_itself = child_of(process);
      return command_itself != 0 && child_of(command_itself) != 0;
    }));
    std::this_thread::sleep_for(std::chrono::seconds(1));
    kill(process, SIGINT);
    const Outcome outcome = shop.finish(process);
    INFO(outcome.err);
    CHECK(outcome.code == 130);
    const nlohmann::json all = nlohmann::json::parse(outcome.out);
    const nlohmann::json& riccati = sweep ? all.at("riccati").at("comparison") : all.at("riccati");
    CHECK(riccati.at("status") == "interrupted");
  }
}

TEST_CASE("the temporary folder of a comparison that was killed goes with the next one, that of a running one stays") {
  const Workshop endless, next, temporary;
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "";
  setenv("TMPDIR", temporary.path("").c_str(), 1);
  const auto folders = [&] {
    const std::filesystem::directory_iterator all(temporary.path(""));
    return std::distance(begin(all), end(all));
  };
  const auto compare_once = [&] {
    return next.run({"compare", shipped("double_pendulum"), "--duration", "0.1", "--report", "b.html"}).code;
  };
  const pid_t process =
      endless.start({"compare", endless.write("rod.yaml", endless_rod()), "--solvers", "riccati,cartesian",
                     "--output-interval", "1000", "--report", "a.html", "--output", "a.csv"});
  CHECK(wait_until([&] { return std::filesystem::exists(endless.path("a.riccati.csv")); }));
  CHECK(folders() == 1);
  CHECK(compare_once() == 0);
  CHECK(folders() == 1);
  kill(process, SIGKILL);
  CHECK(endless.finish(process).code == 128 + SIGKILL);
  std::this_thread::sleep_for(std::chrono::milliseconds(1000));  // its own processes end after it
  CHECK(compare_once() == 0);
  CHECK(folders() == 0);
  SECTION("a person's own folder of such a name stays, whatever is in it") {
    const auto make = [&](const std::string& name, const std::string& file) {
      std::filesystem::create_directory(temporary.path(name));
      std::filesystem::permissions(temporary.path(name), std::filesystem::perms(0700));
      temporary.write(name + "/" + file, "mine");
    };
    make("polyform-files-backup", "notes");
    make("polyform-files-mine12", "notes");
    make("polyform-files-mine34", ".polyform");
    make("elsewhere", "notes");
    std::filesystem::create_directory_symlink(temporary.path("elsewhere"), temporary.path("polyform-files-link56"));
    CHECK(compare_once() == 0);
    CHECK(folders() == 5);
    for (const char* file : {"polyform-files-backup/notes", "polyform-files-mine12/notes",
                             "polyform-files-mine34/.polyform", "polyform-files-link56/notes"})
      CHECK(temporary.read(file) == "mine");
  }
  setenv("TMPDIR", "", 1);
  CHECK(compare_once() == 0);
  setenv("TMPDIR", "/nowhere", 1);
  const Outcome without = next.run({"compare", shipped("double_pendulum"), "--duration", "0.1", "--report", "c.html"});
  CHECK(without.code == 1);
  CHECK_THAT(without.err, Contains("cannot make a temporary folder in /nowhere") && Contains("Set TMPDIR"));
  before != nullptr ? setenv("TMPDIR", kept.c_str(), 1) : unsetenv("TMPDIR");
}

TEST_CASE("an interruption while the twins run says where solvers part and leaves open why") {
  for (const bool as_json : {false, true}) {
    const Workshop shop;
    std::vector<std::string> command{"compare",
                                     shipped("double_pendulum"),
                                     "--solvers",
                                     "riccati,cartesian",
                                     "--duration",
                                     "60",
                                     "--integrator",
                                     "rk4",
                                     "--step",
                                     "0.0005",
                                     "--output-interval",
                                     "0.5",
                                     "--output",
                                     "a.csv"};
    if (as_json) command.emplace_back("--json");
    const pid_t process = shop.start(command);
    // The solver that runs last has its last row: from then on the twins run, for some seconds.
    CHECK(wait_until([&] { return shop.read("a.cartesian.csv").find("\n60,") != std::string::npos; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(1000));
    kill(process, SIGINT);
    const Outcome outcome = shop.finish(process);
    INFO(outcome.out << outcome.err);
    CHECK(outcome.code == 130);
    if (!as_json) {
      CHECK_THAT(outcome.out, Contains("Disagreement: ") && Contains("Interrupted before the finer") &&
                                  Contains("it cannot be told."));
      continue;
    }
    std::size_t open = 0;
    const nlohmann::json all = nlohmann::json::parse(outcome.out);
    for (const auto& [solver, one] : all.items()) {
      CHECK(one.at("status") == "done");
      CHECK(one.at("agrees") == false);
      open += one.contains("divergence") && one.at("divergence").at("interrupted") == true;
    }
    CHECK(open > 0);
  }
}
