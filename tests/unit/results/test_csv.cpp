#include <catch2/catch.hpp>

#include <bit>
#include <charconv>

#include "scratch_folder.hpp"

using namespace polyform::host;
using namespace polyform::host::test;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

std::vector<double> numbers_of(const std::string& line) {
  std::vector<double> numbers;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) {
    double value = 0;
    const auto result = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    REQUIRE(result.ptr == cell.data() + cell.size());
    numbers.push_back(value);
  }
  return numbers;
}

}  // namespace

TEST_CASE("numbers in CSV come back to the last bit") {
  const ScratchFolder folder;
  const auto channels = some_channels();
  const auto writer = make_writer(folder.file("a.csv"));
  writer->begin(channels, {{"solver", "any"}});
  for (std::size_t r = 0; r < 50; ++r) writer->row(some_row(r, channels.size()));
  writer->finish({});

  const std::vector<std::string> lines = lines_of(folder.read("a.csv"));
  REQUIRE(lines.size() == 51);
  CHECK(lines[0] ==
        "time,pin.q,pin.v,ball.q[0],ball.q[1],rod/a%.x,rod/a%.vx,arm[0].joint.q,energy.total,"
        "constraint.position,pin.fx");
  for (std::size_t r = 0; r < 50; ++r) {
    const std::vector<double> wrote = some_row(r, channels.size()), got = numbers_of(lines[r + 1]);
    REQUIRE(got.size() == wrote.size());
    for (std::size_t c = 0; c < got.size(); ++c) CHECK(bits(got[c]) == bits(wrote[c]));
  }
}

TEST_CASE("CSV has the shortest digits that come back, and words for what is no number") {
  const ScratchFolder folder;
  const auto writer = make_writer(folder.file("a.csv"));
  writer->begin(std::vector<Channel>{{"time", "s"}, {"a,b.x", "m"}, {"say \"x\".x", "m"}, {"c.x", "m"}}, {});
  writer->row(std::vector<double>{0.1, 100, std::nan(""), -std::numeric_limits<double>::infinity()});
  writer->finish({});
  CHECK(folder.read("a.csv") ==
        "time,\"a,b.x\",\"say \"\"x\"\".x\""
        ",c.x\n0.1,100,nan,-inf\n");
}

TEST_CASE("a CSV row may have hundreds of thousands of columns") {
  const ScratchFolder folder;
  constexpr std::size_t columns = 300000;
  std::vector<Channel> channels;
  for (std::size_t c = 0; c < columns; ++c) channels.push_back({"body[" + std::to_string(c) + "].x", "m"});
  const auto writer = make_writer(folder.file("a.csv"));
  writer->begin(channels, {});
  for (std::size_t r = 0; r < 3; ++r) writer->row(std::vector<double>(columns, -1.2345678901234567e-100));
  writer->finish({});
  const std::vector<std::string> lines = lines_of(folder.read("a.csv"));
  REQUIRE(lines.size() == 4);
  CHECK(numbers_of(lines[3]) == std::vector<double>(columns, -1.2345678901234567e-100));
}

TEST_CASE("a CSV writer that is left without finish keeps its rows") {
  const ScratchFolder folder;
  {
    const auto writer = make_writer(folder.file("a.csv"));
    writer->begin(std::vector<Channel>{{"time", "s"}}, {});
    writer->row(std::vector<double>{1.5});
  }
  CHECK(folder.read("a.csv") == "time\n1.5\n");
}
