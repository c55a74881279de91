#include "framework/host/expressions/tape.hpp"

#include <optional>

namespace polyform::host::inline expressions {

namespace {

using Kind = Tape::Kind;
using Instruction = Tape::Instruction;

/// Writes the instructions in the order of the operations.
class TapeWriter {
 public:
  TapeWriter(std::span<const Operation> operations, std::span<const std::uint32_t> roots, std::uint32_t first_constant,
             std::span<const double> constants)
      : operations_(operations),
        constants_(constants),
        first_constant_(first_constant),
        first_(first_constant + static_cast<std::uint32_t>(constants.size())),
        is_within_(operations.size()) {
    count_uses(roots);
  }

  std::vector<Instruction> write() {
    for (std::size_t k = 0; k < operations_.size(); ++k) take_products_in(operations_[k]);
    for (std::uint32_t k = 0; k < operations_.size(); ++k) {
      if (is_within_[k]) continue;
      Instruction made = instruction(k);
      made.out = first_ + k;
      before_ = made.out;
      out_.push_back(made);
    }
    return std::move(out_);
  }

 private:
  void count_uses(std::span<const std::uint32_t> roots) {
    uses_.assign(operations_.size(), 0);
    const auto use = [&](std::uint32_t reg) {
      if (reg >= first_) ++uses_[reg - first_];
    };
    for (const Operation& o : operations_) {
      const std::size_t operands = registers_of(o.code);
      if (operands > 0) use(o.a);
      if (operands > 1) use(o.b);
      if (operands > 2) use(o.c);
    }
    for (const std::uint32_t root : roots) use(root);
  }
  static std::size_t registers_of(Code code) {
    return code == Code::table || code == Code::knot ? 1 : operand_count(code);
  }
  /// Whether the register is a product that only this operation needs.
  bool is_product(std::uint32_t reg) const {
    return reg >= first_ && operations_[reg - first_].code == Code::multiply && uses_[reg - first_] == 1;
  }
  bool is_within(std::uint32_t reg) const { return reg >= first_ && is_within_[reg - first_]; }
  /// Marks the products that a sum, a difference or a product forms by itself. A product that contains another product
  /// is not among them.
  void take_products_in(const Operation& o) {
    const auto is_plain = [&](std::uint32_t reg) {
      if (!is_product(reg)) return false;
      const Operation& product = operations_[reg - first_];
      return !is_within(product.a) && !is_within(product.b);
    };
    if (o.code == Code::add || o.code == Code::subtract) {
      if (is_plain(o.a)) is_within_[o.a - first_] = true;
      if (is_plain(o.b)) is_within_[o.b - first_] = true;
    } else if (o.code == Code::multiply) {
      if (is_plain(o.a))
        is_within_[o.a - first_] = true;
      else if (is_plain(o.b))
        is_within_[o.b - first_] = true;
    }
  }
  const Operation& product(std::uint32_t reg) const { return operations_[reg - first_]; }
  std::optional<double> constant(std::uint32_t reg) const {
    if (reg < first_constant_ || reg >= first_) return std::nullopt;
    return constants_[reg - first_constant_];
  }

  Instruction instruction(std::uint32_t k) const {
    const Operation& o = operations_[k];
    switch (o.code) {
      case Code::add: return sum(o);
      case Code::subtract: return difference(o);
      case Code::multiply: return product_of(o);
      case Code::divide:
        if (o.a == before_ && o.b != before_) return {.kind = Kind::divide_pr, .b = o.b};
        if (o.b == before_ && o.a != before_) return {.kind = Kind::divide_rp, .a = o.a};
        return {.kind = Kind::divide_rr, .a = o.a, .b = o.b};
      case Code::power: return {.kind = power_kind(constant(o.b)), .a = o.a, .b = o.b};
      case Code::hypotenuse: return {.kind = Kind::hypotenuse, .a = o.a, .b = o.b};
      case Code::minimum: return {.kind = Kind::minimum, .a = o.a, .b = o.b};
      case Code::maximum: return {.kind = Kind::maximum, .a = o.a, .b = o.b};
      case Code::less: return {.kind = Kind::less, .a = o.a, .b = o.b};
      case Code::select: return {.kind = Kind::select, .a = o.a, .b = o.b, .c = o.c};
      case Code::negate: return {.kind = Kind::negate, .a = o.a};
      case Code::absolute: return {.kind = Kind::absolute, .a = o.a};
      case Code::sine: return {.kind = Kind::sine, .a = o.a};
      case Code::cosine: return {.kind = Kind::cosine, .a = o.a};
      case Code::exponential: return {.kind = Kind::exponential, .a = o.a};
      case Code::square_root: return {.kind = Kind::square_root, .a = o.a};
      case Code::hyperbolic_tangent: return {.kind = Kind::hyperbolic_tangent, .a = o.a};
      default: return {.kind = Kind::other, .a = k};
    }
  }
  static Kind power_kind(std::optional<double> exponent) {
    if (!exponent) return Kind::power;
    if (*exponent == 2) return Kind::square;
    if (*exponent == 3) return Kind::cube;
    if (*exponent == 4) return Kind::fourth_power;
    if (*exponent == -1) return Kind::inverse;
    if (*exponent == 0.5) return Kind::square_root;
    if (*exponent == 1.5) return Kind::root_of_cube;
    return Kind::power;
  }
  Instruction sum(const Operation& o) const {
    const bool first = is_within(o.a), second = is_within(o.b);
    if (first && second) return both(Kind::add_mm, o);
    if (first || second) {
      const Operation& m = product(first ? o.a : o.b);
      const std::uint32_t other = first ? o.b : o.a;
      return {.kind = other == before_ ? Kind::add_mp : Kind::add_mr, .a = m.a, .b = m.b, .c = other};
    }
    if (o.a == before_ && o.b != before_) return {.kind = Kind::add_pr, .b = o.b};
    if (o.b == before_ && o.a != before_) return {.kind = Kind::add_pr, .b = o.a};
    return {.kind = Kind::add_rr, .a = o.a, .b = o.b};
  }
  Instruction difference(const Operation& o) const {
    const bool first = is_within(o.a), second = is_within(o.b);
    if (first && second) return both(Kind::subtract_mm, o);
    if (first) {
      const Operation& m = product(o.a);
      return {.kind = o.b == before_ ? Kind::subtract_mp : Kind::subtract_mr, .a = m.a, .b = m.b, .c = o.b};
    }
    if (second) {
      const Operation& m = product(o.b);
      return {.kind = o.a == before_ ? Kind::subtract_pm : Kind::subtract_rm, .a = m.a, .b = m.b, .c = o.a};
    }
    if (o.a == before_ && o.b != before_) return {.kind = Kind::subtract_pr, .b = o.b};
    if (o.b == before_ && o.a != before_) return {.kind = Kind::subtract_rp, .a = o.a};
    return {.kind = Kind::subtract_rr, .a = o.a, .b = o.b};
  }
  Instruction product_of(const Operation& o) const {
    const bool first = is_within(o.a);
    if (first || is_within(o.b)) {
      const Operation& m = product(first ? o.a : o.b);
      const std::uint32_t other = first ? o.b : o.a;
      return {.kind = other == before_ ? Kind::multiply_mp : Kind::multiply_mr, .a = m.a, .b = m.b, .c = other};
    }
    if (o.a == before_ && o.b != before_) return {.kind = Kind::multiply_pr, .b = o.b};
    if (o.b == before_ && o.a != before_) return {.kind = Kind::multiply_pr, .b = o.a};
    return {.kind = Kind::multiply_rr, .a = o.a, .b = o.b};
  }
  Instruction both(Kind kind, const Operation& o) const {
    const Operation &x = product(o.a), &y = product(o.b);
    return {.kind = kind, .a = x.a, .b = x.b, .c = y.a, .d = y.b};
  }

  std::span<const Operation> operations_;
  std::span<const double> constants_;
  std::uint32_t first_constant_, first_;
  std::uint32_t before_ = static_cast<std::uint32_t>(-1);  ///< the register of the preceding result
  std::vector<std::uint32_t> uses_;
  std::vector<bool> is_within_;  ///< formed by the operation that needs it
  std::vector<Instruction> out_;
};

}  // namespace

Tape::Tape(std::span<const Operation> operations, std::span<const std::uint32_t> roots, std::uint32_t first_constant,
           std::span<const double> constants)
    : instructions_(TapeWriter(operations, roots, first_constant, constants).write()) {}

}  // namespace polyform::host::inline expressions
