#include "symbol.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace polyform::tracing {

namespace {

/// What a pivot is given in place of a row that is left out (lane_loops.hpp): greater than anything of a model.
constexpr double without_end = 1e199;

}  // namespace

thread_local Trace* Trace::current = nullptr;

std::size_t Trace::Hash::operator()(const Node& n) const {
  std::uint64_t hash = std::bit_cast<std::uint64_t>(n.value) ^ (std::uint64_t{n.a} << 32 | n.b);
  hash =
      (hash ^ static_cast<std::uint64_t>(n.operation) << 8 ^ static_cast<std::uint64_t>(n.array)) * 0x9e3779b97f4a7c15u;
  return static_cast<std::size_t>(hash ^ hash >> 29);
}

bool Trace::Equal::operator()(const Node& x, const Node& y) const {
  return x.operation == y.operation && x.array == y.array && x.a == y.a && x.b == y.b &&
         std::bit_cast<std::uint64_t>(x.value) == std::bit_cast<std::uint64_t>(y.value);
}

Trace::Trace() {
  current = this;
  add(Node{});  // zero, which every Symbol is that nothing was given to
}

Trace::~Trace() { current = nullptr; }

Symbol Trace::add(const Node& node) {
  const auto [found, is_new] = known_.try_emplace(node, static_cast<std::uint32_t>(nodes_.size()));
  if (is_new) nodes_.push_back(node);
  return Symbol::of(found->second);
}

void Trace::put(Array array, std::size_t place, const Symbol& x) {
  outputs_.push_back({array, static_cast<std::uint32_t>(place), x.node, phase()});
}

Symbol::Symbol(double value)
    : node(value == 0 ? 0 : Trace::now().add({Operation::constant, Array::y, 0, 0, value}).node) {}

Symbol Symbol::input(Array array, std::size_t place) {
  return Trace::now().add({Operation::input, array, static_cast<std::uint32_t>(place), 0, 0});
}

Symbol operator+(const Symbol& a, const Symbol& b) {
  Trace& t = Trace::now();
  if (t.is(a, 0)) return b;
  if (t.is(b, 0)) return a;
  if (t.is(a, Operation::constant) && t.is(b, Operation::constant)) return Symbol(t.value(a) + t.value(b));
  if (t.is(b, Operation::negate)) return a - t.operand(b);
  if (t.is(a, Operation::negate)) return b - t.operand(a);
  return a.node < b.node ? t.add(Operation::add, a, b) : t.add(Operation::add, b, a);
}

Symbol operator-(const Symbol& a, const Symbol& b) {
  Trace& t = Trace::now();
  if (a.node == b.node) return Symbol();
  if (t.is(b, 0)) return a;
  if (t.is(a, 0)) return -b;
  if (t.is(a, Operation::constant) && t.is(b, Operation::constant)) return Symbol(t.value(a) - t.value(b));
  if (t.is(b, Operation::negate)) return a + t.operand(b);
  if (t.is(a, Operation::negate)) return -(t.operand(a) + b);
  return t.add(Operation::subtract, a, b);
}

Symbol operator*(const Symbol& a, const Symbol& b) {
  Trace& t = Trace::now();
  if (t.is(a, 0) || t.is(b, 0)) return Symbol();
  if (t.is(a, 1)) return b;
  if (t.is(b, 1)) return a;
  if (t.is(a, -1)) return -b;
  if (t.is(b, -1)) return -a;
  if (t.is(a, Operation::constant) && t.is(b, Operation::constant)) return Symbol(t.value(a) * t.value(b));
  if (t.is(a, Operation::constant)) return b * a;
  // (x c) d = x (c d)
  if (t.is(b, Operation::constant) && t.is(a, Operation::multiply) && t.is(t.second_operand(a), Operation::constant))
    return t.operand(a) * Symbol(t.value(t.second_operand(a)) * t.value(b));
  if (t.is(a, Operation::negate)) return -(t.operand(a) * b);
  if (t.is(b, Operation::negate)) return -(a * t.operand(b));
  // A constant stands second.
  return a.node < b.node || t.is(b, Operation::constant) ? t.add(Operation::multiply, a, b)
                                                         : t.add(Operation::multiply, b, a);
}

Symbol operator/(const Symbol& a, const Symbol& b) {
  Trace& t = Trace::now();
  if (t.is(a, 0)) return Symbol();
  if (t.is(b, 1)) return a;
  if (t.is(a, Operation::constant) && t.is(b, Operation::constant)) return Symbol(t.value(a) / t.value(b));
  if (t.is(a, Operation::negate)) return -(t.operand(a) / b);
  if (t.is(b, Operation::negate)) return -(a / t.operand(b));
  return t.add(Operation::divide, a, b);
}

Symbol operator-(const Symbol& a) {
  Trace& t = Trace::now();
  if (t.is(a, Operation::constant)) return Symbol(-t.value(a));
  if (t.is(a, Operation::negate)) return t.operand(a);
  return t.add(Operation::negate, a);
}

Symbol abs(const Symbol& a) {
  Trace& t = Trace::now();
  if (t.is(a, Operation::constant)) return Symbol(std::abs(t.value(a)));
  if (t.is(a, Operation::absolute)) return a;
  if (t.is(a, Operation::negate)) return abs(t.operand(a));
  return t.add(Operation::absolute, a);
}

Symbol max(const Symbol& a, const Symbol& b) {
  Trace& t = Trace::now();
  if (a.node == b.node) return a;
  if (t.is(a, Operation::constant) && t.is(b, Operation::constant)) return Symbol(std::max(t.value(a), t.value(b)));
  return t.add(Operation::greater, a, b);
}

Symbol sqrt(const Symbol& a) {
  Trace& t = Trace::now();
  return t.is(a, Operation::constant) ? Symbol(std::sqrt(t.value(a))) : t.add(Operation::root, a);
}

Symbol where_positive(const Symbol& a, const Symbol& b) {
  Trace& t = Trace::now();
  if (t.is(b, 0)) return b;
  if (t.is(a, Operation::constant)) return t.value(a) > 0 ? b : Symbol();
  return t.add(Operation::where_positive, a, b);
}

SymbolMask not_greater(const Symbol& a, const Symbol& b) {
  Trace& t = Trace::now();
  const auto is_endless = [&](const Symbol& x) { return t.is(x, Operation::constant) && t.value(x) >= without_end; };
  if (is_endless(a) || (t.is(a, Operation::add) && (is_endless(t.operand(a)) || is_endless(t.second_operand(a)))))
    return {};
  if (t.is(a, Operation::constant) && t.is(b, Operation::constant) && t.value(a) > t.value(b)) return {};
  t.checks_.push_back({a.node, b.node, t.phase()});
  return {};
}

}  // namespace polyform::tracing
