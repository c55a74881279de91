// What is in the page of a report.
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

TEST_CASE("a report holds every number of its result files, to the last bit") {
  Workshop shop;
  shop.write("rod.yaml", Rod().text());
  REQUIRE(shop.run({"run", "rod.yaml", "--solver", "riccati", "--duration", "1", "--output", "a.h5"}).code == 0);
  REQUIRE(shop.run({"run", "rod.yaml", "--solver", "cartesian", "--duration", "1", "--output", "b.h5"}).code == 0);
  const Outcome outcome = shop.run({"report", "a.h5", "b.h5", "--output", "both.html"});
  REQUIRE(outcome.err == "");
  REQUIRE(outcome.out == "report       both.html\n");
  const std::string page = shop.read("both.html");
  const char* const files[] = {"a.h5", "b.h5"};
  for (std::size_t run = 0; run < 2; ++run) {
    const host::Results results = host::ResultFile(shop.path(files[run]).string()).read_all();
    REQUIRE(results.columns.size() == 27);
    for (std::size_t c = 0; c < results.columns.size(); ++c)
      require_same(column_of(page, run, c, 101), results.columns[c].values);
  }
}

TEST_CASE("run --report writes the numbers that run --output writes") {
  Workshop shop;
  shop.write("rod.yaml", Rod().text());
  const Outcome outcome =
      shop.run({"run", "rod.yaml", "--duration", "1", "--output", "rod.csv", "--report", "rod.html"});
  REQUIRE(outcome.code == 0);
  REQUIRE(outcome.out.find("report       rod.html\n") != std::string::npos);
  const Table table = read_table(shop.read("rod.csv"));
  const std::string page = shop.read("rod.html");
  const nlohmann::json columns = description_of(page).at("runs").at(0).at("columns");
  REQUIRE(columns.size() == table.names.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::size_t place = table.column(columns[c].at(1));
    std::vector<double> expected;
    for (const std::vector<double>& row : table.rows) expected.push_back(row[place]);
    require_same(column_of(page, 0, c, table.rows.size()), expected);
  }
}

TEST_CASE("the page of a run is the same with its result in a file and without") {
  Workshop shop;
  shop.write("rod.yaml", Rod().text());
  REQUIRE(shop.run({"run", "rod.yaml", "--duration", "1", "--output", "a.h5", "--report", "a.html"}).code == 0);
  REQUIRE(shop.run({"run", "rod.yaml", "--duration", "1", "--report", "b.html"}).code == 0);
  const auto columns = [&](const char* page) { return between(shop.read(page), "id=\"columns-0-0\">", "<"); };
  REQUIRE(columns("a.html"));
  CHECK(columns("a.html") == columns("b.html"));
}

TEST_CASE("the memory that the page of a run takes is bounded, whatever the duration") {
  if (has_address_sanitizer) return;
  Workshop shop;
  const auto peak = [&](const char* duration) {
    const Outcome outcome = shop.run({"run", shipped("chain_1000"), "--duration", duration, "--output-interval",
                                      "0.001", "--columns", "bodies", "--report", "chain.html", "--quiet"});
    REQUIRE(outcome.code == 0);
    return outcome.peak_kilobytes;
  };
  // 27 MB of numbers more; a block on its way to the file is full in both.
  CHECK(peak("0.52") - peak("0.26") < 8'000);
}

TEST_CASE("a page needs nothing but itself, and names the licences of what is in it") {
  Workshop shop;
  shop.write("rod.yaml", Rod().text());
  REQUIRE(shop.run({"run", "rod.yaml", "--duration", "1", "--report", "rod.html"}).code == 0);
  const std::string page = shop.read("rod.html");
  for (const char* fetched : {"src=\"http", "href=\"http", "url(http", "src=\"//", "@import", "<link rel=\"stylesheet"})
    CHECK(page.find(fetched) == std::string::npos);
  CHECK(page.find("three.js authors") != std::string::npos);
  CHECK(page.find("Leon Sorokin") != std::string::npos);
  CHECK(page.find("Arjun Barrett") != std::string::npos);
}

TEST_CASE("the page of a large system is not much larger than its numbers") {
  Workshop shop;
  REQUIRE(shop.run({"run", shipped("chain_1000"), "--duration", "0.02", "--output-interval", "0.01", "--report",
                    "chain.html"})
              .code == 0);
  const std::string page = shop.read("chain.html");
  CHECK(description_of(page).at("mechanism").at("bodies").size() == 1000);
  CHECK(page.size() < 1'200'000);  // 3 rows of 20 000 columns, and 0.7 MB that any page has
}

TEST_CASE("text of a model cannot become part of the page") {
  Workshop shop;
  const std::string model = Rod().text() + "# </script><script>alert(1)</script><!--\n";
  shop.write("rod.yaml", model);
  REQUIRE(shop.run({"run", "rod.yaml", "--duration", "1", "--report", "rod.html"}).code == 0);
  const std::string page = shop.read("rod.html");
  CHECK(description_of(page).at("model").at("text") == model);
  CHECK(page.find("<script>alert(1)") == std::string::npos);
  CHECK(page.find("</script><script>") == std::string::npos);
}

TEST_CASE("without its model a report still shows the runs, and says what is missing") {
  Workshop shop;
  shop.write("rod.yaml", Rod().text());
  REQUIRE(shop.run({"run", "rod.yaml", "--duration", "1", "--output", "rod.h5"}).code == 0);
  std::filesystem::remove(shop.path("rod.yaml"));
  const Outcome outcome = shop.run({"report", "rod.h5"});
  REQUIRE(outcome.code == 0);
  CHECK(outcome.err ==
        "warning: the model of the results was not found, so the page shows no joints and no model file\n"
        "  Give --model MODEL.yaml.\n");
  CHECK(description_of(shop.read("rod.html")).at("mechanism").is_null());
}

TEST_CASE("results that hold more than a page can are refused before they are read") {
  Workshop shop;
  for (const char* name : {"a.h5", "b.h5"}) {
    using host::hdf5::Handle;
    const Handle file(H5Fcreate(shop.path(name).string().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
    const hsize_t rows = 40'000'000, chunk = 4096;  // none of which is stored
    const Handle space(H5Screate_simple(1, &rows, nullptr), H5Sclose);
    const Handle time(
        H5Dcreate2(file, "time", H5T_IEEE_F64LE, space, H5P_DEFAULT, host::hdf5::chunked(1, &chunk), H5P_DEFAULT),
        H5Dclose);
    host::hdf5::write_attribute(time, "unit", "s");
  }
  const Outcome outcome = shop.run({"report", "a.h5", "b.h5", "--output", "x.html"});
  CHECK(outcome.code == 2);
  CHECK(outcome.err.find("the results hold 610 MB of numbers, more than a page of 512 MB can") != std::string::npos);
  if (!has_address_sanitizer) CHECK(outcome.peak_kilobytes < 200'000);
}

TEST_CASE("a report refuses what it cannot use, and says what to do") {
  Workshop shop;
  shop.write("rod.yaml", Rod().text());
  shop.write("rod.csv", "time\n0\n");
  REQUIRE(shop.run({"run", "rod.yaml", "--duration", "1", "--output", "rod.h5"}).code == 0);
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& says) {
    const Outcome outcome = shop.run(arguments);
    CHECK(outcome.code == 2);
    CHECK(outcome.err.find(says) != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(shop.path("x.html")));
  };
  refused({"report", "gone.h5", "--output", "x.html"}, "cannot read results from gone.h5: there is no such file");
  refused({"report", "rodd.h5", "--output", "x.html"}, "Did you mean 'rod.h5'?");
  refused({"report", "rod.csv", "--output", "x.html"}, "it is no HDF5 file");
  refused({"report", "rod.h5", "./rod.h5", "--output", "x.html"}, "the results rod.h5 and ./rod.h5 are one file");
  refused({"report", "rod.h5", "--model", shipped("ladder_1"), "--output", "x.html"}, "is not the model of rod.h5");
  refused({"run", "rod.yaml", "--output", "-", "--report", "-"}, "--report - and --output - would mix");
  refused({"run", "rod.yaml", "--output", "x.h5", "--report", "./x.h5"}, "are one file");
  refused({"compare", "rod.yaml", "--output", "x.h5", "--report", "x.riccati.h5"}, "are one file");
  refused({"compare", "rod.yaml", "--report", "-"}, "would mix with the comparison");
  refused({"report", "rod.h5", "--output", "rod.h5"}, "--output rod.h5 is the result rod.h5, which would be lost");
  refused({"report", "rod.h5", "--output", "./rod.h5"}, "--output ./rod.h5 is the result rod.h5");
  std::filesystem::create_symlink("rod.h5", shop.path("link.html"));
  refused({"report", "rod.h5", "--output", "link.html"}, "--output link.html is the result rod.h5");
  refused({"report", "rod.h5", "--output", "no/x.html"}, "no/x.html");
  refused({"report", "rod.h5", "--model", "gone.yaml", "--output", "x.html"}, "gone.yaml");
  for (const char* command : {"run", "compare"})
    refused({command, "rod.yaml", "--duration", "1000", "--output-interval", "1e-5", "--report", "x.html"},
            "--report: the page would hold");
  refused({"run", "rod.yaml", "--report", "no/x.html"}, "or give another --report.");
  refused({"report"}, "RESULT is required");
}
