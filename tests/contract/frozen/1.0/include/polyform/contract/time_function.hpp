// Functions of time, as a model may give them wherever a force, effort or motion takes a number.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace polyform {

/// Plain data; the table is owned by the host and outlives every solver of the model. The structure is frozen: a
/// function of a later kind is `other` and gives its values through `source`.
struct TimeFunction {
  enum class Kind : std::int32_t { constant, polynomial, ramp, sine, linear_table, cubic_table, other };

  Kind kind = Kind::constant;
  double constant = 0;                  ///< constant
  std::span<const double> data;         ///< polynomial: c0, c1, …; tables: t0, x0, t1, x1, … with t increasing;
                                        ///< cubic: t, x, x″ triples (natural spline)
  double rate = 0, start = 0, end = 0;  ///< ramp: 0 before start, rate (t − start) between, held after end
  double amplitude = 0, frequency = 0, phase = 0, offset = 0;  ///< sine: offset + amplitude sin(2π frequency t + phase)

  struct Value {
    double value, rate, acceleration;  ///< the function and its first two derivatives in time
  };
  /// A function that the host computes by code. It outlives every solver of the model and may be asked from any thread.
  class Source {
   public:
    virtual Value value(double t) const noexcept = 0;
    virtual double next_knot(double t) const noexcept = 0;  ///< as below
    virtual double shortest_time() const noexcept = 0;      ///< as below
    /// A further ability by name, or nullptr: a new ability is a new interface, never a new virtual function here.
    virtual const void* query(std::string_view interface_name) const noexcept {
      (void)interface_name;
      return nullptr;
    }

   protected:
    ~Source() = default;
  };
  const Source* source = nullptr;  ///< of `other`

  /// Value and two derivatives at t; tables are held constant outside their range.
  Value operator()(double t) const noexcept;
  /// The first time after t at which the function or one of its first two derivatives jumps, or at which a row of a
  /// table lies, s; infinity if there is none. An integrator stops and begins anew there.
  double next_knot(double t) const noexcept;
  /// The shortest time in which the function does something: its period, or the shortest distance of two knots, s;
  /// infinity if it has none.
  double shortest_time() const noexcept;
  bool is_constant() const noexcept { return kind == Kind::constant; }
};

}  // namespace polyform
