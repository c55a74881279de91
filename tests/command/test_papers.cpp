// The page on the papers keeps what it says: its commands run, and what stands as code in their third column is
// printed.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tests/command/command_runner.hpp"

using namespace polyform::test;

namespace {

struct PaperRow {
  std::string item, command, shows;
};

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::string cell;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|') {
      cell += '|';
      ++i;
    } else if (line[i] == '|') {
      cells.push_back(cell);
      cell.clear();
    } else {
      cell += line[i];
    }
  }
  return cells;
}

std::vector<std::string> code_in(const std::string& cell) {
  std::vector<std::string> spans;
  for (std::size_t begin = cell.find('`'); begin != std::string::npos; begin = cell.find('`', begin)) {
    const std::size_t end = cell.find('`', begin + 1);
    REQUIRE(end != std::string::npos);
    spans.push_back(cell.substr(begin + 1, end - begin - 1));
    begin = end + 1;
  }
  return spans;
}

std::vector<PaperRow> rows_of_page() {
  std::ifstream page(std::string(POLYFORM_PAGES) + "/apps/pages/papers.md");
  REQUIRE(page);
  std::vector<PaperRow> rows;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| ")) continue;
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() < 3) continue;
    const std::vector<std::string> commands = code_in(cells[1]);
    if (commands.size() == 1 && commands[0].starts_with("polyform ")) rows.push_back({cells[0], commands[0], cells[2]});
  }
  return rows;
}

/// Words of a command line, with double quotes; models are those that are shipped.
std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false;
  const auto end_word = [&] {
    if (word.empty()) return;
    if (const std::string models = "apps/models/"; word.starts_with(models))
      word = std::string(POLYFORM_MODELS) + "/" + word.substr(models.size());
    words.push_back(word);
    word.clear();
  };
  for (const char c : command) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ' ' && !quoted)
      end_word();
    else
      word += c;
  }
  end_word();
  words.erase(words.begin());
  return words;
}

/// The text with single spaces, so that columns and broken lines read as sentences.
std::string plain(const std::string& text) {
  std::istringstream words(text);
  std::string out;
  for (std::string word; words >> word;) out += word + ' ';
  return out;
}

}  // namespace

TEST_CASE("the commands of the page on the papers run and print what it says") {
  const std::vector<PaperRow> rows = rows_of_page();
  CHECK(rows.size() >= 40);
  for (const PaperRow& row : rows) {
    INFO(row.item << ": " << row.command);
    const Workshop shop;
    const Outcome outcome = shop.run(words_of(row.command));
    INFO(outcome.err);
    CHECK(outcome.code == 0);
    const std::string printed = plain(outcome.out + ' ' + outcome.err);
    for (const std::string& shown : code_in(row.shows)) {
      INFO("should print: " << shown << "\nprints: " << printed.substr(0, 4000));
      CHECK(printed.find(shown) != std::string::npos);
    }
  }
}

TEST_CASE("the plugins show which solver carries what, and why one does not") {
  const Workshop shop;
  const std::string shown = shop.run({"plugins"}).out, printed = plain(shown);
  // A line has as many solvers as fit into 80 columns.
  CHECK(printed.find("What solvers carry beside trees of rigid bodies: cartesian hierarchy particles reduced "
                     "closed loops yes yes yes yes redundant") != std::string::npos);
  CHECK(printed.find("riccati thompson closed loops yes yes redundant") != std::string::npos);
  CHECK(printed.find("flexible bodies yes yes no yes constraint") != std::string::npos);
  CHECK(printed.find("modules yes yes first-order") != std::string::npos);
  std::istringstream table(shown.substr(shown.find("What solvers carry")));
  for (std::string line; std::getline(table, line);) CHECK(line.size() < 80);
  CHECK(printed.find("particles, flexible bodies: its equations of a body are") != std::string::npos);
}

TEST_CASE("instants of a period are asked for in either kind of states, and of motions with a period") {
  const Workshop shop;
  const Outcome independent = shop.run({"linearize", shipped("shaken_ball"), "--instants", "4"});
  CHECK(independent.code == 0);
  CHECK(independent.out.find("at 4 instants") != std::string::npos);
  const Outcome period = shop.run({"linearize", shipped("navion"), "--states", "body", "--instants", "4"});
  CHECK(period.code == 2);
  CHECK(period.err.find("the motion has no known period: A is constant along the motion") != std::string::npos);
  CHECK(shop.run({"linearize", shipped("shaken_ball"), "--states", "body", "--instants", "1"}).code == 2);
}
