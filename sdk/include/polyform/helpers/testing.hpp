// For tests of plugins: runs a model through every formulation that can, and compares the tables of results with closed
// forms.
//
//   // The arguments COMMAND PLUGIN MODEL are those that polyform_add_plugin_test() gives.
//   int main(int count, char** arguments) {
//     polyform::testing::Comparison test(count, arguments);
//     for (const auto& run : test.runs())
//       for (std::size_t row = 0; row < run.rows(); ++row)
//         test.near(run, row, "pin.q", std::sin(run.at(row, "time")), 1e-8);
//     return test.result();
//   }
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace polyform::testing {

/// The table that one solver made, as written to CSV.
class Run {
 public:
  Run(std::string solver, const std::filesystem::path& file) : solver_(std::move(solver)) {
    std::ifstream in(file);
    std::string line;
    if (std::getline(in, line))
      for (std::size_t begin = 0, end; begin <= line.size(); begin = end + 1) {
        end = std::min(line.find(',', begin), line.size());
        names_.push_back(line.substr(begin, end - begin));
      }
    while (std::getline(in, line))
      for (const char* next = line.c_str(); *next != '\0';) {
        char* end = nullptr;
        values_.push_back(std::strtod(next, &end));
        next = *end == ',' ? end + 1 : end;
        if (end == next) break;
      }
  }
  const std::string& solver() const { return solver_; }
  std::size_t rows() const { return names_.empty() ? 0 : values_.size() / names_.size(); }
  /// NaN if there is no such column.
  double at(std::size_t row, std::string_view column) const {
    for (std::size_t c = 0; c < names_.size(); ++c)
      if (names_[c] == column) return values_[row * names_.size() + c];
    return std::nan("");
  }

 private:
  std::string solver_;
  std::vector<std::string> names_;
  std::vector<double> values_;  ///< rows × columns
};

class Comparison {
 public:
  /// Runs the command's `compare` in the working folder; the tables stay there, as <model>.<solver>.csv.
  Comparison(int count, char** arguments) {
    namespace fs = std::filesystem;
    if (count != 4) {
      std::fprintf(stderr, "usage: %s COMMAND PLUGIN MODEL\n", arguments[0]);
      std::exit(2);
    }
    const std::string model = fs::path(arguments[3]).stem().string();
    for (const fs::path& file : tables_of(model)) fs::remove(file);
    const std::string line = quoted(arguments[1]) + " compare " + quoted(arguments[3]) + " --plugin-path " +
                             quoted(arguments[2]) + " --output " + quoted(model + ".csv") + " --quiet";
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
    if (std::system(line.c_str()) != 0) fail("polyform compare failed");
    for (const fs::path& file : tables_of(model)) runs_.emplace_back(file.stem().extension().string().substr(1), file);
    if (runs_.empty()) fail("no solver ran the model");
    for (const Run& run : runs_)
      if (run.rows() == 0) fail(run.solver() + " wrote no rows");
  }

  /// One run for each solver that supports the model.
  const std::vector<Run>& runs() const { return runs_; }
  void require_solver(std::string_view name) {
    for (const Run& run : runs_)
      if (run.solver() == name) return;
    fail("the solver " + std::string(name) + " did not run");
  }
  /// Checks |found − expected| ≤ tolerance × (1 or |expected|, whichever is larger).
  void near(const Run& run, std::size_t row, std::string_view column, double expected, double tolerance) {
    const double found = run.at(row, column), scale = std::abs(expected) > 1 ? std::abs(expected) : 1;
    if (std::abs(found - expected) <= tolerance * scale) return;
    char text[300];
    std::snprintf(text, sizeof text, "%s, row %zu, t = %g s: %.*s is %.12g, expected %.12g", run.solver().c_str(), row,
                  run.at(row, "time"), static_cast<int>(column.size()), column.data(), found, expected);
    fail(text);
  }
  void fail(const std::string& what) {
    if (++failures_ <= 20) std::printf("FAILED: %s\n", what.c_str());
  }
  /// The value that main returns.
  int result() const {
    std::printf("%zu solvers, %zu failures\n", runs_.size(), failures_);
    return failures_ == 0 ? 0 : 1;
  }

 private:
  static std::string quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
  }
  static std::vector<std::filesystem::path> tables_of(const std::string& model) {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(".")) {
      const std::filesystem::path name = entry.path().filename();
      if (name.extension() == ".csv" && name.stem().stem() == model && name.stem().has_extension())
        found.push_back(name);
    }
    return found;
  }

  std::vector<Run> runs_;
  std::size_t failures_ = 0;
};

}  // namespace polyform::testing
