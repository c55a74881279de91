// polyform new: what it writes and what it refuses. That the projects build and pass their tests is shown against the
// installed package (tests/consumer).
#include <catch2/catch.hpp>

#include "tests/command/command_runner.hpp"

using namespace polyform::test;
using Catch::Contains;

namespace {

/// What the error stream says of a bad name or kind, without anything written.
std::string refusal(const std::string& kind, const std::string& name) {
  const Workshop shop;
  const Outcome outcome = shop.run({"new", kind, name, "--directory", shop.path("project").string()});
  CHECK(outcome.code == 2);
  CHECK(outcome.out.empty());
  CHECK_FALSE(std::filesystem::exists(shop.path("project")));
  return outcome.err;
}

}  // namespace

TEST_CASE("a new project bears its own name in files, functions and types") {
  const Workshop shop;
  const Outcome outcome = shop.run({"new", "joint", "my-screw2", "--directory", shop.path("a/b").string()});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK_THAT(outcome.out, Contains("my_screw2.cpp") && Contains("cmake -B build"));
  for (const auto& entry : std::filesystem::directory_iterator(shop.path("a/b"))) {
    if (!entry.is_regular_file()) continue;
    INFO(entry.path());
    const std::string text = shop.read("a/b/" + entry.path().filename().string());
    CHECK(text.find("helical") == std::string::npos);
    CHECK(text.find("Helical") == std::string::npos);
  }
  CHECK_THAT(shop.read("a/b/my_screw2.cpp"), Contains("class MyScrew2 ") && Contains(".name = \"my-screw2\""));
  CHECK_THAT(shop.read("a/b/plugin.cpp"), Contains("\"my-screw2\", \"1.0\"") && Contains("my_screw2()"));
  CHECK_THAT(shop.read("a/b/model.yaml"), Contains("type: my-screw2"));
  // What a project needs to be published: a licence, what git ignores, and a server that builds and tests it.
  CHECK_THAT(shop.read("a/b/LICENSE"), Contains("MIT License") && Contains("the authors of my-screw2"));
  CHECK_THAT(shop.read("a/b/.gitignore"), Contains("build/"));
  CHECK_THAT(shop.read("a/b/.github/workflows/test.yml"), Contains("polyform conform build/my-screw2.so"));
}

TEST_CASE("every kind has one example, and the help names it") {
  const Workshop shop;
  const std::string help = shop.run({"new", "--help"}).out;
  for (const std::string kind : {"joint", "rheonomic-joint", "force", "constraint", "flexible-body", "module",
                                 "integrator", "importer", "formulation", "device"}) {
    INFO(kind);
    CHECK_THAT(help, Contains(kind));
    CHECK(shop.run({"new", kind, "my-plugin", "--directory", shop.path(kind).string()}).code == 0);
    CHECK(std::filesystem::exists(shop.path(kind) / "README.md"));
  }
}

TEST_CASE("nothing that is there already is overwritten") {
  const Workshop shop;
  std::filesystem::create_directory(shop.path("project"));
  const std::vector<std::string> command{"new", "force", "my-force", "--directory", shop.path("project").string()};
  CHECK(shop.run(command).code == 0);  // an empty folder is as good as none
  shop.write("project/plugin.cpp", "mine");
  const Outcome again = shop.run(command);
  CHECK(again.code == 2);
  CHECK_THAT(again.err, Contains("is there already") && Contains("--directory"));
  CHECK(shop.read("project/plugin.cpp") == "mine");
  const Outcome onto_file = shop.run({"new", "force", "x", "--directory", shop.write("file", "mine")});
  CHECK(onto_file.code == 2);
  CHECK(shop.read("file") == "mine");
}

TEST_CASE("a folder that cannot be made is an error that names it") {
  const Workshop shop;
  const std::string below_a_file = shop.write("file", "") + "/project";
  const Outcome outcome = shop.run({"new", "joint", "my-joint", "--directory", below_a_file});
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err, Contains("file/project") && Contains("--directory"));
}

TEST_CASE("names that cannot be those of files, functions and types are refused with a reason") {
  CHECK_THAT(refusal("joint", "My-Joint"), Contains("lower-case letter") && Contains("my-joint2"));
  CHECK_THAT(refusal("joint", "2joint"), Contains("begins with"));
  CHECK_THAT(refusal("joint", "my_joint"), Contains("hyphens only"));
  CHECK_THAT(refusal("joint", "../evil"), Contains("begins with"));
  CHECK_THAT(refusal("joint", "a/b"), Contains("hyphens only"));
  CHECK_THAT(refusal("joint", "a--b"), Contains("one by one"));
  CHECK_THAT(refusal("joint", "a-"), Contains("one by one"));
  CHECK_THAT(refusal("joint", "double"), Contains("means something else"));
  CHECK_THAT(refusal("joint", "static-cast"), Contains("means something else"));
  CHECK_THAT(refusal("joint", "unix"), Contains("means something else"));
  CHECK_THAT(refusal("joint", "vec3"), Contains("the SDK has a type Vec3 already"));
  CHECK_THAT(refusal("joint", "joint-type"), Contains("JointType"));
  CHECK_THAT(refusal("joint", std::string(49, 'a')), Contains("48 characters"));
  CHECK_THAT(refusal("joint", ""), Contains("begins with"));
  CHECK_THAT(refusal("joint", "jo\x1bint"), Contains("hyphens only"));
}

TEST_CASE("names of CMake's own targets are as good as others: targets of a project have a prefix") {
  const Workshop shop;
  for (const std::string name : {"all", "help", "clean", "install", "package"}) {
    INFO(name);
    CHECK(shop.run({"new", "joint", name, "--directory", shop.path(name).string()}).code == 0);
  }
}

TEST_CASE("a name that a plugin or a type has already is refused, and the plugin named") {
  CHECK_THAT(refusal("joint", "revolute"), Contains("'revolute'") && Contains("standard-joints"));
  CHECK_THAT(refusal("force", "riccati"), Contains("taken"));
}

TEST_CASE("an unknown kind is refused with a suggestion") {
  CHECK_THAT(refusal("jiont", "my-joint"), Contains("'jiont'") && Contains("ean 'joint'?") && Contains("formulation"));
}
