// What is said about files that cannot be read, about options, and what counts as a missing plugin.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/messages/messages.hpp"

using namespace polyform::host;
using namespace polyform::host::testing;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

/// A folder of its own that goes with the test.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("polyform-messages-" + std::to_string(getpid()))) {
    fs::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

/// What is printed about a file, with its name cut off.
std::string about(const std::string& file) {
  Diagnostics diagnostics;
  bool missing_plugin = true;
  read_model(file, fake_catalog(), diagnostics, missing_plugin);
  CHECK_FALSE(missing_plugin);
  REQUIRE(diagnostics.all().size() == 1);
  const std::string printed = format(diagnostics.all().front());
  return printed.substr(0, file.size()) == file ? printed.substr(file.size()) : printed;
}

bool only_missing(const std::string& text) {
  Diagnostics diagnostics;
  bool missing_plugin = false;
  read_model_text(text, "m.yaml", fake_catalog(), diagnostics, missing_plugin);
  REQUIRE(diagnostics.failed());
  return missing_plugin;
}

std::string about_options(const std::vector<std::pair<std::string, std::string>>& given) {
  Diagnostics diagnostics;
  Description storage;
  read_options(fake_catalog().forces.at("everything")->fields(), given, "riccati", storage, diagnostics);
  std::string printed;
  for (const polyform::Diagnostic& d : diagnostics.all()) printed += format(d) + "\n";
  return printed;
}

}  // namespace

TEST_CASE("messages about files") {
  const Folder folder;
  std::ofstream(folder.file("model.yaml")) << "polyform: 1\n";
  std::ofstream(folder.file("empty.yaml")).flush();
  std::ofstream(folder.file("large.yaml")).flush();
  fs::resize_file(folder.file("large.yaml"), 100u << 20);
  CHECK(about(folder.file("modle.yaml")) ==
        ": error: there is no such file\n  Did you mean 'model.yaml'? Check the path; it is relative to the working "
        "directory.");
  CHECK_THAT(about(folder.file("model")), Contains("Did you mean 'model.yaml'?"));
  // What is near but no model is not offered.
  std::ofstream(folder.file("arms.csv")).flush();
  fs::create_directory(folder.file("arm.yaml.d"));
  fs::create_directory(folder.file("armx.yaml"));
  CHECK_THAT(about(folder.file("arm.yaml")), !Contains("Did you mean"));
  CHECK_THAT(about(folder.file("arm.csv")), !Contains("Did you mean"));
  CHECK(about(folder.file(".")) ==
        ": error: this is a directory, expected a model file\n  Name the file within it, such as model.yaml.");
  CHECK(about(folder.file("empty.yaml")) ==
        ": error: the file is empty, expected a model\n  A model begins with 'polyform: 1'.");
  CHECK(about(folder.file("large.yaml")) ==
        ": error: the file has more than 64 MiB, the most that is read\n"
        "  Check that this is the model file; use chains for systems of many like bodies.");
  CHECK(about("") == "error: this is no file name\n  Name a model file.");
  CHECK(about(folder.file("model.yaml") + "/x") ==
        ": error: there is no such file\n  Check the path; it is relative to the working directory.");
}

TEST_CASE("messages about options") {
  CHECK(about_options({{"nn", "1"}}) ==
        "error: --option nn: formulation 'riccati' has no option 'nn'\n"
        "  Did you mean 'n'? Its options: flag, n, label, turn, list, matrix, law.\n");
  CHECK(about_options({{"n", "-1"}}) ==
        "error: --option n: found '-1', expected an integer of at least 0\n  n: for the tests.\n");
  CHECK(about_options({{"flag", "on"}}) == "error: --option flag: found 'on', expected true or false\n");
  CHECK(about_options({{"list", "[1, 2"}}) ==
        "error: --option list: '[1, 2' is no value: not valid YAML: the list that '[' opens does not go on as 'value, "
        "…]'\n"
        "  Give a number in m or a list of them.\n");
  CHECK(about_options({{"n", ""}}) ==
        "error: --option n: found nothing, expected an integer\n"
        "  Write it without decimal point or exponent, such as 12.\n");
}

TEST_CASE("messages about options of the model carry their places; those typed after them have none") {
  Diagnostics reading, diagnostics;
  bool missing_plugin = false;
  Description model = read_model_text(
      "polyform: 1\n"
      "bodies: [{name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}]\n"
      "solver:\n"
      "  options:\n"
      "    nn: 1\n"
      "    n: -1\n"
      "    list: [1, b]\n",
      "m.yaml", fake_catalog(), reading, missing_plugin);
  REQUIRE(!reading.failed());
  std::vector<std::pair<std::string, std::string>> given = model.solver.options;
  given.emplace_back("flag", "on");
  read_options(fake_catalog().forces.at("everything")->fields(), given, "riccati", model, diagnostics,
               {model.file, model.solver.option_places});
  std::string printed;
  for (const polyform::Diagnostic& d : diagnostics.all()) printed += format(d) + "\n";
  CHECK(printed ==
        "m.yaml:5:5: error: solver.options.nn: formulation 'riccati' has no option 'nn'\n"
        "  Did you mean 'n'? Its options: flag, n, label, turn, list, matrix, law.\n"
        "m.yaml:6:8: error: solver.options.n: found '-1', expected an integer of at least 0\n  n: for the tests.\n"
        "m.yaml:7:11: error: solver.options.list[1]: found the text in quotes 'b', expected a number in m: there is "
        "no name 'b'\n"
        "  The model has no parameters here: define them under 'parameters', or write a number.\n"
        "error: --option flag: found 'on', expected true or false\n");
}

TEST_CASE("a plugin is missing only when nothing else is wrong") {
  const std::string start = "{polyform: 1, bodies: [{name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}], ";
  CHECK(only_missing(start + "forces: [{name: f, type: tyre}]}"));
  CHECK_FALSE(only_missing(start + "forces: [{name: f, type: tyre}], name: []}"));
  CHECK_FALSE(only_missing(start + "name: []}"));
}
