// Checks whether a solver's results meet the equations of motion, row by row; see polyform/mechanics/balance.hpp for
// the measure.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/host/evaluation/second_opinion.hpp"
#include "polyform/mechanics/balance.hpp"

namespace polyform::host::inline evaluation {

/// A larger imbalance is told: its six digits are fewer than any use of accelerations asks for, and it is far more than
/// the rounding in a system that double precision can carry.
inline constexpr double warned_imbalance = 1e-6;
/// At a larger imbalance no digit of an acceleration is left.
inline constexpr double failed_imbalance = 0.1;
/// If the forces through a body exceed its own inertia force by this ratio, the balance tells too little: ten of
/// sixteen digits are needed for the six of warned_imbalance.
inline constexpr double overshadowing = 1e6;

struct BalanceReport {
  double largest = 0;
  std::string of;              ///< where, such as "body `rod`"; empty if nothing is out of balance
  std::vector<double> bodies;  ///< in the order of the view; empty if they could not be looked at
  std::string warning;         ///< empty if there is none
  double parted = 0;           ///< largest part of accelerations that joints do not allow, see JointCheck
};

class BalanceCheck {
 public:
  /// Checks what this solver observes. Both arguments outlive the object.
  BalanceCheck(const SystemView&, Solver&);

  /// Failure (simulation_failed) if no digit is left.
  void check(double time, const Observation&);
  /// Whether the balance can be looked at. Failing that nothing is checked.
  bool good() const { return balance_.good(); }
  const Balance& balance() const { return balance_; }
  /// The result of the last check.
  BalanceReport report() const;
  /// The largest imbalance of all checks: its part, where, and a warning; none where the run ends with an error that
  /// says the same.
  BalanceReport worst() const;

 private:
  enum class Found { by_forces, by_digits };
  void look_again(double time, const Observation&);
  void ask_solver(double time);
  void note(const Imbalance&, Found, double time);
  std::string place() const;
  std::string sentence() const;
  std::string warning() const;
  std::string untold_warning() const;

  const SystemView& view_;
  Solver& solver_;
  Balance balance_;
  std::unique_ptr<SecondOpinion> opinion_;  ///< made when it is asked for the first time
  std::size_t overshadowed_ = 0,
              asked_at_ = 1;  ///< checks that the balance could not decide; the next of them that gets a second opinion
  Imbalance worst_;
  Found found_ = Found::by_forces;
  double time_ = 0;  ///< when the worst was found
  /// The worst check that neither the balance nor a second opinion could decide: the body, the ratio of the forces
  /// through it to its inertia force, and the time.
  struct Untold {
    std::size_t body = 0;
    double times = 0, time = 0;
    double lost = 0;  ///< error that the solver itself knows of, relative
  } untold_;
  /// The largest relative error that the solver itself told of its accelerations, and the time.
  double known_ = 0, known_time_ = 0;
};

}  // namespace polyform::host::evaluation
