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
  item_ = &item;
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

std::optional<Value> SignalBlocks::given_input(MapReader& map) {
  return map.require("input", "the expression that goes into the signal");
}

std::optional<NodeIndex> SignalBlocks::input(MapReader& map) {
  const auto given = given_input(map);
  return given ? reader_.operand(*given) : std::nullopt;
}

void SignalBlocks::read_input_later(MapReader& map, std::function<void(SignalBlocks&, NodeIndex)> use) {
  const auto given = given_input(map);
  if (!given) return;
  // The path of `given` leads through the map, which ends before.
  const Value lasting(given->node(), Path{&item_->path(), given->path().key}, given->report(), given->scope());
  reader_.waiting_.push_back([blocks = *this, input = lasting, use = std::move(use)]() mutable {
    if (const std::optional<NodeIndex> u = blocks.reader_.operand(input)) use(blocks, *u);
  });
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

/// The rate of the input, where it follows from the expression; nothing after a report.
std::optional<NodeIndex> SignalBlocks::rate_of_input(MapReader& map) {
  const std::optional<NodeIndex> e = input(map);
  if (!e) return std::nullopt;
  const NodeIndex rate = reader_.formulas().rate(*e);
  if (rate != expressions::Graph::none) return rate;
  map.value().error(
      "a pid with kd needs the rate of its input, which does not follow from the input: that bends, jumps, "
      "or reads more than t, q(joint) and x, y, z of bodies",
      "Give it as an expression, rate: \"-v(pin)\", or the time constant of a filter, filter: 0.01 (s), "
      "which takes the derivative.");
  return std::nullopt;
}

/// The integral of a pid and the limits of what it is a part of.
struct SignalBlocks::Integral {
  std::size_t state;
  double gain;
  NodeIndex node;  ///< the gain times the state
  double lower, upper;
  std::size_t first_limit;
};

/// u = kp e + ki ∫ e dt + kd ė with e the input; ė from its expression, or by a filter of first order, ḟ = (e − f)/T.
/// When u is at a limit, the integral does not grow beyond it (conditional integration, see formula_limits.hpp).
std::optional<NodeIndex> SignalBlocks::pid(MapReader& map) {
  const double kp = number(map, "kp", 0), ki = number(map, "ki", 0), kd = number(map, "kd", 0);
  const double filter = number(map, "filter", 0), filter_initial = number(map, "filter_initial", 0);
  const double initial = number(map, "initial", 0);
  const double lower = number(map, "lower", -unlimited), upper = number(map, "upper", unlimited);
  check_limits(map, lower, upper);
  if (!map.find("kp") && !map.find("ki") && !map.find("kd")) {
    map.value().error("a pid without gains gives nothing", "Give kp, ki or kd.");
    return std::nullopt;
  }
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
  if (const auto start = map.find("filter_initial"); start && !map.find("filter")) {
    start->error("the start of a filter is given, but no filter", "Give filter, its time constant in s, or remove it.");
    return std::nullopt;
  }
  std::optional<NodeIndex> rate;
  if (kd != 0 && !map.find("filter")) {
    rate = given_rate ? reader_.operand(*given_rate) : rate_of_input(map);
    if (!rate) return std::nullopt;
  } else if (kd != 0 && !(filter > 0)) {
    map.find("filter")->unexpected("a time constant, positive, s");
    return std::nullopt;
  }
  if (!good_) return std::nullopt;
  std::size_t i = 0;
  const NodeIndex integral = ki != 0 ? state("integral", initial, i) : 0;
  const auto with_rate = [&](NodeIndex u) {
    return rate ? add(Code::add, u, add(Code::multiply, constant(kd), *rate)) : u;
  };
  const Integral part{i,     ki,    ki != 0 ? add(Code::multiply, constant(ki), integral) : constant(0),
                      lower, upper, reader_.limits_.size()};
  if (ki != 0) define_limits(lower, upper);
  const auto output = [&](NodeIndex u) {
    return at_limits(add(Code::add, u, part.node), lower, upper, part.first_limit);
  };
  // An integral alone does not follow from the input at the same instant.
  if (ki != 0 && kp == 0 && (kd == 0 || given_rate)) {
    const NodeIndex u = with_rate(constant(0));
    read_input_later(map, [part, u](SignalBlocks& blocks, NodeIndex e) { blocks.integrate(part, e, u); });
    return output(u);
  }
  const std::optional<NodeIndex> e = input(map);
  if (!e || !good_) return std::nullopt;
  NodeIndex u = with_rate(add(Code::multiply, constant(kp), *e));
  if (kd != 0 && !rate) {
    std::size_t f = 0;
    const NodeIndex filtered = state("filter", filter_initial, f);
    const NodeIndex slope = add(Code::divide, add(Code::subtract, *e, filtered), constant(filter));
    set_rate(f, slope);
    u = add(Code::add, u, add(Code::multiply, constant(kd), slope));
  }
  if (ki == 0) return limited(u, lower, upper);
  integrate(part, *e, u);
  return output(u);
}

/// Sets the rate of the integral of the error; without: the output without the integral.
void SignalBlocks::integrate(const Integral& integral, NodeIndex error, NodeIndex without) {
  NodeIndex growth = error;
  std::size_t k = integral.first_limit;
  // With the sign that is positive beyond the limit.
  const auto limit_growth = [&](double at, double sign) {
    const auto signed_node = [&](NodeIndex node) { return add(Code::multiply, constant(sign), node); };
    const NodeIndex of_others = signed_node(add(Code::subtract, without, constant(at)));
    expressions::FormulaLimit& limit = reader_.limits_[k];
    limit.beyond = add(Code::add, of_others, signed_node(integral.node));
    limit.push = add(Code::multiply, constant(sign * integral.gain), error);
    limit.without = of_others;
    limit.state = integral.state;
    limit.gain = sign * integral.gain;
    growth = add(Code::select, within(k++), growth, constant(0));
  };
  if (integral.upper < unlimited) limit_growth(integral.upper, 1);
  if (integral.lower > -unlimited) limit_growth(integral.lower, -1);
  set_rate(integral.state, growth);
}

void SignalBlocks::define_limits(double lower, double upper) {
  if (upper < unlimited) reader_.limits_.push_back({.name = fmt::format("signal.{}.upper", name_)});
  if (lower > -unlimited) reader_.limits_.push_back({.name = fmt::format("signal.{}.lower", name_)});
}

/// 1 while the limit leaves its integral alone, else 0.
NodeIndex SignalBlocks::within(std::size_t limit) {
  return reader_.formulas().input(
      {.kind = expressions::StateInput::Kind::within, .of = -1, .index = static_cast<std::uint32_t>(limit)});
}

/// The output within its limits. Unless all limits leave the integral alone the output is at one, and what it would be
/// without limits does not matter: its rounding would pass the limit again and again.
NodeIndex SignalBlocks::at_limits(NodeIndex u, double lower, double upper, std::size_t first_limit) {
  NodeIndex out = u;
  std::size_t k = first_limit;
  const auto stay = [&](double at) { out = add(Code::select, within(k++), out, constant(at)); };
  if (upper < unlimited) stay(upper);
  if (lower > -unlimited) stay(lower);
  return limited(out, lower, upper);
}

std::optional<NodeIndex> SignalBlocks::limiter(MapReader& map) {
  const double lower = number(map, "lower", -unlimited), upper = number(map, "upper", unlimited);
  const std::optional<NodeIndex> u = input(map);
  if (!map.find("lower") && !map.find("upper")) {
    map.value().error("a limiter without limits changes nothing", "Give lower or upper.");
    return std::nullopt;
  }
  if (!u || !check_limits(map, lower, upper)) return std::nullopt;
  return limited(*u, lower, upper);
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
