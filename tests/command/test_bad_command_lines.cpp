// Every class of bad command line: exit code 2 (3 for an unknown solver), and a message that says what to type.
#include <catch2/catch.hpp>

#include "tests/command/command_runner.hpp"

using namespace polyform::test;
using Catch::Contains;

namespace {

std::string refusal(const std::vector<std::string>& arguments, int code = 2) {
  const Workshop shop;
  const Outcome outcome = shop.run(arguments);
  INFO(outcome.err);
  CHECK(outcome.code == code);
  CHECK(outcome.out.empty());
  return outcome.err;
}

}  // namespace

TEST_CASE("without a command the help is printed and the exit code is 2") { CHECK_THAT(refusal({}), Contains("run")); }

TEST_CASE("misspelt commands and options come with a suggestion") {
  CHECK_THAT(refusal({"rnu", "model.yaml"}), Contains("'rnu'") && Contains("ean 'run'?"));
  CHECK_THAT(refusal({"run", shipped("free_body"), "--solvr", "x"}),
             Contains("'--solvr'") && Contains("ean '--solver'?"));
  CHECK_THAT(refusal({"run", shipped("free_body"), "--durration=2"}), Contains("ean '--duration'?"));
  CHECK_THAT(refusal({"help", "rnu"}), Contains("ean 'run'?"));
}

TEST_CASE("a model must be given, and only one") {
  CHECK_THAT(refusal({"run"}), Contains("MODEL"));
  CHECK_THAT(refusal({"run", shipped("free_body"), shipped("heavy_top")}), Contains("heavy_top"));
}

TEST_CASE("numbers on the command line are positive and finite") {
  for (const std::string option : {"--duration", "--step", "--rtol", "--atol", "--output-interval"})
    for (const std::string value : {"-1", "0", "nan", "inf", "fast"}) {
      INFO(option << " " << value);
      CHECK_THAT(refusal({"run", shipped("free_body"), option, value}), Contains(option));
    }
}

TEST_CASE("an output interval without end is refused") {
  CHECK_THAT(refusal({"run", shipped("free_body"), "--output-interval", "1e-300"}), Contains("output interval"));
}

TEST_CASE("an unknown integrator is refused with a suggestion") {
  CHECK_THAT(refusal({"run", shipped("free_body"), "--integrator", "dopri55"}), Contains("ean 'dopri5'?"));
}

TEST_CASE("an unknown solver is exit code 3 with a suggestion") {
  CHECK_THAT(refusal({"run", shipped("free_body"), "--solver", "ricati"}, 3), Contains("ean 'riccati'?"));
  CHECK_THAT(refusal({"compare", shipped("free_body"), "--solvers", "riccati,cartesan"}, 3),
             Contains("ean 'cartesian'?"));
  refusal({"plugins", "show", "nothing"}, 3);
}

TEST_CASE("an unknown group of columns is refused with a suggestion") {
  CHECK_THAT(refusal({"run", shipped("free_body"), "--columns", "joints,bodis"}), Contains("ean 'bodies'?"));
  refusal({"run", shipped("free_body"), "--columns", ""});
}

TEST_CASE("options of a solver are checked") {
  CHECK_THAT(refusal({"run", shipped("free_body"), "--option", "nonsense=1"}), Contains("nonsense"));
  CHECK_THAT(refusal({"run", shipped("free_body"), "--option", "nonsense"}), Contains("key=value"));
  CHECK_THAT(
      refusal({"run", shipped("free_body"), "--solver", "hierarchy", "--option", "level=1", "--option", "level=2"}),
      Contains("--option gives 'level' twice"));
}

TEST_CASE("an output that cannot be written is refused before the run") {
  CHECK_THAT(refusal({"run", shipped("free_body"), "--output", "no/such/folder/a.csv"}),
             Contains("no/such/folder/a.csv"));
  CHECK_THAT(refusal({"run", shipped("free_body"), "--output", "no/such/folder/a.h5"}),
             Contains("no/such/folder/a.h5"));
  CHECK_THAT(refusal({"run", shipped("free_body"), "--output", "a.xls"}), Contains(".csv"));
}
