// Vectors, rotations and named symbols of the computer algebra (GiNaC).
#pragma once

#include <ginac/ginac.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "polyform/contract/spatial.hpp"

namespace polyform::apps::formulas {

using GiNaC::ex;
using GiNaC::symbol;

struct Vector {
  std::array<ex, 3> of{0, 0, 0};
  ex& operator[](std::size_t i) { return of[i]; }
  const ex& operator[](std::size_t i) const { return of[i]; }
};
Vector operator+(const Vector&, const Vector&);
Vector operator-(const Vector&, const Vector&);
Vector operator*(const ex&, const Vector&);
Vector cross(const Vector&, const Vector&);
ex dot(const Vector&, const Vector&);

struct Rotation {
  std::array<Vector, 3> rows;
  static Rotation identity() { return {{Vector{{1, 0, 0}}, Vector{{0, 1, 0}}, Vector{{0, 0, 1}}}}; }
  Vector times(const Vector& v) const { return {{dot(rows[0], v), dot(rows[1], v), dot(rows[2], v)}}; }
  Vector back(const Vector& v) const { return v[0] * rows[0] + v[1] * rows[1] + v[2] * rows[2]; }
  Rotation transposed() const;
};

/// A number of the model, exactly: so sums of such numbers do not depend on the order of their terms, which differs
/// from run to run.
ex number(double value);
Vector numbers(const Vec3&);

/// A product of powers of symbols, and its coefficient.
struct Monomial {
  double coefficient = 1;
  struct Power {
    std::size_t symbol;  ///< for Symbols::name()
    unsigned exponent;
    bool operator<(const Power& other) const {
      return symbol != other.symbol ? symbol < other.symbol : exponent > other.exponent;
    }
  };
  std::vector<Power> powers;  ///< by their symbols
};

/// The symbols of a system, by the names that formulas show, with their values at the state.
class Symbols {
 public:
  enum class Kind { parameter, load, velocity, position, intermediate };
  struct Entry {
    symbol name;
    Kind kind;
    double value;
    std::string meaning;
    ex formula;  ///< of an intermediate result
  };
  /// intermediates: sums become symbols of their own, with their formulas, so that nothing grows with the number of
  /// bodies. Without, formulas are expanded whole, as long as that takes no more than a second (TooLarge).
  explicit Symbols(bool intermediates) : intermediates_(intermediates) {}
  struct TooLarge {};

  /// A new symbol; `name` is made one that C takes, and that nothing else has.
  ex add(Kind kind, const std::string& name, double value, std::string meaning);
  /// A parameter of the model; a parameter that is zero stays out of the formulas.
  ex parameter(const std::string& name, double value, std::string meaning);
  Vector parameters(const char* letter, std::string_view owner, const Vec3& value, const std::string& meaning);
  /// cos and sin of an angle, as symbols of their own while formulas are made.
  std::pair<ex, ex> angle(const ex& q);

  const std::vector<Entry>& entries() const { return entries_; }
  std::vector<const Entry*> of(Kind) const;

  /// Expanded, with s² = 1 − c² of every angle. Throws TooLarge.
  ex expanded(const ex&);
  /// The same, and a symbol for it where sums become symbols.
  ex reduced(const ex& e) { return intermediates_ ? kept(expanded(e)) : expanded(e); }
  Vector reduced(const Vector& v) { return {{reduced(v[0]), reduced(v[1]), reduced(v[2])}}; }

  /// The terms of a polynomial, in an order that depends on the names alone: parameters, loads, velocities and
  /// positions as they were added, then intermediate results, cosines and sines.
  std::vector<Monomial> terms(const ex&) const;
  double value(const ex&) const;
  /// As text, or as LaTeX has it.
  std::string name(std::size_t symbol, bool latex) const;
  std::string name_of(const Entry& e, bool latex) const { return name(places_.at(e.name), latex); }

 private:
  struct Circle {
    ex angle;
    symbol cosine, sine;
  };
  ex kept(const ex&);
  double value_of(std::size_t symbol) const;
  Monomial term(const ex&) const;

  bool intermediates_ = false;
  double spent_ = 0;  ///< terms that have been multiplied out
  std::vector<Entry> entries_;
  std::map<ex, ex, GiNaC::ex_is_less> kept_;
  std::vector<Circle> circles_;
  std::set<std::string> taken_;
  std::map<ex, std::size_t, GiNaC::ex_is_less> places_;  ///< what terms are ordered by
};

}  // namespace polyform::apps::formulas
