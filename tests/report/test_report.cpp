// What is in the page of a report.
#include <zlib.h>

#include <bit>
#include <catch2/catch.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "framework/results/hdf5_handle.hpp"
#include "framework/results/result_reader.hpp"
#include "tests/command/command_runner.hpp"
#include "tests/command/sample_models.hpp"
#include "tests/support/sanitized.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// Text between the marks, the first time they occur.
std::optional<std::string> between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t begin = text.find(from);
  if (begin == std::string::npos) return std::nullopt;
  const std::size_t first = begin + from.size();
  return text.substr(first, text.find(to, first) - first);
}

std::string from_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<std::uint32_t>(digits.find(c));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 255u);
  }
  return out;
}

std::string unpacked(const std::string& base64) {
  const std::string packed = from_base64(base64);
  for (std::size_t room = 16 * packed.size();; room *= 4) {
    std::string out(room, '\0');
    uLongf size = out.size();
    const int end = uncompress(reinterpret_cast<Bytef*>(out.data()), &size,
                               reinterpret_cast<const Bytef*>(packed.data()), packed.size());
    if (end == Z_BUF_ERROR) continue;
    REQUIRE(end == Z_OK);
    out.resize(size);
    return out;
  }
}

/// What the page says about its runs, tables and mechanism.
nlohmann::json description_of(const std::string& page) {
  const auto text = between(page, "id=\"report\">", "<");
  REQUIRE(text);
  return nlohmann::json::parse(unpacked(*text));
}

/// The numbers of a column of the page, as its script unpacks them.
std::vector<double> column_of(const std::string& page, std::size_t run, std::size_t column, std::size_t rows) {
  const std::size_t per_block = description_of(page).at("runs").at(run).at("columns_per_block");
  const auto text =
      between(page, "id=\"columns-" + std::to_string(run) + "-" + std::to_string(column / per_block) + "\">", "<");
  REQUIRE(text);
  const std::string planes = unpacked(*text);
  const std::size_t count = planes.size() / 8, first = column % per_block * rows;
  REQUIRE(first + rows <= count);
  std::vector<double> values;
  for (std::size_t i = first; i < first + rows; ++i) {
    std::uint64_t bits = 0;
    for (std::size_t b = 0; b < 8; ++b)
      bits |= std::uint64_t{static_cast<unsigned char>(planes[b * count + i])} << (8 * b);
    values.push_back(std::bit_cast<double>(bits));
  }
  return values;
}

void set_text(const std::string& result, const std::string& field, const std::string& text) {
  const host::hdf5::Handle file(H5Fopen(result.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
  host::hdf5::write_attribute(file, field, text);
}

void require_same(const std::vector<double>& page, const std::vector<double>& file) {
  REQUIRE(page.size() == file.size());
  for (std::size_t i = 0; i < file.size(); ++i)
    REQUIRE(std::bit_cast<std::uint64_t>(page[i]) == std::bit_cast<std::uint64_t>(file[i]));
}

}  // namespace

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
    // HDF5 has its objects in alphabetical order: constraint, correction and energy come last but for time.
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
    // Results hold no accelerations. Of the reactions of the ladder only a part is unique, in both alike.
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
  CHECK(tables.at(0).at("notes").dump().find("Forces without potential or drives do work") != std::string::npos);
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
    const Handle time(H5Dcreate2(file, "time", H5T_IEEE_F64LE, space, H5P_DEFAULT, host::hdf5::chunked(1, &chunk),
                                 H5P_DEFAULT),
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
