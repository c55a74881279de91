// Ctrl-C and a job's end: exit code 130, and results so far that can be read.
#include <signal.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "framework/results/result_reader.hpp"
#include "tests/command/command_runner.hpp"
#include "tests/command/sample_models.hpp"

using namespace polyform::test;
using Catch::Contains;

namespace {

/// Starts an endless run into a file, waits until rows have reached that, sends the signal.
Outcome interrupt(const Workshop& shop, const std::string& file, int signal) {
  const pid_t process = shop.start({"run", shop.write("rod.yaml", endless_rod()), "--output", file});
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  const auto size = [&] {
    std::error_code missing;
    const auto bytes = std::filesystem::file_size(shop.path(file), missing);
    return missing ? 0 : bytes;
  };
  while (size() < 500'000 && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
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
  const polyform::host::Results results = polyform::host::read_results(shop.path("a.h5").string());
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
    std::this_thread::sleep_for(std::chrono::seconds(2));
    kill(process, SIGINT);
    const Outcome outcome = shop.finish(process);
    INFO(outcome.err);
    CHECK(outcome.code == 130);
    const nlohmann::json all = nlohmann::json::parse(outcome.out);
    const nlohmann::json& riccati = sweep ? all.at("riccati").at("comparison") : all.at("riccati");
    CHECK(riccati.at("status") == "interrupted");
  }
}
