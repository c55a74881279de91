#include "framework/host/expressions/parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <numbers>
#include <span>

#include "framework/diagnostics.hpp"

namespace polyform::host::inline expressions {

namespace {

using Make = NodeIndex (*)(Graph&, std::span<const NodeIndex>);
struct Function {
  std::string_view name;
  std::size_t least, most;
  Make make;
  std::string_view arguments;
};

template <Code code>
NodeIndex one(Graph& g, std::span<const NodeIndex> a) {
  return g.add(code, a[0]);
}
template <Code code>
NodeIndex fold(Graph& g, std::span<const NodeIndex> a) {
  NodeIndex result = a[0];
  for (const NodeIndex next : a.subspan(1)) result = g.add(code, result, next);
  return result;
}
NodeIndex clamp(Graph& g, std::span<const NodeIndex> a) {
  return g.add(Code::maximum, g.add(Code::minimum, a[0], a[2]), a[1]);
}
NodeIndex ceiling(Graph& g, std::span<const NodeIndex> a) {
  return g.add(Code::negate, g.add(Code::floor, g.add(Code::negate, a[0])));
}
NodeIndex nearest_whole(Graph& g, std::span<const NodeIndex> a) {
  return g.add(Code::floor, g.add(Code::add, a[0], g.constant(0.5)));
}
NodeIndex modulo(Graph& g, std::span<const NodeIndex> a) {
  const NodeIndex turns = g.add(Code::floor, g.add(Code::divide, a[0], a[1]));
  return g.add(Code::subtract, a[0], g.add(Code::multiply, a[1], turns));
}
/// step(x): 0 before zero, 1 from there on. step(x, x0, h0, x1, h1): h0 up to x0, h1 from x1 on, the cubic without
/// slope at either end between.
NodeIndex step(Graph& g, std::span<const NodeIndex> a) {
  if (a.size() == 1) return g.add(Code::step, a[0]);
  const NodeIndex width = g.add(Code::subtract, a[3], a[1]);
  const NodeIndex part = g.add(Code::divide, g.add(Code::subtract, a[0], a[1]), width);
  const NodeIndex bounds[] = {part, g.constant(0), g.constant(1)};
  const NodeIndex u = clamp(g, bounds);
  const NodeIndex cubic = g.add(Code::multiply, g.add(Code::multiply, u, u),
                                g.add(Code::subtract, g.constant(3), g.add(Code::multiply, g.constant(2), u)));
  return g.add(Code::add, a[2], g.add(Code::multiply, g.add(Code::subtract, a[4], a[2]), cubic));
}

constexpr std::size_t any = 1000;
const Function functions[] = {
    {"sin", 1, 1, one<Code::sine>, "x"},
    {"cos", 1, 1, one<Code::cosine>, "x"},
    {"tan", 1, 1, one<Code::tangent>, "x"},
    {"asin", 1, 1, one<Code::arc_sine>, "x"},
    {"acos", 1, 1, one<Code::arc_cosine>, "x"},
    {"atan", 1, 1, one<Code::arc_tangent>, "x"},
    {"atan2", 2, 2, fold<Code::arc_tangent2>, "y, x"},
    {"sinh", 1, 1, one<Code::hyperbolic_sine>, "x"},
    {"cosh", 1, 1, one<Code::hyperbolic_cosine>, "x"},
    {"tanh", 1, 1, one<Code::hyperbolic_tangent>, "x"},
    {"asinh", 1, 1, one<Code::area_sine>, "x"},
    {"acosh", 1, 1, one<Code::area_cosine>, "x"},
    {"atanh", 1, 1, one<Code::area_tangent>, "x"},
    {"exp", 1, 1, one<Code::exponential>, "x"},
    {"log", 1, 1, one<Code::logarithm>, "x"},
    {"ln", 1, 1, one<Code::logarithm>, "x"},
    {"log10", 1, 1, one<Code::decimal_logarithm>, "x"},
    {"sqrt", 1, 1, one<Code::square_root>, "x"},
    {"cbrt", 1, 1, one<Code::cube_root>, "x"},
    {"abs", 1, 1, one<Code::absolute>, "x"},
    {"sign", 1, 1, one<Code::sign>, "x"},
    {"floor", 1, 1, one<Code::floor>, "x"},
    {"ceil", 1, 1, ceiling, "x"},
    {"round", 1, 1, nearest_whole, "x"},
    {"mod", 2, 2, modulo, "x, period"},
    {"pow", 2, 2, fold<Code::power>, "x, exponent"},
    {"hypot", 2, any, fold<Code::hypotenuse>, "x, y, ..."},
    {"min", 1, any, fold<Code::minimum>, "x, y, ..."},
    {"max", 1, any, fold<Code::maximum>, "x, y, ..."},
    {"clamp", 3, 3, clamp, "x, least, greatest"},
    {"step", 1, 5, step, "x, or x, x0, h0, x1, h1"},
    {"if", 3, 3, [](Graph& g, std::span<const NodeIndex> a) { return g.add(Code::select, a[0], a[1], a[2]); },
     "condition, then, else"}};

std::string suggestion(std::string_view wrong, const std::vector<std::string_view>& known) {
  const std::string_view near = nearest_name(wrong, known);
  return near.empty() ? std::string{} : fmt::format("Did you mean '{}'? ", near);
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// A recursive descent: condition, comparison, sum, product, power, and terms that stand alone.
class Descent {
 public:
  Descent(std::string_view text, std::uint32_t formula, Graph& graph, Vocabulary& words)
      : text_(text), formula_(formula), graph_(graph), words_(words) {}

  NodeIndex whole() {
    skip();
    if (at_ == text_.size()) refuse(0, "the expression is empty", "Write one, such as \"2*k/50\".");
    const NodeIndex result = choice();
    skip();
    if (at_ < text_.size())
      refuse(at_, fmt::format("found '{}' where an operator or the end should be", character()),
             "Operators are + - * / ^ < <= > >= == != and or not, and c ? a : b.");
    return result;
  }

 private:
  static constexpr std::size_t deepest = 200;  ///< levels of nesting, so that no text exhausts the stack
  static constexpr std::size_t longest = 100'000;

  [[noreturn]] static void refuse(std::size_t at, std::string message, std::string remedy = {}) {
    throw ExpressionError{at, std::move(message), std::move(remedy)};
  }
  std::string_view character() const {
    std::size_t length = 1;  // of a character of several bytes
    while (at_ + length < text_.size() && (static_cast<unsigned char>(text_[at_ + length]) & 0xC0u) == 0x80u) ++length;
    return text_.substr(at_, length);
  }
  void skip() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  bool take(std::string_view what) {
    skip();
    if (!text_.substr(at_).starts_with(what)) return false;
    const std::size_t end = at_ + what.size();
    if (is_letter(what.back()) && end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) return false;
    at_ = end;
    return true;
  }
  NodeIndex make(Code code, std::size_t begin, NodeIndex a, NodeIndex b = 0, NodeIndex c = 0) {
    mark(begin);
    return graph_.add(code, a, b, c);
  }
  void mark(std::size_t begin) {
    graph_.at({formula_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)});
  }

  NodeIndex choice() {
    if (++depth_ > deepest) refuse(at_, "the expression is nested too deeply", "Split it with parameters or signals.");
    skip();
    const std::size_t begin = at_;
    const NodeIndex condition = either();
    NodeIndex result = condition;
    if (take("?")) {
      const NodeIndex yes = choice();
      if (!take(":")) refuse(at_, "expected ':' of a choice c ? a : b", "Write c ? a : b, or if(c, a, b).");
      const NodeIndex no = choice();
      result = make(Code::select, begin, condition, yes, no);
    }
    --depth_;
    return result;
  }
  NodeIndex either() {
    const std::size_t begin = (skip(), at_);
    NodeIndex result = both();
    while (take("or") || take("||")) {
      const NodeIndex next = both();
      result = make(Code::disjunction, begin, result, next);
    }
    return result;
  }
  NodeIndex both() {
    const std::size_t begin = (skip(), at_);
    NodeIndex result = opposite();
    while (take("and") || take("&&")) {
      const NodeIndex next = opposite();
      result = make(Code::conjunction, begin, result, next);
    }
    return result;
  }
  NodeIndex opposite() {
    const std::size_t begin = (skip(), at_);
    std::size_t times = 0;
    while (take("not") || (!text_.substr(at_).starts_with("!=") && take("!"))) ++times;
    NodeIndex result = comparison();
    for (; times > 0; --times) result = make(Code::invert, begin, result);
    return result;
  }
  NodeIndex comparison() {
    const std::size_t begin = (skip(), at_);
    const NodeIndex left = sum();
    skip();
    const auto compared = [&](Code code, bool turned) {
      const NodeIndex right = sum();
      return turned ? make(code, begin, right, left) : make(code, begin, left, right);
    };
    NodeIndex result = left;
    if (take("<="))
      result = compared(Code::less_equal, false);
    else if (take(">="))
      result = compared(Code::less_equal, true);
    else if (take("=="))
      result = compared(Code::equal, false);
    else if (take("!="))
      result = make(Code::invert, begin, compared(Code::equal, false));
    else if (take("<"))
      result = compared(Code::less, false);
    else if (take(">"))
      result = compared(Code::less, true);
    else
      return left;
    skip();
    if (at_ < text_.size() && (text_[at_] == '<' || text_[at_] == '>' || text_[at_] == '='))
      refuse(at_, "a second comparison follows the first", "Join comparisons with 'and': 0 < x and x < 1.");
    return result;
  }
  NodeIndex sum() {
    const std::size_t begin = (skip(), at_);
    NodeIndex result = product();
    for (;;) {
      const Code code = take("+") ? Code::add : take("-") ? Code::subtract : Code::constant;
      if (code == Code::constant) return result;
      const NodeIndex next = product();
      result = make(code, begin, result, next);
    }
  }
  NodeIndex product() {
    const std::size_t begin = (skip(), at_);
    NodeIndex result = signed_power();
    for (;;) {
      skip();
      const bool is_power = text_.substr(at_).starts_with("**");
      const Code code = is_power    ? Code::constant
                        : take("*") ? Code::multiply
                        : take("/") ? Code::divide
                                    : Code::constant;
      if (code == Code::constant) return result;
      const NodeIndex next = signed_power();
      result = make(code, begin, result, next);
    }
  }
  /// A sign binds less than a power: -2^2 is -4, and 2^-1 is 0.5.
  NodeIndex signed_power() {
    const std::size_t begin = (skip(), at_);
    bool negative = false;
    for (;;) {
      if (take("-"))
        negative = !negative;
      else if (!take("+"))
        break;
    }
    const NodeIndex result = power();
    return negative ? make(Code::negate, begin, result) : result;
  }
  NodeIndex power() {
    const std::size_t begin = (skip(), at_);
    const NodeIndex base = alone();
    if (!take("^") && !take("**")) return base;
    if (++depth_ > deepest) refuse(at_, "the expression is nested too deeply", "Split it with parameters or signals.");
    const NodeIndex exponent = signed_power();
    --depth_;
    return make(Code::power, begin, base, exponent);
  }
  NodeIndex alone() {
    skip();
    const std::size_t begin = at_;
    if (at_ == text_.size()) refuse(at_, "the expression ends where a value should follow", "Complete it.");
    if (text_.size() > longest) refuse(0, "the expression is longer than 100000 characters", "Split it.");
    if (take("(")) {
      const NodeIndex inner = choice();
      if (!take(")")) refuse(at_, "expected ')'", fmt::format("It closes the '(' of character {}.", begin + 1));
      return inner;
    }
    if (is_digit(text_[at_]) || text_[at_] == '.') return number();
    if (is_letter(text_[at_])) return word();
    refuse(at_, fmt::format("found '{}' where a value should be", character()),
           "A value is a number, a name, a function or an expression in parentheses.");
  }
  NodeIndex number() {
    double x = 0;
    const char* const end = text_.data() + text_.size();
    const auto [stop, problem] = std::from_chars(text_.data() + at_, end, x);
    if (problem != std::errc() || !std::isfinite(x)) refuse(at_, "this is no number", "Write such as 0.5 or 1e-3.");
    const std::size_t begin = at_;
    at_ = static_cast<std::size_t>(stop - text_.data());
    if (at_ < text_.size() && is_letter(text_[at_]))
      refuse(at_, fmt::format("found '{}' right behind a number", character()),
             "Write a product with '*', such as 2*k; units are not read.");
    mark(begin);
    return graph_.constant(x);
  }
  NodeIndex word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    skip();
    if (at_ < text_.size() && text_[at_] == '(') return function(name, begin);
    mark(begin);
    if (const auto known = words_.value(name, begin)) return *known;
    if (name == "pi") return graph_.constant(std::numbers::pi);
    unknown(name, begin, false);
  }
  [[noreturn]] void unknown(std::string_view name, std::size_t begin, bool is_function) {
    if (const std::string why = words_.why_not(name); !why.empty()) refuse(begin, why, words_.hint());
    if (const auto one = std::ranges::find(functions, name, &Function::name); one != std::end(functions))
      refuse(begin, fmt::format("'{}' is a function and stands here without arguments", name),
             fmt::format("Write {}({}).", name, one->arguments));
    std::vector<std::string_view> all = words_.known();
    const std::vector<std::string_view>& numeric = function_names();
    all.insert(all.end(), numeric.begin(), numeric.end());
    all.push_back("pi");
    refuse(begin, fmt::format("there is no {} '{}'", is_function ? "function" : "name", name),
           suggestion(name, all) + words_.hint());
  }
  NodeIndex function(std::string_view name, std::size_t begin) {
    ++at_;  // (
    if (words_.takes_names(name)) {
      const std::vector<Vocabulary::Argument> arguments = raw_arguments();
      mark(begin);
      return words_.call(name, begin, arguments);
    }
    const auto known = std::ranges::find(functions, name, &Function::name);
    if (known == std::end(functions)) unknown(name, begin, true);
    std::vector<NodeIndex> arguments;
    do arguments.push_back(choice());
    while (take(","));
    if (!take(")"))
      refuse(at_, fmt::format("expected ')' or ',' in {}(…)", name),
             character() == "=" ? "Equality is written ==." : "");
    const bool two_forms = name == "step" && arguments.size() != 1 && arguments.size() != 5;
    if (arguments.size() < known->least || arguments.size() > known->most || two_forms)
      refuse(begin, fmt::format("{} is given {} argument{}", name, arguments.size(), arguments.size() == 1 ? "" : "s"),
             fmt::format("Write {}({}).", name, known->arguments));
    if (name == "clamp") check_order(begin, arguments[1], arguments[2], "the least value of clamp", "its greatest");
    if (name == "step" && arguments.size() == 5)
      check_order(begin, arguments[1], arguments[3], "the begin of step, x0,", "its end, x1");
    mark(begin);
    return known->make(graph_, arguments);
  }
  void check_order(std::size_t begin, NodeIndex low, NodeIndex high, std::string_view what, std::string_view other) {
    const GraphNode &a = graph_[low], &b = graph_[high];
    if (a.code != Code::constant || b.code != Code::constant || a.value <= b.value) return;
    refuse(begin, fmt::format("{} is {:.6g}, greater than {}, {:.6g}", what, a.value, other, b.value),
           "Exchange the two.");
  }
  /// Names as they are written, up to a comma or the bracket that closes; in quotes with any characters.
  std::vector<Vocabulary::Argument> raw_arguments() {
    std::vector<Vocabulary::Argument> arguments;
    for (;;) {
      skip();
      std::size_t begin = at_, end = 0;
      if (at_ < text_.size() && (text_[at_] == '\'' || text_[at_] == '"')) {
        const char quote = text_[at_];
        begin = ++at_;
        end = std::min(text_.find(quote, at_), text_.size());
        at_ = std::min(end + 1, text_.size());
        skip();
      } else {
        at_ = end = std::min(text_.find_first_of(",)", at_), text_.size());
        while (end > begin && is_blank(text_[end - 1])) --end;
      }
      if (begin == end) refuse(begin, "expected a name", "Name a joint, a body or a signal of the model.");
      arguments.push_back({text_.substr(begin, end - begin), begin});
      if (take(")")) return arguments;
      if (!take(",")) refuse(at_, "expected ')' or ','", "It closes the arguments.");
    }
  }

  std::string_view text_;
  std::uint32_t formula_;
  Graph& graph_;
  Vocabulary& words_;
  std::size_t at_ = 0, depth_ = 0;
};

}  // namespace

const std::vector<std::string_view>& function_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const Function& f : functions) all.push_back(f.name);
    return all;
  }();
  return names;
}

NodeIndex parse_expression(std::string_view text, std::uint32_t formula, Graph& graph, Vocabulary& words) {
  return Descent(text, formula, graph, words).whole();
}

}  // namespace polyform::host::inline expressions
