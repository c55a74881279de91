// The operations of a program for plain numbers, with fewer and shorter steps.
//
// An operation whose operand is the result of the one before takes it from a variable instead of from memory; a product
// that is needed once is formed within the sum that needs it; a power with a fixed exponent 2, 3, 4, -1, 0.5 or 1.5 is
// products, a quotient and a root. Each number is rounded as by the operations one by one. Only these powers differ
// from those by std::pow, by some units in the last place at most.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/host/expressions/scalar.hpp"

namespace polyform::host::inline expressions {

/// An operation between registers; the results of all stand one after the other.
struct Operation {
  Code code;
  std::uint32_t a, b, c;  ///< registers; of a table its index
};

class Tape {
 public:
  /// What an instruction does. r: a register, p: the result before, m: a product of two registers.
  enum class Kind : std::uint8_t {
    other,
    add_rr,
    add_pr,
    subtract_rr,
    subtract_pr,
    subtract_rp,
    multiply_rr,
    multiply_pr,
    divide_rr,
    divide_pr,
    divide_rp,
    add_mr,
    add_mp,
    add_mm,
    subtract_mr,
    subtract_mp,
    subtract_rm,
    subtract_pm,
    subtract_mm,
    multiply_mr,
    multiply_mp,
    square,
    cube,
    fourth_power,
    inverse,
    root_of_cube,
    square_root,
    negate,
    absolute,
    sine,
    cosine,
    exponential,
    hyperbolic_tangent,
    power,
    hypotenuse,
    minimum,
    maximum,
    less,
    select
  };
  struct Instruction {
    Kind kind = Kind::other;
    std::uint32_t a = 0, b = 0, c = 0, d = 0;  ///< registers; of `other` a is the number of the operation
    std::uint32_t out = 0;
  };

  Tape() = default;
  /// constants: values of the registers from first_constant on; the results stand after them.
  Tape(std::span<const Operation>, std::span<const std::uint32_t> roots, std::uint32_t first_constant,
       std::span<const double> constants);

  /// other(number of an operation): the result of an operation that has no instruction here.
  template <class Other>
  void run(double* w, const Other& other) const noexcept;

 private:
  std::vector<Instruction> instructions_;
};

template <class Other>
void Tape::run(double* const w, const Other& other) const noexcept {
  double p = 0;
  for (const Instruction& i : instructions_) {
    switch (i.kind) {
      case Kind::add_rr: p = w[i.a] + w[i.b]; break;
      case Kind::add_pr: p = p + w[i.b]; break;
      case Kind::subtract_rr: p = w[i.a] - w[i.b]; break;
      case Kind::subtract_pr: p = p - w[i.b]; break;
      case Kind::subtract_rp: p = w[i.a] - p; break;
      case Kind::multiply_rr: p = w[i.a] * w[i.b]; break;
      case Kind::multiply_pr: p = p * w[i.b]; break;
      case Kind::divide_rr: p = divide(w[i.a], w[i.b]); break;
      case Kind::divide_pr: p = divide(p, w[i.b]); break;
      case Kind::divide_rp: p = divide(w[i.a], p); break;
      case Kind::add_mr: p = w[i.a] * w[i.b] + w[i.c]; break;
      case Kind::add_mp: p = w[i.a] * w[i.b] + p; break;
      case Kind::add_mm: p = w[i.a] * w[i.b] + w[i.c] * w[i.d]; break;
      case Kind::subtract_mr: p = w[i.a] * w[i.b] - w[i.c]; break;
      case Kind::subtract_mp: p = w[i.a] * w[i.b] - p; break;
      case Kind::subtract_rm: p = w[i.c] - w[i.a] * w[i.b]; break;
      case Kind::subtract_pm: p = p - w[i.a] * w[i.b]; break;
      case Kind::subtract_mm: p = w[i.a] * w[i.b] - w[i.c] * w[i.d]; break;
      case Kind::multiply_mr: p = w[i.a] * w[i.b] * w[i.c]; break;
      case Kind::multiply_mp: p = w[i.a] * w[i.b] * p; break;
      case Kind::square: p = w[i.a] * w[i.a]; break;
      case Kind::cube: p = w[i.a] * w[i.a] * w[i.a]; break;
      case Kind::fourth_power: {
        const double square = w[i.a] * w[i.a];
        p = square * square;
        break;
      }
      case Kind::inverse: p = divide(1, w[i.a]); break;
      case Kind::root_of_cube: p = w[i.a] * std::sqrt(w[i.a]); break;
      case Kind::square_root: p = std::sqrt(w[i.a]); break;
      case Kind::negate: p = -w[i.a]; break;
      case Kind::absolute: p = std::abs(w[i.a]); break;
      case Kind::sine: p = std::sin(w[i.a]); break;
      case Kind::cosine: p = std::cos(w[i.a]); break;
      case Kind::exponential: p = std::exp(w[i.a]); break;
      case Kind::hyperbolic_tangent: p = std::tanh(w[i.a]); break;
      case Kind::power: p = raise(w[i.a], w[i.b]); break;
      case Kind::hypotenuse: p = hypotenuse(w[i.a], w[i.b]); break;
      case Kind::minimum: p = binary(Code::minimum, w[i.a], w[i.b]); break;
      case Kind::maximum: p = binary(Code::maximum, w[i.a], w[i.b]); break;
      case Kind::less: p = binary(Code::less, w[i.a], w[i.b]); break;
      case Kind::select: p = choose(w[i.a], w[i.b], w[i.c]); break;
      case Kind::other: p = other(i.a); break;
      default: __builtin_unreachable();  // saves the check of the range in each instruction
    }
    w[i.out] = p;
  }
}

}  // namespace polyform::host::inline expressions
