// Outputs that cannot be written are refused before the run; a disk that fills up during the run is reported.
#include <catch2/catch.hpp>

#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <fstream>
#include <thread>

#include "framework/host/results/file_writer.hpp"
#include "framework/host/results/result_reader.hpp"
#include "scratch_folder.hpp"

using namespace polyform::host;
using namespace polyform::host::test;
using Catch::Contains;

namespace {

/// A writer that behaves like a pipe from which nobody reads.
class Stuck final : public FileWriter {
 public:
  static inline std::atomic<bool> free = false;
  void begin(std::span<const Channel>, const RecordFields&) override {}
  std::size_t go_on(std::span<const Channel>, const RecordFields&, double) override { return 0; }
  void row(std::span<const double>) override { free.wait(false); }
  void store() override {}
  void finish(const RecordFields&) override {}
  void store_due() override {}
};

std::string refusal(const std::string& path) {
  return failure_of(Exit::bad_input, [&] { make_writer(path); });
}

}  // namespace

TEST_CASE("an output that cannot be written is refused at once") {
  const ScratchFolder folder;
  const std::string end = GENERATE(".csv", ".h5");
  CHECK_THAT(refusal(folder.file("no/such" + end)),
             Contains("no/such" + end + ": No such file or directory") && Contains("folder must exist"));
  std::filesystem::create_directory(folder.file("folder" + end));
  CHECK_THAT(refusal(folder.file("folder" + end)), Contains("it is a folder"));
  REQUIRE(mkfifo(folder.file("pipe" + end).c_str(), 0600) == 0);
  CHECK_THAT(refusal(folder.file("pipe" + end)), Contains("not a regular file"));
  folder.write("file", "");
  CHECK_THAT(refusal(folder.file("file/a" + end)), Contains("Not a directory"));
  if (geteuid() != 0) {
    folder.write("closed" + end, "x");
    REQUIRE(chmod(folder.file("closed" + end).c_str(), 0400) == 0);
    CHECK_THAT(refusal(folder.file("closed" + end)), Contains("Permission denied"));
  }
}

TEST_CASE("an output of an unknown kind is refused") {
  for (const char* name : {"a.xls", "a", "", "csv", "a.csv.gz"})
    CHECK_THAT(refusal(name), Contains("expected a name that ends in .csv or .h5"));
}

TEST_CASE("two runs cannot write to one file") {
  const ScratchFolder folder;
  const std::string path = folder.file(GENERATE("a.csv", "a.h5"));
  const auto first = make_writer(path);
  CHECK_THAT(refusal(path), Contains("another program has it open"));
  first->begin(some_channels(), {});
  CHECK_THAT(refusal(path), Contains("another program has it open"));
}

TEST_CASE("an existing file is kept until the run begins, then replaced") {
  const ScratchFolder folder;
  const std::string name = GENERATE("a.csv", "a.h5");
  folder.write(name, "old results, longer than the new ones will be, or so it seems");
  { const auto writer = make_writer(folder.file(name)); }
  CHECK_THAT(folder.read(name), Contains("old results"));
  const auto writer = make_writer(folder.file(name));
  writer->begin(some_channels(), {});
  writer->finish({});
  CHECK_THAT(folder.read(name), !Contains("old results"));
}

TEST_CASE("a run that never begins leaves no file") {
  const ScratchFolder folder;
  const std::string name = GENERATE("a.csv", "a.h5");
  {
    const auto writer = make_writer(folder.file(name));
    CHECK(folder.has(name));
  }
  CHECK_FALSE(folder.has(name));
}

#ifdef __SANITIZE_ADDRESS__
/// The library of HDF5 loses some bytes of its own if a disk is full: the leak checker leaves them out.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }
#endif

namespace {

constexpr rlim_t file_limit = 300000;

/// Writes until that fails, in a process of its own, where files may not grow beyond a limit. Leaves the message of the
/// failure beside the file; the process then ends in an orderly way.
int fill_up(const std::string& path, rlim_t most) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit usual{};
  getrlimit(RLIMIT_FSIZE, &usual);
  const rlimit limit{most, usual.rlim_max};
  setrlimit(RLIMIT_FSIZE, &limit);
  const std::string said = failure_of(Exit::simulation_failed, [&] {
    const auto writer = make_writer(path);
    writer->begin(some_channels(), {});
    std::vector<double> row(some_channels().size());
    for (std::size_t r = 0; r < 100000; ++r) {
      for (std::size_t c = 0; c < row.size(); ++c) row[c] = std::sin(static_cast<double>(r * row.size() + c));
      writer->row(row);
    }
    writer->finish({});
  });
  setrlimit(RLIMIT_FSIZE, &usual);
  std::ofstream(path + ".said") << said;
  return 0;
}

void fill_up_in_a_process(const std::string& path, rlim_t most) {
  const pid_t process = fork();
  if (process == 0) std::exit(fill_up(path, most));
  int status = 0;
  REQUIRE(waitpid(process, &status, 0) == process);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

}  // namespace

TEST_CASE("a disk that fills up is reported, and the rows before stay readable") {
  const ScratchFolder folder;
  const std::string name = GENERATE("a.csv", "a.h5");
  CAPTURE(name);
  fill_up_in_a_process(folder.file(name), file_limit);
  const std::string said = folder.read(name + ".said");
  CHECK_THAT(said, Contains("File too large"));
  std::size_t rows = 0;
  if (name == "a.csv") {
    const std::string text = folder.read(name);
    CHECK(text.size() > file_limit - 1000);
    CHECK(text.back() == '\n');
    CHECK(text.size() <= file_limit);
    rows = static_cast<std::size_t>(std::ranges::count(text, '\n')) - 1;
  } else {
    const Results results = ResultFile(folder.file(name)).read_all();
    const ResultColumn* column = results.find("pin.q");
    REQUIRE(column);
    REQUIRE(column->values.size() >= 256);
    CHECK(column->values.back() ==
          std::sin(static_cast<double>((column->values.size() - 1) * some_channels().size()) + 1));
    rows = column->values.size();
  }
  CHECK_THAT(said, Contains("The first " + std::to_string(rows) + " rows are kept"));
}

TEST_CASE("where no row has space, the message says so, and there is no broken file") {
  const ScratchFolder folder;
  const std::string name = GENERATE("a.csv", "a.h5");
  CAPTURE(name);
  fill_up_in_a_process(folder.file(name), name == "a.csv" ? 20 : 20000);
  CHECK_THAT(folder.read(name + ".said"), Contains("File too large") && Contains("No row could be written"));
  if (name == "a.h5") CHECK_FALSE(folder.has(name));
}

TEST_CASE("a block of rows of which a part has space is stored in part") {
  constexpr std::size_t rows_of_block = 256;
  std::size_t in_part = 0;
  for (const rlim_t most : {300000u, 306000u, 312000u, 318000u}) {
    const ScratchFolder folder;
    const std::string path = folder.file("a.h5");
    fill_up_in_a_process(path, most);
    const std::size_t rows = ResultFile(path).read_all().find("pin.q")->values.size();
    CHECK_THAT(folder.read("a.h5.said"), Contains("The first " + std::to_string(rows) + " rows are kept"));
    in_part += rows % rows_of_block != 0;
  }
  CHECK(in_part > 0);
}

TEST_CASE("where the system has no thread to spare, rows reach the file with the next ones") {
  const ScratchFolder folder;
  const std::string path = folder.file(GENERATE("a.csv", "a.h5"));
  pthread_attr_t usual, huge;
  pthread_getattr_default_np(&usual);
  pthread_attr_init(&huge);
  REQUIRE(pthread_attr_setstacksize(&huge, std::size_t{1} << 46) == 0);
  REQUIRE(pthread_setattr_default_np(&huge) == 0);
  const auto writer = make_writer(path);
  const auto channels = some_channels();
  CHECK_NOTHROW(writer->begin(channels, {}));
  pthread_setattr_default_np(&usual);
  const auto before = std::filesystem::file_size(path);
  for (std::size_t r = 0; r < 2; ++r) {
    writer->row(some_row(r, channels.size()));
    std::this_thread::sleep_for(std::chrono::milliseconds(2100));
  }
  writer->row(some_row(2, channels.size()));
  CHECK(std::filesystem::file_size(path) > before);
  writer->finish({});
}

TEST_CASE("a writer whose reader is slow does not hold up another") {
  const ScratchFolder folder;
  const auto slow = stored_in_time(std::make_unique<Stuck>()), other = make_writer(folder.file("a.h5"));
  const auto channels = some_channels();
  slow->begin(channels, {});
  std::thread stuck([&] { slow->row({}); });
  other->begin(channels, {});
  other->row(some_row(0, channels.size()));
  other->finish({});
  CHECK_FALSE(Stuck::free.exchange(true));
  Stuck::free.notify_all();
  stuck.join();
}

TEST_CASE("a writer may begin twice") {
  const ScratchFolder folder;
  const auto writer = make_writer(folder.file("a.csv"));
  writer->begin(some_channels(), {});
  CHECK_NOTHROW(writer->begin(some_channels(), {}));
}
