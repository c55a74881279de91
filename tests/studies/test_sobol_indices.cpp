// Sobol indices, compared with those of functions whose indices are known.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "framework/workbench/studies/design.hpp"
#include "framework/workbench/studies/sobol_indices.hpp"

using namespace polyform::host;

namespace {

constexpr double pi = std::numbers::pi;

/// sin x + 7 sin² y + 0.1 z⁴ sin x, of three numbers between -π and π (Ishigami and Homma 1990).
double ishigami(double x, double y, double z) {
  return std::sin(x) + 7 * std::pow(std::sin(y), 2) + 0.1 * std::pow(z, 4) * std::sin(x);
}

/// The table of a study of that function.
StudyTable table_of(std::size_t samples) {
  std::vector<Factor> factors;
  for (const char* text :
       {"x=uniform(-3.141592653589793,3.141592653589793)", "y=uniform(-3.141592653589793,3.141592653589793)",
        "z=uniform(-3.141592653589793,3.141592653589793)"})
    factors.push_back(read_factor(text));
  const Design design(std::move(factors),
                      {.method = Method::saltelli, .samples = samples, .seed = 3, .correlation = {}});
  REQUIRE(design.cases() == 5 * samples);
  StudyTable table;
  table.factors = {"x", "y", "z"};
  table.quantities = {"f"};
  table.units = {""};
  for (std::size_t k = 0; k < design.cases(); ++k) {
    const std::vector<std::string> values = design.values(k);
    const double f = ishigami(std::stod(values[0]), std::stod(values[1]), std::stod(values[2]));
    table.rows.push_back({k, values, {f}, true, ""});
  }
  return table;
}

}  // namespace

TEST_CASE("first and total indices are those of a function that is known, within their intervals") {
  const double b4 = 0.1 * std::pow(pi, 4), x = std::pow(1 + b4 / 5, 2) / 2, y = 49.0 / 8, xz = 8 * b4 * b4 / 225;
  const double first[] = {x, y, 0}, total[] = {x + xz, y, xz}, variance = x + y + xz;
  const SobolIndices indices = sobol_indices(table_of(2048), "saltelli").front();
  CHECK(indices.why_not.empty());
  CHECK(indices.samples == 2048);
  CHECK(indices.left_out == 0);
  for (std::size_t f = 0; f < 3; ++f) {
    INFO("factor " << f);
    for (const auto& [estimate, exact] : {std::pair(indices.factors[f].first, first[f] / variance),
                                          std::pair(indices.factors[f].total, total[f] / variance)}) {
      CHECK(estimate.value == Approx(exact).margin(0.02));
      CHECK(estimate.low <= exact);
      CHECK(estimate.high >= exact);
      CHECK(estimate.high - estimate.low < 0.2);
    }
  }
}

TEST_CASE("samples with a failed case are left out, and what has no indices says why") {
  StudyTable table = table_of(64);
  table.rows[7].done = false;
  table.rows[7].quantities[0] = std::numeric_limits<double>::quiet_NaN();
  table.rows.pop_back();
  const SobolIndices some = sobol_indices(table, "saltelli").front();
  CHECK(some.left_out == 2);
  CHECK(some.samples == 62);
  CHECK_THAT(sobol_indices(table, "sobol").front().why_not, Catch::Contains("--method saltelli"));
  CHECK_THAT(sobol_indices(table_of(8), "saltelli").front().why_not, Catch::Contains("too few"));
  for (CaseRow& row : table.rows) row.quantities[0] = 0.1 + 1e-16 * static_cast<double>(row.number % 3);
  CHECK_THAT(sobol_indices(table, "saltelli").front().why_not, Catch::Contains("does not vary"));
}
