// Systems whose solution is known, for the checks of integrators.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "polyform/contract/integrator.hpp"
#include "polyform/contract/second_order.hpp"

namespace polyform::host::inline conformance {

/// A system of second order with its solution. It counts the calls of its functions.
class KnownSystem : public FirstOrderSystem, public SecondOrderSystem {
 public:
  virtual ~KnownSystem() = default;
  virtual std::vector<double> solution(double t) const = 0;

  std::size_t size() const noexcept final { return kinds_.size(); }
  std::size_t integrals() const noexcept final { return integrals_; }
  Status derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept final;
  Status correct(double t, std::span<double> y) noexcept final;
  std::string_view failure() const noexcept final { return failure_; }
  void* query(std::string_view asked) noexcept final;
  std::span<const StateKind> kinds() const noexcept final { return kinds_; }
  Status position_rates(double t, std::span<const double> y, std::span<double> ydot) noexcept final;

  std::size_t evaluations = 0, corrections = 0;
  double last_correction = 0;  ///< when the last one was made, s
  double wall = 1e300;         ///< beyond this time nothing can be evaluated, s
  static constexpr std::string_view reason = "the rod is at its end";

 protected:
  KnownSystem(std::vector<StateKind> kinds, std::size_t integrals) : kinds_(std::move(kinds)), integrals_(integrals) {}
  /// Writes all of ydot but the positions.
  virtual void accelerate(double t, std::span<const double> y, std::span<double> ydot) const noexcept = 0;
  /// Writes the rates of the positions.
  virtual void move(std::span<const double> y, std::span<double> ydot) const noexcept = 0;
  virtual void remove_drift(std::span<double>) const noexcept {}

 private:
  std::vector<StateKind> kinds_;
  std::size_t integrals_;
  std::string_view failure_;
};

/// Two bodies that attract each other, in a plane: y = [x y ẋ ẏ], an ellipse of the eccentricity 0.05 with the period
/// 2π.
class Ellipse final : public KnownSystem {
 public:
  Ellipse();
  std::vector<double> solution(double t) const override;

 private:
  void accelerate(double t, std::span<const double> y, std::span<double> ydot) const noexcept override;
  void move(std::span<const double> y, std::span<double> ydot) const noexcept override;
};

/// A disc with a damper and a drive, and a state that follows it: y = [cos θ, sin θ, θ̇, x, ∫]. The rate of θ̇ depends
/// on time and on θ̇, that of x on all; the last state is an integral. The correction keeps the first two on the unit
/// circle.
class DrivenDisc final : public KnownSystem {
 public:
  DrivenDisc();
  std::vector<double> solution(double t) const override;

 private:
  void accelerate(double t, std::span<const double> y, std::span<double> ydot) const noexcept override;
  void move(std::span<const double> y, std::span<double> ydot) const noexcept override;
  void remove_drift(std::span<double> y) const noexcept override;
};

/// A ball that falls, y = [z ż]. up: its weight acts upwards.
class Fall final : public KnownSystem {
 public:
  Fall();
  std::vector<double> solution(double t) const override;
  bool up = false;

 private:
  void accelerate(double t, std::span<const double> y, std::span<double> ydot) const noexcept override;
  void move(std::span<const double> y, std::span<double> ydot) const noexcept override;
};

/// A system without states, in which only time goes on.
class Nothing final : public KnownSystem {
 public:
  Nothing() : KnownSystem({}, 0) {}
  std::vector<double> solution(double) const override { return {}; }

 private:
  void accelerate(double, std::span<const double>, std::span<double>) const noexcept override {}
  void move(std::span<const double>, std::span<double>) const noexcept override {}
};

}  // namespace polyform::host::conformance
