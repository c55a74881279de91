#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <fstream>

#include "framework/diagnostics.hpp"
#include "framework/host/results/result_reader.hpp"
#include "scratch_folder.hpp"
#include "tests/support/sanitized.hpp"

using namespace polyform::host;
using namespace polyform::host::test;

namespace {

const RecordFields beginning{{"model", "hinged rods ä"}, {"solver", "any"}, {"step", 0.001}, {"status", "running"}};

std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }

void check_rows(const Results& results, const std::vector<Channel>& channels, std::size_t rows) {
  REQUIRE(results.columns.size() == channels.size());
  for (std::size_t c = 0; c < channels.size(); ++c) {
    CAPTURE(channels[c].name);
    const ResultColumn* column = results.find(channels[c].name);
    REQUIRE(column != nullptr);
    CHECK(column->channel.unit == channels[c].unit);
    REQUIRE(column->values.size() == rows);
    bool same = true;
    for (std::size_t r = 0; r < rows; ++r)
      same = same && bits_of(column->values[r]) == bits_of(some_row(r, channels.size())[c]);
    CHECK(same);
  }
}

void write_rows(ResultWriter& writer, std::size_t rows) {
  for (std::size_t r = 0; r < rows; ++r) writer.row(some_row(r, some_channels().size()));
}

const RecordField* find(const RecordFields& record, std::string_view name) {
  const auto found = std::ranges::find(record, name, &RecordField::name);
  return found == record.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("channels know their place") {
  const auto is = [](const char* name, const char* group, const char* object, const char* component) {
    const ChannelPlace place = place_of({name, ""});
    return place.group == group && place.object == object && place.component == component;
  };
  CHECK(is("time", "time", "time", ""));
  CHECK(is("arm[3].joint.q[2]", "joints", "arm[3].joint", "q[2]"));
  CHECK(is("rod.x", "bodies", "rod", "x"));
  CHECK(is("blade.etadot[0]", "bodies", "blade", "etadot[0]"));
  CHECK(is("pin.mz", "reactions", "pin", "mz"));
  CHECK(is("energy.kinetic", "energy", "energy", "kinetic"));
  CHECK(place_of({"motor.current", "A", "modules"}).group == "modules");
  // A body may have the name `energy`.
  CHECK(is("energy.x", "bodies", "energy", "x"));
}

TEST_CASE("HDF5 gives back numbers, units and the record, for less, as much and more than a block of rows") {
  const std::size_t rows = GENERATE(0u, 1u, 255u, 256u, 257u, 1000u);
  CAPTURE(rows);
  const ScratchFolder folder;
  const std::string path = folder.file(GENERATE("a.h5", "a.hdf5"));
  const auto writer = make_writer(path);
  writer->begin(some_channels(), beginning);
  write_rows(*writer, rows);
  writer->finish({{"status", "done"}, {"steps", std::int64_t{12345678901}}});

  const Results results = ResultFile(path).read_all();
  check_rows(results, some_channels(), rows);
  CHECK(results.record == RecordFields{{"model", "hinged rods ä"},
                                       {"solver", "any"},
                                       {"status", "done"},
                                       {"step", 0.001},
                                       {"steps", std::int64_t{12345678901}}});
}

TEST_CASE("the record as JSON") {
  CHECK(json_text({{"model", "a \"b\""}, {"step", 0.1}, {"steps", std::int64_t{3}}, {"drift", std::nan("")}}) ==
        R"({"model":"a \"b\"","step":0.1,"steps":3,"drift":null})");
}

TEST_CASE("an HDF5 writer that is left without finish keeps its rows") {
  const ScratchFolder folder;
  {
    const auto writer = make_writer(folder.file("a.h5"));
    writer->begin(some_channels(), beginning);
    write_rows(*writer, 300);
  }
  const Results results = ResultFile(folder.file("a.h5")).read_all();
  check_rows(results, some_channels(), 300);
  REQUIRE(find(results.record, "status"));
  CHECK(find(results.record, "status")->value == RecordField{"", "running"}.value);
}

TEST_CASE("an HDF5 file whose rows something wrote over fails when it is finished") {
  const ScratchFolder folder;
  const std::string path = folder.file("a.h5");
  const auto writer = make_writer(path);
  writer->begin(some_channels(), beginning);
  write_rows(*writer, 700);
  {
    // Changes a byte here and there in the last half of what is flushed, which holds numbers.
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(0, std::ios::end);
    const auto size = static_cast<long>(file.tellg());
    for (long at = size / 2; at < size; at += 61) {
      file.seekg(at);
      const char old = static_cast<char>(file.get());
      file.seekp(at);
      file.put(static_cast<char>(old ^ 0x55));
    }
  }
  CHECK_THROWS_AS(writer->finish({{"status", "done"}}), Failure);
}

TEST_CASE("a killed run leaves an HDF5 file with the rows that were flushed") {
  const ScratchFolder folder;
  const std::string path = folder.file("a.h5");
  const pid_t process = fork();
  if (process == 0) {
    const auto writer = make_writer(path);
    writer->begin(some_channels(), beginning);
    write_rows(*writer, 2 * 256 + 17);
    raise(SIGKILL);
  }
  int status = 0;
  REQUIRE(waitpid(process, &status, 0) == process);
  REQUIRE(WIFSIGNALED(status));
  check_rows(ResultFile(path).read_all(), some_channels(), 2 * 256);
}

TEST_CASE("the memory an HDF5 writer takes does not grow with the number of rows") {
  if (polyform::test::has_address_sanitizer) return;
  const ScratchFolder folder;
  constexpr std::size_t width = 300;
  std::vector<Channel> channels{{"time", "s"}};
  for (std::size_t c = 1; c < width; ++c) channels.push_back({"body" + std::to_string(c) + ".x", "m"});
  // The largest memory of a process that writes so many rows, kB.
  const auto peak = [&](std::size_t rows) {
    const pid_t process = fork();
    if (process == 0) {
      const auto writer = make_writer(folder.file("a.h5"));
      writer->begin(channels, {});
      for (std::size_t r = 0; r < rows; ++r) writer->row(some_row(r, width));
      writer->finish({});
      _exit(0);
    }
    int status = 0;
    rusage used{};
    REQUIRE(wait4(process, &status, 0, &used) == process);
    REQUIRE(status == 0);
    return used.ru_maxrss;
  };
  // The longer run has 29 MB of numbers more.
  CHECK(peak(14'000) - peak(2'000) < 6'000);
}

TEST_CASE("HDF5 takes thousands of bodies") {
  const ScratchFolder folder;
  constexpr std::size_t bodies = 2000;
  std::vector<Channel> channels{{"time", "s"}};
  for (std::size_t b = 0; b < bodies; ++b)
    for (const char* component : {"x", "y", "z", "qw", "qx", "qy", "qz"})
      channels.push_back({"arm[" + std::to_string(b) + "]." + component, "m"});
  const auto writer = make_writer(folder.file("a.h5"));
  writer->begin(channels, {});
  for (std::size_t r = 0; r < 10; ++r) {
    std::vector<double> row(channels.size());
    for (std::size_t c = 0; c < row.size(); ++c) row[c] = static_cast<double>(r * channels.size() + c);
    writer->row(row);
  }
  writer->finish({});
  const Results results = ResultFile(folder.file("a.h5")).read_all();
  REQUIRE(results.columns.size() == channels.size());
  const ResultColumn* last = results.find("arm[1999].qz");
  REQUIRE(last != nullptr);
  CHECK(last->values[9] == static_cast<double>(10 * channels.size() - 1));
}

TEST_CASE("a file that is no result is refused") {
  const ScratchFolder folder;
  folder.write("a.h5", "no HDF5 at all");
  const auto refusal = [&](const char* name) {
    return failure_of(Exit::bad_input, [&] { ResultFile(folder.file(name)).read_all(); });
  };
  CHECK_THAT(refusal("a.h5"), Catch::Contains("a.h5: it is no HDF5 file"));
  CHECK_THAT(refusal("b.h5"), Catch::Contains("b.h5: there is no such file"));
  CHECK_THAT(refusal(""), Catch::Contains(": it is a folder"));
  make_writer(folder.file("c.h5"))->begin(std::vector<Channel>{{"rod.x", "m"}}, {});
  CHECK_THAT(refusal("c.h5"), Catch::Contains("c.h5: there is no column time: it is no result of polyform"));
  CHECK_THAT(refusal("c.hdf"), Catch::Contains("Did you mean 'c.h5'? Check the path"));
}
