// What others do to a file while it is written is found out; files that a command reads are not written.
#include <catch2/catch.hpp>
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "framework/files_read.hpp"
#include "framework/host/results/file_roles.hpp"
#include "framework/host/results/output_file.hpp"
#include "framework/host/results/result_writer.hpp"
#include "scratch_folder.hpp"

using namespace polyform::host;
using namespace polyform::host::test;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

const std::vector<Channel> time_and_angle{{"time", "s"}, {"pin.q", "rad"}};

/// Writes a table of some rows, with something done to the file before its end; what the writer says.
std::string after(const std::string& file, const std::function<void()>& something) {
  return failure_of(Exit::simulation_failed, [&] {
    const auto writer = make_writer(file);
    writer->begin(time_and_angle, {});
    for (int k = 0; k < 300; ++k) writer->row(std::vector<double>{0.01 * k, std::sin(0.01 * k)});
    something();
    writer->row(std::vector<double>{3, 0});
    writer->finish({});
  });
}

void put(const std::string& file, std::streamoff at, const std::string& bytes) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(at);
  stream << bytes;
}

}  // namespace

TEST_CASE("a result that was deleted, moved, replaced, cut or written over is a failure, not a result") {
  const ScratchFolder folder;
  const std::string end = GENERATE(std::string(".csv"), std::string(".h5"));
  std::string file = folder.file("a" + end);
  CHECK_THAT(after(file, [&] { fs::remove(file); }), Contains("the file was deleted while it was written"));
  CHECK_THAT(after(file, [&] { fs::rename(file, file + ".old"); }), Contains("moved or replaced"));
  fs::remove(file);
  CHECK_THAT(after(file,
                   [&] {
                     fs::rename(file, file + ".old");
                     std::ofstream(file) << "another's";
                   }),
             Contains("moved or replaced"));
  file = folder.file("b" + end);
  CHECK_THAT(after(file, [&] { fs::resize_file(file, 0); }), Contains("were changed while they were written"));
  file = folder.file("c" + end);
  CHECK_THAT(after(file, [&] { put(file, static_cast<std::streamoff>(fs::file_size(file)), "more"); }),
             Contains("were changed while they were written"));
}

TEST_CASE("a byte that was changed in the middle of a table is found when it is closed") {
  const ScratchFolder folder;
  const std::string file = folder.file("a.csv");
  CHECK_THAT(after(file, [&] { put(file, 2, "X"); }), Contains("are not what was written"));
}

TEST_CASE("the sum over a text does not hang on its pieces, but on every byte") {
  const std::string text = "0,0.25\n0.1,-3.5e-17\n0.2,99\n";
  const auto sum = [](const std::string& whole, std::size_t piece) {
    Checksum s;
    for (std::size_t i = 0; i < whole.size(); i += piece) s.add(std::string_view(whole).substr(i, piece));
    return s.value();
  };
  for (const std::size_t piece : {1u, 3u, 7u, 8u, 9u, 100u}) CHECK(sum(text, piece) == sum(text, text.size()));
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] = static_cast<char>(other[i] ^ 1);
    CHECK(sum(other, 5) != sum(text, 5));
  }
  CHECK(sum(text + '\0', 4) != sum(text, 4));
}

TEST_CASE("two files of a command are one by any spelling, link or path to come") {
  const ScratchFolder folder;
  const std::string model = folder.file("model.yaml");
  folder.write("model.yaml", "polyform: 1");
  fs::create_hard_link(model, folder.file("hard"));
  fs::create_symlink(model, folder.file("soft"));
  fs::create_symlink(folder.file("later.csv"), folder.file("to-later"));
  fs::create_directory(folder.file("sub"));
  for (const char* name : {"model.yaml", "hard", "soft", "./model.yaml", "sub/../model.yaml"}) {
    FileRoles roles;
    roles.read("the model", model);
    CHECK_THAT(failure_of(Exit::bad_input, [&] { roles.write("--output", folder.file(name)); }),
               Contains("--output") && Contains("is the model") && Contains("would be lost"));
  }
  FileRoles roles;
  roles.read("the model", model);
  roles.read("the plugin", model);  // what is only read may be the same
  roles.write("--output", folder.file("later.csv"));
  roles.write("--report", "");
  roles.write("--report", "-");
  for (const char* name : {"later.csv", "to-later", "sub/../later.csv"})
    CHECK_THAT(failure_of(Exit::bad_input, [&] { roles.write("--report", folder.file(name)); }),
               Contains("are one file"));
}

TEST_CASE("no output takes the place of a file that was read with the model, whichever comes first") {
  const ScratchFolder folder;
  folder.write("part.yaml", "polyform: 1");
  fs::create_hard_link(folder.file("part.yaml"), folder.file("hard.csv"));
  const auto refused = [](const std::function<void()>& call) {
    CHECK_THAT(failure_of(Exit::bad_input, call),
               Contains("--output") && Contains("a file of the model") && Contains("would be lost"));
  };
  {
    const OutputFile output(folder.file("hard.csv"), "--output");
    refused([&] { note_read_file(folder.file("part.yaml")); });
  }
  // The file counts as read from then on, also for an output that was open before.
  refused([&] { const OutputFile output(folder.file("hard.csv"), "--output"); });
  refused([&] { make_writer(folder.file("hard.csv")); });
  OutputFile other(folder.file("later.csv"), "--output");
  refused([&] { note_read_file(folder.file("later.csv")); });
  {
    folder.write("before.csv", "polyform: 1");
    OutputFile before(folder.file("before.csv"), "--output");
    refused([&] { note_read_file(folder.file("before.csv")); });
    refused([&] { before.replace(); });
    before.give_up();  // as writers do that fail
  }
  CHECK(folder.read("before.csv") == "polyform: 1");
  refused([&] { other.replace(); });
  CHECK(folder.read("part.yaml") == "polyform: 1");
  take_read_files();
}
