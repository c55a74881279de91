// Expressions: values against Python's arithmetic, derivatives, places where they bend, what goes wrong and where.
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <map>
#include <numbers>
#include <sstream>

#include "framework/host/expressions/formula.hpp"
#include "framework/host/expressions/next_root.hpp"
#include "framework/host/expressions/parser.hpp"

using namespace polyform::host::expressions;
using Catch::Contains;

namespace {

constexpr double no_end = std::numeric_limits<double>::infinity();

/// t, a and b are inputs 0, 1 and 2.
class Words final : public Vocabulary {
 public:
  explicit Words(Graph& graph) : graph_(graph) {}
  std::optional<NodeIndex> value(std::string_view name, std::size_t) override {
    const std::map<std::string_view, std::uint32_t> known{{"t", 0}, {"a", 1}, {"b", 2}};
    const auto found = known.find(name);
    return found == known.end() ? std::nullopt : std::optional(graph_.input(found->second));
  }
  std::vector<std::string_view> known() const override { return {"t", "a", "b"}; }
  std::string hint() const override { return "Known: t, a, b."; }

 private:
  Graph& graph_;
};

const std::uint32_t inputs[] = {0, 1, 2};

struct Compiled {
  explicit Compiled(const std::string& text) {
    Words words(all.graph);
    all.texts->push_back({text, "f", "m.yaml", 1, 1});
    root = parse_expression(text, 0, all.graph, words);
    const NodeIndex roots[] = {root};
    program = Program(all.graph, roots, inputs);
  }
  double operator()(double t, double a = 0, double b = 0) {
    work.assign(program.registers(), 0);
    program.prepare(std::span(work));
    work[0] = t, work[1] = a, work[2] = b;
    program.run(std::span(work));
    return work[program.root(0)];
  }
  Formulas all;
  NodeIndex root = 0;
  Program program;
  std::vector<double> work;
};

ExpressionError error_of(const std::string& text) {
  try {
    Compiled compiled(text);
  } catch (const ExpressionError& e) {
    return e;
  }
  FAIL("no error in " << text);
  return {};
}

TimeFormula formula_of(const std::string& text) {
  Compiled compiled(text);
  return TimeFormula(compiled.all, compiled.root);
}

}  // namespace

TEST_CASE("values are those of Python's arithmetic") {
  std::ifstream file(POLYFORM_PYTHON_VALUES);
  std::string line;
  std::size_t count = 0;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string text, result;
    std::getline(fields, text, '\t');
    double a = 0, b = 0, t = 0;
    fields >> a >> b >> t >> result;
    CAPTURE(line);
    Compiled compiled(text);
    const double value = compiled(t, a, b);
    if (result == "none") {
      CHECK(!std::isfinite(value));
      CHECK(compiled.program.trouble(0, compiled.work).has_value());
    } else {
      CHECK(value == Approx(std::stod(result)).epsilon(1e-9).margin(1e-12));
    }
    ++count;
  }
  CHECK(count == 1500);
}

TEST_CASE("the grammar binds as in mathematics") {
  CHECK(Compiled("-2^2")(0) == -4);
  CHECK(Compiled("2^-1")(0) == 0.5);
  CHECK(Compiled("2^3^2")(0) == 512);
  CHECK(Compiled("2**3")(0) == 8);
  CHECK(Compiled("1 - 2 - 3")(0) == -4);
  CHECK(Compiled("8/4/2")(0) == 1);
  CHECK(Compiled("1 < 2 and not 3 < 2")(0) == 1);
  CHECK(Compiled("0 or 2 == 2")(0) == 1);
  CHECK(Compiled("t > 1 ? 10 : t > 0 ? 5 : 1")(0.5) == 5);
  CHECK(Compiled("clamp(t, -1, 1)")(7) == 1);
  CHECK(Compiled("mod(-1, 3)")(0) == 2);
  CHECK(Compiled("round(2.5) + ceil(1.1) + floor(-0.5) + sign(-3)")(0) == 3);
  CHECK(Compiled("step(t)")(0) == 1);
  CHECK(Compiled("step(t, 1, 2, 3, 6)")(2) == Approx(4));
  CHECK(Compiled("hypot(2, 3, 6)")(0) == 7);
}

TEST_CASE("numbers by the tape are those of the operations one by one") {
  for (const char* text : {"a*b + t",
                           "t + a*b",
                           "a*b + a*t",
                           "a*b - t",
                           "t - a*b",
                           "a*b - a*t",
                           "a*b*t",
                           "a*(b*t)",
                           "(a + b)*t",
                           "t*(a + b)",
                           "(a - b)/t",
                           "t/(a - b)",
                           "a/b/t",
                           "a - (b - t)",
                           "(a - b) - t",
                           "a*b*t*a*b",
                           "a*b + (a + b)*(a - b)",
                           "(a + b)*(a + b)",
                           "(a*b)*(a*b) + a*b",
                           "a^2 + b^3 - t^4",
                           "a^-1 + b^0.5*t^1.5",
                           "a^b",
                           "-a*b - -t*a",
                           "sin(a*b) + cos(a*b)*exp(-t^2)",
                           "abs(a - b)*sqrt(t) + tanh(a)",
                           "min(a, b*t) + max(a*b, t) - if(a < b, a*t, b*t)",
                           "a*b + a*b*t + a*b*t*a",
                           "1/(1 + a^2) - 2*a*b/(1 + b*b)"}) {
    CAPTURE(text);
    Compiled compiled(text);
    const double value = compiled(1.7, 0.6, 2.3);
    std::vector<Jet> one_by_one(compiled.program.registers());
    compiled.program.prepare(std::span(one_by_one));
    const double given[] = {1.7, 0.6, 2.3};
    for (std::size_t i = 0; i < 3; ++i) one_by_one[i] = {given[i], 0, 0};
    compiled.program.run(std::span(one_by_one));
    CHECK(value == Approx(one_by_one[compiled.program.root(0)].value).epsilon(1e-15));
  }
  // A product that is formed within a sum is named all the same if it fails.
  Compiled large("t + a*b");
  CHECK(!std::isfinite(large(1, 1e300, 1e300)));
  const auto trouble = large.program.trouble(0, large.work);
  REQUIRE(trouble);
  CHECK(trouble->what == "a result beyond the largest number (1.8e308)");
  CHECK(trouble->place.begin == 4);
}

TEST_CASE("derivatives in time are those by differences of higher order") {
  for (const char* text :
       {"sin(3*t)*exp(-t)", "t^3 - 2*t + 1", "1/(1 + t^2)",       "sqrt(2 + sin(t))",    "atan2(sin(t), 2 + t)",
        "tanh(t)^2",        "2^t",           "(1 + t)^(t/2)",     "log(3 + t)",          "log10(2 + t)",
        "asin(t/3)",        "acos(t/3)",     "atan(t)",           "hypot(t, 1)",         "abs(t - 5)*t",
        "min(t^2, 4)",      "max(t^2, 4)",   "if(t < 3, t^2, 0)", "sinh(t) + cosh(t)",   "asinh(t)",
        "acosh(2 + t)",     "atanh(t/4)",    "cbrt(1 + t)",       "step(t, 0, 0, 2, 1)", "tan(t/2)",
        "clamp(t^2, 0, 9)"}) {
    CAPTURE(text);
    const TimeFormula f = formula_of(text);
    for (const double t : {0.3, 0.7, 1.3}) {
      const double h = 1e-3;
      const auto at = [&](double time) { return f.value(time).value; };
      const double first = (8 * (at(t + h) - at(t - h)) - (at(t + 2 * h) - at(t - 2 * h))) / (12 * h);
      const double second =
          (16 * (at(t + h) + at(t - h)) - (at(t + 2 * h) + at(t - 2 * h)) - 30 * at(t)) / (12 * h * h);
      CHECK(f.value(t).rate == Approx(first).epsilon(1e-8).margin(1e-9));
      CHECK(f.value(t).acceleration == Approx(second).epsilon(1e-6).margin(1e-7));
    }
  }
}

TEST_CASE("places where a function of time bends are found, and only these") {
  const auto knots = [](const std::string& text, double end) {
    const TimeFormula f = formula_of(text);
    std::vector<double> all;
    for (double t = f.next_knot(0); t < end && all.size() < 100; t = f.next_knot(t)) all.push_back(t);
    return all;
  };
  const auto near = [](double x) { return Approx(x).epsilon(1e-12); };
  CHECK(knots("sin(t)", 100).empty());
  CHECK(formula_of("sin(t)").next_knot(0) == no_end);
  const std::vector<double> one = knots("if(t < 2, 1, 5)", 100);
  REQUIRE(one.size() == 1);
  CHECK(one[0] == near(2));
  CHECK(formula_of("if(t < 2, 1, 5)").next_knot(2.5) == no_end);
  const std::vector<double> half_waves = knots("abs(sin(3*t))", 10.2);
  REQUIRE(half_waves.size() == 9);
  for (std::size_t k = 0; k < 9; ++k) CHECK(half_waves[k] == near(static_cast<double>(k + 1) * std::numbers::pi / 3));
  const std::vector<double> steps = knots("floor(2*t)", 3.2);
  REQUIRE(steps.size() == 6);
  CHECK(steps[5] == near(3));
  // Two knots within a hundredth, far away.
  const std::vector<double> close = knots("max((t - 30)^2, 1e-4)", 60);
  REQUIRE(close.size() == 2);
  CHECK(close[0] == near(29.99));
  CHECK(close[1] == near(30.01));
  // The square touches zero and does not change its sign.
  CHECK(knots("if((t - 3)^2 < 0, 1, 0)", 20).empty());
  // The same condition multiplied out: it gives neither a knot for each rounding nor a search without end.
  CHECK(knots("if(t^2 - 6*t + 9 < 0, 1, 0)", 20).size() < 5);
  // Far from its least value the sum is larger than any number.
  const std::vector<double> peak = knots("if(exp(1000*(t - 3)) + exp(-1000*(t - 3)) < 1, 1, 0)", 20);
  REQUIRE(!peak.empty());  // the knots of the exponents alone, one for each
  CHECK(peak.size() <= 2);
  for (const double t : peak) CHECK(t == near(3));
}

TEST_CASE("poles of a function of time are found, and quotients that stay bounded are none") {
  const auto pole = [](const char* text) { return formula_of(text).next_pole(0.1, 100); };
  CHECK(pole("1/(t - 3)^2") == Approx(3).epsilon(1e-12));
  CHECK(pole("tan(t)") == Approx(std::numbers::pi / 2).epsilon(1e-12));
  CHECK(pole("t/((t - 50)*sin(t/10))") == Approx(10 * std::numbers::pi).epsilon(1e-12));
  CHECK(pole("(2 - t)^-3") == Approx(2).epsilon(1e-12));
  for (const char* const text : {"sin(t - 3)/(t - 3)", "(t - 3)/abs(t - 3)", "1/sqrt(abs(t - 3))", "1/(1 + t^2)",
                                 "atan(1/(t - 3))", "if(t < 3, 1, 1/(t - 2))", "1/(2 + sin(t))"}) {
    INFO(text);
    CHECK(pole(text) == no_end);
  }
}

TEST_CASE("derivatives by an input are those by differences") {
  for (const char* const text :
       {"t^3 - 2*t + 5/t", "sin(3*t)*exp(-t) + cos(t)^3", "sqrt(1 + t^2) - hypot(t, 2)", "log(1 + t)*tan(t/4)",
        "sinh(t/3) + cosh(t/2)*tanh(t) - atan(t^2)", "-(t^0.5)/(2 - t)"}) {
    INFO(text);
    Compiled given(text);
    const NodeIndex slope = given.all.graph.derivative(given.root, 0);
    REQUIRE(slope != Graph::none);
    const TimeFormula f(given.all, given.root), rate(given.all, slope);
    for (const double t : {0.3, 1.1, 1.9}) CHECK(rate.value(t).value == Approx(f.value(t).rate).epsilon(1e-12));
  }
  Compiled bent("abs(t)");
  CHECK(bent.all.graph.derivative(bent.root, 0) == Graph::none);
}

TEST_CASE("periods by the clock are known") {
  CHECK(formula_of("2 + sin(5*t + 1)*t").shortest_time() == Approx(2 * std::numbers::pi / 5));
  CHECK(formula_of("sin(t) + cos(2*pi*10*t)").shortest_time() == Approx(0.1));
  CHECK(formula_of("mod(t, 0.5)").shortest_time() == Approx(0.5));
  CHECK(formula_of("sin(t^2)").shortest_time() == no_end);
  CHECK(formula_of("exp(-t)").shortest_time() == no_end);
}

TEST_CASE("branches that are not taken may fail") {
  Compiled safe("if(t > 0, 1/t, 7)");
  CHECK(safe(0) == 7);
  CHECK(safe(2) == 0.5);
  CHECK(std::isnan(Compiled("min(1/t, 5)")(0)));
  CHECK(Compiled("t > 0 and log(t) > 0")(-1) == 0);
}

TEST_CASE("what fails is named with its place") {
  const auto trouble = [](const std::string& text, double t) {
    Compiled compiled(text);
    compiled(t);
    const auto found = compiled.program.trouble(0, compiled.work);
    REQUIRE(found);
    return describe(*found, *compiled.all.texts);
  };
  CHECK(trouble("1 + 2/(t - 1)", 1) == "division by zero in `2/(t - 1)` (m.yaml:1:5: f)");
  CHECK(trouble("3*log(t)", -2) == "the logarithm of -2 in `log(t)` (m.yaml:1:3: f)");
  CHECK(trouble("sqrt(t) + 1", -4) == "the square root of -4 in `sqrt(t)` (m.yaml:1:1: f)");
  CHECK_THAT(trouble("asin(2*t)", 1), Contains("asin of 2, which is not within -1 and 1"));
  CHECK_THAT(trouble("t^0.5", -1), Contains("-1 to the power of 0.5, which is no whole number"));
  CHECK_THAT(trouble("exp(t)", 1000), Contains("beyond the largest number"));
}

TEST_CASE("mistakes are told at their character") {
  CHECK(error_of("2 +").at == 3);
  CHECK(error_of("2*kk").at == 2);
  CHECK_THAT(error_of("2*sinn(t)").remedy, Contains("Did you mean 'sin'?"));
  CHECK(error_of("sin(t").at == 5);
  CHECK_THAT(error_of("sin t").message, Contains("'sin' is a function and stands here without arguments"));
  CHECK_THAT(error_of("clamp(t, 2, 1)").message,
             Contains("the least value of clamp is 2, greater than its greatest, 1"));
  CHECK_THAT(error_of("step(t, 1, 0, 0.5, 1)").message,
             Contains("the begin of step, x0, is 1, greater than its end, x1, 0.5"));
  CHECK_THAT(error_of("sin(t, 2)").message, Contains("sin is given 2 arguments"));
  CHECK_THAT(error_of("3 kg").message, Contains("found 'k'"));
  CHECK_THAT(error_of("2kg").message, Contains("right behind a number"));
  CHECK_THAT(error_of("1 < t < 2").message, Contains("a second comparison"));
  CHECK_THAT(error_of("").message, Contains("empty"));
  CHECK_THAT(error_of(std::string(100000, '(')).message, Contains("nested too deeply"));
  CHECK_THAT(error_of("t = 2").message, Contains("found '='"));
}

TEST_CASE("a periodic spline goes on smoothly from one period to the next") {
  Table table;
  const std::size_t n = 24;
  for (std::size_t i = 0; i <= n; ++i) {
    table.x.push_back(2 * std::numbers::pi * static_cast<double>(i) / n);
    table.y.push_back(i == n ? table.y[0] : std::sin(table.x[i]) + 0.2 * std::cos(2 * table.x[i]));
  }
  table.periodic = true;
  make_spline(table);
  for (const double x : {-7.0, -0.1, 0.0, 0.4, 3.3, 6.2, 6.4, 40.0}) {
    CAPTURE(x);
    const TableValue at = value_of(table, x);
    CHECK(at.value == Approx(std::sin(x) + 0.2 * std::cos(2 * x)).margin(3e-4));
    CHECK(at.slope == Approx(std::cos(x) - 0.4 * std::sin(2 * x)).margin(6e-3));
  }
  CHECK(value_of(table, -1e-9).slope == Approx(value_of(table, 1e-9).slope).margin(1e-7));
}

TEST_CASE("a program shares equal parts") {
  Compiled compiled("sin(a*b) + 2*sin(a*b) + t");
  CHECK(compiled.program.registers() <= 3 + 1 + 5);  // inputs, 2, a*b, sin, 2 sin, two sums
}

TEST_CASE("a thousand formulas are compiled within a second of processor time") {
  const std::clock_t start = std::clock();
  Formulas all;
  Words words(all.graph);
  std::vector<NodeIndex> roots;
  for (int k = 0; k < 1000; ++k) {
    const std::string n = std::to_string(k + 1), text = "-" + n + "*a*(1 + 0." + n + "*a^2) - " + n + "*b*exp(-a^2/" +
                                                        n + ") + if(t > " + n + ", 5*sin(" + n + "*t), 0)";
    all.texts->push_back({text, "f", "m.yaml", k + 1, 1});
    roots.push_back(parse_expression(text, static_cast<std::uint32_t>(k), all.graph, words));
  }
  const Program program(all.graph, roots, inputs);
  CHECK(program.roots() == 1000);
  CHECK(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC < 1);
}
