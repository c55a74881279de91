// All modules of a system, for every formulation: from motions to the modules' equations and the rows that tie them to
// the bodies.
#pragma once

#include <deque>

#include "polyform/mechanics/constraint_set.hpp"

namespace polyform {

class ModuleSet {
 public:
  /// One module. The spans are those of the view and of this object, valid as long as both.
  struct Module {
    /// What its rows ask of markers and joints, in the form of a constraint element: its A is C of the module. The part
    /// of the rows in the module's own variables is not in it.
    ConstraintSet::Element rows;
    std::size_t variables = 0;
    std::size_t u = 0;  ///< first of its variables among the first-order states of the system
    /// A state that is the time integral of a variable: whatever moves positions also moves this state.
    struct Integral {
      std::size_t state;     ///< among the first-order states of the system
      std::size_t variable;  ///< of the module
    };
    std::vector<Integral> integrals;
    bool is_integrated(std::size_t variable) const;
    // Set by evaluate; meanings as in ModuleOutput.
    std::span<const double> M, f, A;
    std::span<const Spatial> wrenches;
    std::span<const double> efforts;
  };

  /// Makes the batches of all module types of the system. good() tells whether all could be made.
  /// origin: the point from which positions of the frames count.
  explicit ModuleSet(const SystemView&, const Vec3& origin = {});
  ~ModuleSet();
  ModuleSet(const ModuleSet&) = delete;
  ModuleSet& operator=(const ModuleSet&) = delete;

  bool good() const { return good_; }
  bool empty() const { return modules_.empty(); }
  std::span<const Module> modules() const { return modules_; }
  /// From now on evaluations use the discrete states in `discrete`, of all elements of the system, as they stand there
  /// at that time. If it is empty, and before the first call, they use those of the start.
  void follow(std::span<const std::int32_t> discrete) noexcept {
    discrete_ = discrete.empty() ? std::span<const std::int32_t>(initial_) : discrete;
  }
  /// Evaluates all modules. frames: bodies, then nodes; q, v: of all joints; x: first-order states of the system.
  void evaluate(double t, std::span<const BodyMotion> frames, std::span<const double> q, std::span<const double> v,
                std::span<const double> x) noexcept;
  /// Writes ẋ of the modules' further states to their places among those of the system.
  void put_rates(std::span<double> xdot) const noexcept;
  double kinetic_energy() const { return kinetic_energy_; }
  double potential_energy() const { return potential_energy_; }
  double power() const { return power_; }
  /// Writes the starting values of u and x to their places among the first-order states of the system, without the
  /// motion.
  void initial_states(std::span<double> x) const noexcept;
  /// Starting values of states that follow from the initial motion (InitialStates) at time t; the others stay.
  /// Arguments as of evaluate.
  void states_at_start(std::span<const BodyMotion> frames, std::span<const double> q, std::span<const double> v,
                       std::span<double> x, double t = 0) noexcept;

 private:
  struct Batch {
    ModuleBatch* batch;
    Attachments attached;
    std::size_t u, u_count, x, x_count;  ///< among the first-order states
    std::vector<double> numbers;         ///< all numbers that are set to zero before an evaluation
    std::vector<Spatial> spatial;
    ModuleOutput out;
    std::vector<double> ideal;         ///< zeros: efforts of rows without a given force
    std::vector<char> holonomic_rows;  ///< per row of an instance
    std::size_t discrete_offset, discrete_count;
  };
  void add_modules(const SystemView&, const ModuleInstances&, const Batch&);

  std::deque<Batch> batches_;
  std::vector<Module> modules_;
  std::vector<std::int32_t> initial_;       ///< discrete states of the modules at the start
  std::span<const std::int32_t> discrete_;  ///< those of all elements, in use
  bool good_ = true;
  double kinetic_energy_ = 0, potential_energy_ = 0, power_ = 0;
};

}  // namespace polyform
