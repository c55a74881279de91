#include "framework/host/reading/signal_blocks.hpp"

#include <fmt/format.h>

#include <cmath>

#include "framework/host/reading/model_reader.hpp"
#include "framework/host/reading/time_functions.hpp"

namespace polyform::host::inline reading {

using expressions::Code;
using expressions::NodeIndex;

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();
constexpr int highest_order = 20;  ///< of delays: beyond it rounding, not the order, bounds what is gained

/// Increasing numbers; false after a report.
bool check_increasing(const Value& list, const std::vector<double>& x) {
  for (std::size_t i = 1; i < x.size(); ++i)
    if (x[i] <= x[i - 1]) {
      list.item(i).error(fmt::format("{} does not come after {}", x[i], x[i - 1]),
                         "Rows of a table increase strictly; sort them and remove repeated ones.");
      return false;
    }
  return true;
}

}  // namespace

const std::vector<std::string_view>& SignalBlocks::types() {
  static const std::vector<std::string_view> names{"pid",   "transfer-function", "integrator", "limiter",
                                                   "delay", "sampler",           "table",      "external"};
  return names;
}

std::optional<NodeIndex> SignalBlocks::read(const Value& item) {
  MapReader map(item);
  map.find("name");
  std::optional<NodeIndex> node;
  if (const auto type = map.find("type")) {
    map.forbid("value", "a signal has a value or a type with an input");
    map.find("input");  // known to each type, also where another mistake ends its reading before
    const std::optional<std::string> name = read_text(*type, "the type of the signal");
    if (!name) return std::nullopt;
    if (*name == "pid")
      node = pid(map);
    else if (*name == "transfer-function")
      node = transfer_function(map);
    else if (*name == "integrator")
      node = integrator(map);
    else if (*name == "limiter")
      node = limiter(map);
    else if (*name == "delay")
      node = delay(map);
    else if (*name == "sampler")
      node = sampler(map);
    else if (*name == "table")
      node = table(map);
    else if (*name == "external")
      node = external(map);
    else {
      type->error(
          fmt::format("there is no type {} of signals", show(*name)),
          did_you_mean(*name, types()) + fmt::format("Types: {}; or give 'value' without a type.", listing(types())));
      return std::nullopt;
    }
  } else {
    node = value(map);
  }
  map.finish();
  return good_ ? node : std::nullopt;
}

std::optional<NodeIndex> SignalBlocks::value(MapReader& map) {
  const auto given = map.require("value", "an expression, or 'type' with an 'input'");
  return given ? reader_.operand(*given) : std::nullopt;
}

std::optional<NodeIndex> SignalBlocks::input(MapReader& map) {
  const auto given = map.require("input", "the expression that goes into the signal");
  return given ? reader_.operand(*given) : std::nullopt;
}

double SignalBlocks::number(MapReader& map, std::string_view key, double otherwise) {
  const auto given = map.find(key);
  if (!given) return otherwise;
  const std::optional<double> x = read_number(*given);
  good_ = good_ && x;
  return x.value_or(otherwise);
}

NodeIndex SignalBlocks::state(std::string_view name, double initial, std::size_t& number) {
  number = reader_.states_.size();
  reader_.states_.push_back({fmt::format("signal.{}.{}", name_, name), initial, constant(0)});
  return reader_.formulas().input(
      {.kind = expressions::StateInput::Kind::state, .of = -1, .index = static_cast<std::uint32_t>(number)});
}
void SignalBlocks::set_rate(std::size_t state, NodeIndex rate) { reader_.states_[state].rate = rate; }
NodeIndex SignalBlocks::add(Code code, NodeIndex a, NodeIndex b, NodeIndex c) {
  return reader_.formulas().graph.add(code, a, b, c);
}
NodeIndex SignalBlocks::constant(double value) { return reader_.formulas().graph.constant(value); }

NodeIndex SignalBlocks::limited(NodeIndex node, double lower, double upper) {
  if (upper < unlimited) node = add(Code::minimum, node, constant(upper));
  if (lower > -unlimited) node = add(Code::maximum, node, constant(lower));
  return node;
}

bool SignalBlocks::check_limits(MapReader& map, double lower, double upper) {
  if (lower < upper) return true;
  map.value().error(fmt::format("the lower limit {} is not below the upper limit {}", lower, upper),
                    "Give lower < upper.");
  return good_ = false;
}

/// u = kp e + ki ∫ e dt + kd ė with e the input; ė by a filter of first order, ḟ = (e − f)/T. When u is at a limit,
/// the integral does not grow beyond it (conditional integration, see formula_limits.hpp).
std::optional<NodeIndex> SignalBlocks::pid(MapReader& map) {
  const double kp = number(map, "kp", 0), ki = number(map, "ki", 0), kd = number(map, "kd", 0);
  const double filter = number(map, "filter", 0), filter_initial = number(map, "filter_initial", 0);
  const double initial = number(map, "initial", 0);
  const double lower = number(map, "lower", -unlimited), upper = number(map, "upper", unlimited);
  check_limits(map, lower, upper);
  const auto given_rate = map.find("rate");
  if (given_rate && kd == 0) {
    given_rate->error("the rate of the input is given, but kd is 0", "Give kd, or remove it.");
    return std::nullopt;
  }
  if (given_rate && map.find("filter")) {
    given_rate->error("the rate of the input is given, and a filter that would find it",
                      "Give one of both: with the rate no filter is needed.");
    return std::nullopt;
  }
  if (kd != 0 && !given_rate && !(filter > 0)) {
    map.value().error("a pid with kd needs the rate of its input",
                      "Give it as an expression, rate: \"-v(pin)\", or the time constant of a filter, filter: 0.01 "
                      "(s), which takes the derivative.");
    return std::nullopt;
  }
  NodeIndex rate = 0;
  if (given_rate) {
    const std::optional<NodeIndex> read = reader_.operand(*given_rate);
    if (!read) return std::nullopt;
    rate = *read;
  }
  if (!good_) return std::nullopt;
  // An integral alone does not follow from the input at the same instant, so a loop through it can be closed.
  std::size_t i = 0;
  NodeIndex integral = 0;
  const bool is_integral_alone = ki != 0 && kp == 0 && (kd == 0 || given_rate);
  if (ki != 0) integral = state("integral", initial, i);
  const auto derivative_given = [&](NodeIndex u) {
    return given_rate ? add(Code::add, u, add(Code::multiply, constant(kd), rate)) : u;
  };
  const NodeIndex of_integral = ki != 0 ? add(Code::multiply, constant(ki), integral) : constant(0);
  const std::size_t first_limit = reader_.limits_.size();
  if (ki != 0) define_limits(lower, upper);
  if (is_integral_alone)
    give_(at_limits(add(Code::add, derivative_given(constant(0)), of_integral), lower, upper, first_limit));
  const std::optional<NodeIndex> e = input(map);
  if (!e || !good_) return std::nullopt;
  NodeIndex u = derivative_given(add(Code::multiply, constant(kp), *e));
  if (kd != 0 && !given_rate) {
    std::size_t f = 0;
    const NodeIndex filtered = state("filter", filter_initial, f);
    const NodeIndex slope = add(Code::divide, add(Code::subtract, *e, filtered), constant(filter));
    set_rate(f, slope);
    u = add(Code::add, u, add(Code::multiply, constant(kd), slope));
  }
  if (ki == 0) return limited(u, lower, upper);
  // With the sign that is positive beyond the limit.
  NodeIndex growth = *e;
  std::size_t k = first_limit;
  const auto limit_growth = [&](double at, double sign) {
    const auto signed_node = [&](NodeIndex node) { return add(Code::multiply, constant(sign), node); };
    const NodeIndex without = signed_node(add(Code::subtract, u, constant(at)));
    expressions::FormulaLimit& limit = reader_.limits_[k];
    limit.beyond = add(Code::add, without, signed_node(of_integral));
    limit.push = add(Code::multiply, constant(sign * ki), *e);
    limit.without = without;
    limit.state = i;
    limit.gain = sign * ki;
    growth = add(Code::select, mode_is(expressions::StateInput::Kind::within, k++), growth, constant(0));
  };
  if (upper < unlimited) limit_growth(upper, 1);
  if (lower > -unlimited) limit_growth(lower, -1);
  set_rate(i, growth);
  return at_limits(add(Code::add, u, of_integral), lower, upper, first_limit);
}

void SignalBlocks::define_limits(double lower, double upper) {
  if (upper < unlimited) reader_.limits_.push_back({.name = fmt::format("signal.{}.upper", name_)});
  if (lower > -unlimited) reader_.limits_.push_back({.name = fmt::format("signal.{}.lower", name_)});
}

NodeIndex SignalBlocks::mode_is(expressions::StateInput::Kind kind, std::size_t limit) {
  return reader_.formulas().input({.kind = kind, .of = -1, .index = static_cast<std::uint32_t>(limit)});
}

/// The output within its limits. Where a limit keeps the integral such that the output stays there, it is the limit, and
/// the state of the integral does not matter.
NodeIndex SignalBlocks::at_limits(NodeIndex u, double lower, double upper, std::size_t first_limit) {
  NodeIndex out = limited(u, lower, upper);
  std::size_t k = first_limit;
  const auto keep = [&](double at) {
    out = add(Code::select, mode_is(expressions::StateInput::Kind::kept, k++), constant(at), out);
  };
  if (upper < unlimited) keep(upper);
  if (lower > -unlimited) keep(lower);
  return out;
}

/// (b_n s^n + … + b_0)/(a_n s^n + … + a_0), coefficients from the highest power on: ẋ = A x + e_n u in the controllable
/// form, y = C x + D u with D = b_n/a_n.
std::optional<NodeIndex> SignalBlocks::transfer_function(MapReader& map) {
  const auto read = [&](std::string_view key) -> std::vector<double> {
    const auto given = map.require(key, "its coefficients, from the highest power of s on");
    const auto list = given ? read_numbers(*given) : std::nullopt;
    if (!list || list->empty()) {
      good_ = false;
      return {1};
    }
    return *list;
  };
  std::vector<double> b = read("numerator"), a = read("denominator");
  const double initial = number(map, "initial", 0);
  if (!good_) return std::nullopt;
  if (a.front() == 0) {
    map.value().error("the first coefficient of the denominator is 0", "Begin with that of the highest power.");
    return std::nullopt;
  }
  while (b.size() > 1 && b.front() == 0) b.erase(b.begin());
  if (b.size() > a.size()) {
    map.value().error(fmt::format("the numerator has degree {}, the denominator {}", b.size() - 1, a.size() - 1),
                      "It would differentiate its input: give the denominator the same degree or a higher one.");
    return std::nullopt;
  }
  const std::size_t n = a.size() - 1;
  b.insert(b.begin(), a.size() - b.size(), 0.0);
  const double leading = a.front();
  for (double& x : b) x /= leading;
  for (double& x : a) x /= leading;
  const double through = b[0];
  std::vector<NodeIndex> x(n);
  std::vector<std::size_t> numbers(n);
  // At rest at the start: only the first state is not zero.
  const double c0 = n > 0 ? b[n] - a[n] * through : 0;
  if (initial != 0 && c0 == 0) {
    map.value().error("the start value cannot be given: at rest the output does not depend on the states",
                      "Leave 'initial' out.");
    return std::nullopt;
  }
  for (std::size_t k = 0; k < n; ++k)
    x[k] = state(fmt::format("x{}", k), k == 0 && initial != 0 ? initial / c0 : 0, numbers[k]);
  NodeIndex y = constant(0);
  for (std::size_t k = 0; k < n; ++k)
    y = add(Code::add, y, add(Code::multiply, constant(b[n - k] - a[n - k] * through), x[k]));
  if (through == 0) give_(y);
  const std::optional<NodeIndex> u = input(map);
  if (!u) return std::nullopt;
  NodeIndex last = *u;
  for (std::size_t k = 0; k < n; ++k) last = add(Code::subtract, last, add(Code::multiply, constant(a[n - k]), x[k]));
  for (std::size_t k = 0; k < n; ++k) set_rate(numbers[k], k + 1 < n ? x[k + 1] : last);
  return through == 0 ? y : add(Code::add, y, add(Code::multiply, constant(through), *u));
}

std::optional<NodeIndex> SignalBlocks::integrator(MapReader& map) {
  std::size_t i = 0;
  const NodeIndex integral = state("integral", number(map, "initial", 0), i);
  give_(integral);
  const std::optional<NodeIndex> u = input(map);
  if (!u) return std::nullopt;
  set_rate(i, *u);
  return integral;
}

std::optional<NodeIndex> SignalBlocks::limiter(MapReader& map) {
  const double lower = number(map, "lower", -unlimited), upper = number(map, "upper", unlimited);
  const std::optional<NodeIndex> u = input(map);
  if (!u || !check_limits(map, lower, upper)) return std::nullopt;
  return limited(*u, lower, upper);
}

/// The input at an earlier time. If the input is a function of time, that is the function at the earlier time, from t =
/// 0 on. If it depends on the state, states approximate it (delayed_by_states).
std::optional<NodeIndex> SignalBlocks::delay(MapReader& map) {
  const auto given = map.require("time", "how much later the input comes out, s");
  const std::optional<double> time = given ? read_number(*given, "s") : std::nullopt;
  const bool is_good = time && *time > 0;
  if (time && !is_good) given->unexpected("a number in s greater than 0");
  if (const auto order = map.find("order")) {
    const double n = number(map, "order", 0), initial = number(map, "initial", 0);
    if (good_ && (n != std::floor(n) || n < 1 || n > highest_order)) {
      order->unexpected(fmt::format("a whole number from 1 to {}", highest_order));
      return std::nullopt;
    }
    if (!is_good || !good_) return std::nullopt;
    return delayed_by_states(map, *time, static_cast<std::size_t>(n), initial);
  }
  map.forbid("initial", "of a delay without 'order' the input before t = 0 is that at t = 0");
  const std::optional<NodeIndex> u = input(map);
  if (!is_good || !u) return std::nullopt;
  if (!reader_.formulas().of_time_alone(*u)) {
    map.value().error(
        "the input of this delay depends on the state: earlier states are no part of the state that the equations of "
        "motion, linear models and results start from",
        fmt::format("Give 'order', from 1 to {}: the delay is then approximated by as many states, up to angular "
                    "frequencies of about order/time.",
                    highest_order));
    return std::nullopt;
  }
  const NodeIndex earlier = add(Code::maximum, add(Code::subtract, reader_.time(), constant(*time)), constant(0));
  const NodeIndex by[] = {earlier};
  return reader_.formulas().graph.replaced(*u, by);
}

/// The Padé approximation [n/n] of exp(-sT), as the wave that comes back from a ladder: with y = sT/2 it is
/// (1 - z)/(1 + z), z being the continued fraction of tanh(y), 1/(1/y + 1/(3/y + 1/(5/y + ...))), ended after n terms.
/// As a network: coils in parallel with what follows, y i_k = (2k - 1) V_k for odd k, and capacitors in series with
/// what follows, y v_k = (2k - 1) I_k for even k; u goes in with V + I = 2u, and (I - V)/2 comes out. So all numbers
/// are of one size whatever the order is, unlike the coefficients of the fraction. An odd order lets -u through at
/// once, an even one u: no algebraic loop is closed by it.
std::optional<NodeIndex> SignalBlocks::delayed_by_states(MapReader& map, double time, std::size_t n, double initial) {
  const std::optional<NodeIndex> u = input(map);
  if (!u) return std::nullopt;
  std::vector<NodeIndex> x(n);
  std::vector<std::size_t> numbers(n);
  // At rest with a steady input all of the current goes through the first coil.
  for (std::size_t k = 0; k < n; ++k) x[k] = state(fmt::format("x{}", k), k == 0 ? 2 * initial : 0, numbers[k]);
  NodeIndex currents = constant(0), voltages = constant(0);
  for (std::size_t k = 0; k < n; ++k) {
    NodeIndex& sum = k % 2 == 0 ? currents : voltages;
    sum = add(Code::add, sum, x[k]);
  }
  const NodeIndex in = add(Code::multiply, constant(2), *u);
  NodeIndex current = currents, voltage = voltages;
  (n % 2 == 1 ? voltage : current) = add(Code::subtract, in, n % 2 == 1 ? currents : voltages);
  const NodeIndex out = add(Code::multiply, constant(0.5), add(Code::subtract, current, voltage));
  NodeIndex left_current = current, left_voltage = voltage;  // of what follows the elements so far
  for (std::size_t k = 0; k < n; ++k) {
    const double factor = (2 * static_cast<double>(k) + 1) * 2 / time;
    const bool is_coil = k % 2 == 0;
    set_rate(numbers[k], add(Code::multiply, constant(factor), is_coil ? left_voltage : left_current));
    NodeIndex& left = is_coil ? left_current : left_voltage;
    left = add(Code::subtract, left, x[k]);
  }
  return out;
}

/// Holds its input from each instant k T to the next. All samplers of one interval take their inputs at once, so one
/// that samples another delays it by one interval.
std::optional<NodeIndex> SignalBlocks::sampler(MapReader& map) {
  const auto given = map.require("interval", "the time from one sample to the next, s");
  const std::optional<double> interval = given ? read_number(*given, "s") : std::nullopt;
  const double initial = number(map, "initial", 0);
  if (interval && !(*interval > 0)) {
    given->unexpected("a number in s greater than 0");
    return std::nullopt;
  }
  const std::size_t sample = reader_.samples_.size();
  reader_.samples_.push_back(
      {fmt::format("signal.{}.held", name_), interval.value_or(1), initial, constant(initial), constant(initial)});
  const NodeIndex held = reader_.formulas().input(
      {.kind = expressions::StateInput::Kind::held, .of = -1, .index = static_cast<std::uint32_t>(sample)});
  give_(held);
  const std::optional<NodeIndex> u = input(map);
  if (!interval || !u) return std::nullopt;
  reader_.samples_[sample].input = reader_.samples_[sample].start = *u;
  return held;
}

/// What another program gives. It may depend on anything, so it counts as a value of the state.
std::optional<NodeIndex> SignalBlocks::external(MapReader& map) {
  map.forbid("input", "another program gives the value");
  const auto given = std::make_shared<expressions::GivenValue>(name_, number(map, "initial", 0));
  expressions::Formulas& formulas = reader_.formulas();
  formulas.given.push_back(given);
  return formulas.input({.kind = expressions::StateInput::Kind::given,
                         .of = -1,
                         .index = static_cast<std::uint32_t>(formulas.given.size() - 1)});
}

std::optional<NodeIndex> SignalBlocks::table(MapReader& map) {
  const auto inputs = map.find("input");
  if (inputs && inputs->node().kind == Node::Kind::list) return surface(map, *inputs);
  const std::optional<NodeIndex> u = input(map);
  const std::optional<expressions::Table> rows = read_plain_table(map);
  if (!u || !rows) return std::nullopt;
  return reader_.formulas().graph.table(*rows, *u);
}

/// {input: [a, b], x: […], y: […], table: rows of x with columns of y}, bilinear.
std::optional<NodeIndex> SignalBlocks::surface(MapReader& map, const Value& inputs) {
  expressions::Surface s;
  const auto read = [&](std::string_view key, std::vector<double>& out) {
    const auto given = map.require(key, "the rows of the table in this input");
    const auto list = given ? read_numbers(*given) : std::nullopt;
    if (!list) return false;
    out = *list;
    if (out.size() > 1) return check_increasing(*given, out);
    given->unexpected("at least two increasing numbers");
    return false;
  };
  bool good = read("x", s.x);
  good = read("y", s.y) && good;
  const auto rows = map.require("table", "a row for each x, in it a number for each y");
  if (inputs.node().items.size() != 2) {
    inputs.unexpected("one input, or a list of two");
    return std::nullopt;
  }
  const std::optional<NodeIndex> a = reader_.operand(inputs.item(0)), b = reader_.operand(inputs.item(1));
  if (!good || !rows || !a || !b || !is_list(*rows, "rows of numbers")) return std::nullopt;
  if (rows->node().items.size() != s.x.size()) {
    rows->unexpected(fmt::format("{} rows, one for each of x", s.x.size()));
    return std::nullopt;
  }
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    const auto row = read_numbers(rows->item(i));
    if (!row) return std::nullopt;
    if (row->size() != s.y.size()) {
      rows->item(i).unexpected(fmt::format("{} numbers, one for each of y", s.y.size()));
      return std::nullopt;
    }
    s.z.insert(s.z.end(), row->begin(), row->end());
  }
  return reader_.formulas().graph.surface(std::move(s), *a, *b);
}

}  // namespace polyform::host::inline reading
