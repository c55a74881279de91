// What the page of a report says of several runs: their deviations, votes and tables.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "framework/host/results/hdf5_handle.hpp"
#include "framework/host/results/result_reader.hpp"
#include "tests/command/command_runner.hpp"
#include "tests/command/sample_models.hpp"
#include "tests/report/page_contents.hpp"
#include "tests/support/sanitized.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

void set_text(const std::string& result, const std::string& field, const std::string& text) {
  const host::hdf5::Handle file(H5Fopen(result.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
  host::hdf5::write_attribute(file, field, text);
}

}  // namespace

TEST_CASE("compare --report has the rows of every solver, and leaves no files behind") {
  Workshop shop;
  shop.write("rod.yaml", Rod().text());
  const Outcome outcome = shop.run({"compare", "rod.yaml", "--solvers", "riccati,cartesian", "--duration", "1",
                                    "--output", "rod.csv", "--report", "rod.html", "--json"});
  REQUIRE(outcome.err == "");
  REQUIRE(outcome.code == 0);
  const std::string page = shop.read("rod.html");
  const char* const solvers[] = {"riccati", "cartesian"};
  for (std::size_t run = 0; run < 2; ++run) {
    const Table table = read_table(shop.read(std::string("rod.") + solvers[run] + ".csv"));
    REQUIRE(table.rows.size() == 101);
    // HDF5 has its objects in alphabetical order: constraint, correction and energy come last, before time.
    REQUIRE(description_of(page).at("runs").at(run).at("label") == solvers[run]);
    std::vector<double> time;
    for (const std::vector<double>& row : table.rows) time.push_back(row[0]);
    require_same(column_of(page, run, table.names.size() - 1, 101), time);
  }
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(shop.path(""))) ++files;
  CHECK(files == 6);  // the model, two tables, the page, and what the workshop keeps of the streams
}

TEST_CASE("a report of results tells the same deviations as the comparison that made them") {
  for (const char* model : {"ladder_1", "flexible_pendulum", "triple_spherical_pendulum"}) {
    INFO(model);
    Workshop shop;
    REQUIRE(shop.run({"compare", shipped(model), "--solvers", "riccati,cartesian,hierarchy", "--duration", "0.5",
                      "--columns", "joints,bodies,reactions", "--output", "c.h5", "--report", "c.html", "--quiet"})
                .code == 0);
    const Outcome outcome =
        shop.run({"report", "c.riccati.h5", "c.cartesian.h5", "c.hierarchy.h5", "--output", "r.html"});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    const std::string compared = shop.read("c.html"), reported = shop.read("r.html");
    const nlohmann::json one = description_of(compared).at("tables").at(1);
    const nlohmann::json other = description_of(reported).at("tables").at(1);
    // Results hold no accelerations. Only a part of the ladder's reactions is unique, the same part in both.
    const std::size_t held = other.at("columns").size();
    CHECK(held >= 10);
    REQUIRE(one.at("columns").size() >= held);
    CHECK(other.at("columns").dump().find("force") != std::string::npos);
    for (std::size_t c = 1; c < held; ++c) CHECK(one.at("columns").at(c) == other.at("columns").at(c));
    for (std::size_t r = 0; r < one.at("rows").size(); ++r)
      for (std::size_t c = 0; c < held; ++c) {
        const nlohmann::json &here = one.at("rows").at(r).at(c), &there = other.at("rows").at(r).at(c);
        if (c < 10 || !here.is_number())
          CHECK(here == there);
        else
          CHECK(there.get<double>() == Approx(here.get<double>()).epsilon(1e-6).margin(1e-13));
      }
    CHECK(description_of(compared).at("consensus") == description_of(reported).at("consensus"));
    const auto columns = between(compared, "id=\"columns-3-0\">", "<");
    REQUIRE(columns);
    CHECK(columns == between(reported, "id=\"columns-3-0\">", "<"));
  }
}

TEST_CASE("a page tells which runs share arithmetic, and runs of one solver are one vote") {
  Workshop shop;
  shop.write("rod.yaml", Rod().text());
  const auto run = [&](const std::string& solver, const std::string& file) {
    REQUIRE(shop.run({"run", "rod.yaml", "--solver", solver, "--duration", "0.3", "--output", file}).code == 0);
  };
  run("riccati", "a.h5");
  run("reduced", "b.h5");
  run("thompson", "c.h5");
  run("thompson", "d.h5");
  REQUIRE(shop.run({"report", "a.h5", "b.h5", "c.h5", "d.h5", "--output", "x.html"}).code == 0);
  const nlohmann::json tables = description_of(shop.read("x.html")).at("tables");
  REQUIRE(tables.size() == 3);
  CHECK(tables.at(1).at("notes").dump().find("They are two votes.") != std::string::npos);
  CHECK(tables.at(2).at("rows") == nlohmann::json{{"1", "riccati, reduced", "hinge elimination, tree recursion"},
                                                  {"2", "thompson (c.h5), thompson (d.h5)", "thompson"}});
  REQUIRE(shop.run({"compare", "rod.yaml", "--solvers", "riccati,reduced", "--duration", "0.3", "--report", "y.html"})
              .code == 0);
  const nlohmann::json compared = description_of(shop.read("y.html")).at("tables");
  REQUIRE(compared.size() == 3);
  CHECK(compared.at(1).at("notes").dump().find("no independent solver confirms") != std::string::npos);
}

TEST_CASE("a run that failed or was killed is shown, but takes no part in the consensus") {
  Workshop shop;
  shop.write("rod.yaml", Rod().text());
  for (const char* duration : {"1", "0.5"})
    REQUIRE(shop.run({"run", "rod.yaml", "--duration", duration, "--output-interval", "0.1", "--output",
                      std::string("d") + duration + ".h5"})
                .code == 0);
  REQUIRE(shop.run({"report", "d1.h5", "d0.5.h5", "--output", "x.html"}).code == 0);
  const nlohmann::json both = description_of(shop.read("x.html"));
  CHECK(both.at("consensus").at("rows") == 6);
  CHECK(both.at("tables").at(1).at("rows").at(0).at(1).get<double>() < 1e-12);
  for (const char* status : {"failed", ""}) {
    set_text(shop.path("d0.5.h5").string(), "status", status);
    REQUIRE(shop.run({"report", "d1.h5", "d0.5.h5", "--output", "x.html"}).code == 0);
    const nlohmann::json failed = description_of(shop.read("x.html"));
    CHECK(failed.at("runs").size() == 2);
    CHECK_FALSE(failed.contains("consensus"));
    REQUIRE(failed.at("tables").size() == 1);
    CHECK(failed.at("tables").at(0).at("notes").size() == 1);
  }
}

TEST_CASE("reactions are not compared where the model is not known, and the page says so") {
  Workshop shop;
  shop.write("rod.yaml", Rod().text());
  for (const char* solver : {"riccati", "cartesian"})
    REQUIRE(shop.run({"run", "rod.yaml", "--solver", solver, "--duration", "1", "--columns", "bodies,reactions",
                      "--output", std::string(solver) + ".h5"})
                .code == 0);
  const auto reported = [&] {
    REQUIRE(shop.run({"report", "riccati.h5", "cartesian.h5", "--output", "x.html"}).code == 0);
    return description_of(shop.read("x.html"));
  };
  const auto reactions = [](const nlohmann::json& page) { return page.at("consensus").dump().find("reactions"); };
  const nlohmann::json known = reported();
  CHECK(reactions(known) != std::string::npos);
  CHECK(known.at("tables").at(1).at("notes").dump().find("Both agree within 0.0001") != std::string::npos);
  std::filesystem::remove(shop.path("rod.yaml"));
  const nlohmann::json unknown = reported();
  CHECK(reactions(unknown) == std::string::npos);
  CHECK(unknown.at("tables").at(1).at("columns").size() < known.at("tables").at(1).at("columns").size());
  CHECK(unknown.at("tables").at(1).at("notes").dump().find("Reactions are not compared") != std::string::npos);
}

TEST_CASE("a report tells where runs part, and what the drift is") {
  Workshop shop;
  Rod rod;
  shop.write("rod.yaml", rod.text());
  REQUIRE(shop.run({"run", "rod.yaml", "--duration", "1", "--output", "a.h5"}).code == 0);
  REQUIRE(shop.run({"run", "rod.yaml", "--duration", "1", "--integrator", "rk4", "--step", "0.5", "--output", "b.h5"})
              .code == 0);
  set_text(shop.path("a.h5").string(), "conservative", "no");
  REQUIRE(shop.run({"report", "a.h5", "b.h5", "--output", "x.html"}).code == 0);
  const nlohmann::json tables = description_of(shop.read("x.html")).at("tables");
  CHECK(tables.at(0).at("notes").dump().find("Forces without potential, or drives, do work") != std::string::npos);
  CHECK(tables.at(1).at("notes").dump().find("Disagreement: ") != std::string::npos);
}

TEST_CASE("runs of different models, or with nothing in common, have no deviations, and the page says why") {
  Workshop shop;
  shop.write("rod.yaml", Rod().text());
  REQUIRE(shop.run({"run", "rod.yaml", "--duration", "1", "--output", "a.h5"}).code == 0);
  REQUIRE(shop.run({"run", "rod.yaml", "--duration", "1", "--columns", "energy", "--output", "e.h5"}).code == 0);
  REQUIRE(shop.run({"run", shipped("double_pendulum"), "--duration", "1", "--output", "d.h5"}).code == 0);
  const auto notes = [&](const char* other) {
    REQUIRE(shop.run({"report", "a.h5", other, "--output", "x.html"}).code == 0);
    const nlohmann::json page = description_of(shop.read("x.html"));
    CHECK(page.at("tables").size() == 1);
    CHECK(page.contains("consensus") == (other == std::string("e.h5")));
    return page.at("tables").at(0).at("notes").dump();
  };
  CHECK(notes("d.h5").find("the runs are of different models") != std::string::npos);
  CHECK(notes("e.h5").find("There are no deviations to tell") != std::string::npos);
}
