// One instance of an FMU, as both versions of the interface and both kinds see it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/fmi/fmu_model.hpp"
#include "framework/host/simulation/simulate.hpp"

namespace polyform::fmi {

/// The state of an instance, for getting and setting it and for files.
struct InstanceState {
  host::RunState run;
  std::vector<double> parameters;   ///< those of the model
  std::vector<double> inputs;       ///< value, rate and acceleration of each
  std::vector<std::int32_t> signs;  ///< of the event functions, of model exchange
  std::vector<std::byte> bytes() const;
  /// Failure (bad_input) if the bytes are not those of bytes().
  static InstanceState from(std::span<const std::byte>);
};

/// The motion of the model in an FMU of one kind.
class Motion {
 public:
  virtual ~Motion() = default;
  virtual double time() const = 0;
  /// The outputs at the present state, by the numbers of their columns.
  virtual std::span<const double> row() = 0;
  /// To be called when the inputs have changed.
  virtual void inputs_changed() = 0;
  virtual void save(InstanceState&) = 0;
  virtual void restore(const InstanceState&) = 0;
};

class Stepping;
class Continuous;

/// All calls throw host::Failure; the C functions turn that into a status.
class Instance {
 public:
  /// resources: the folder of the FMU. Failure if it is not that of an FMU with this token, or the FMU is of the other
  /// kind.
  Instance(const std::string& resources, const std::string& token, Kind);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  /// To be called before the simulation. stop: none if it has no end.
  void set_up(double start, std::optional<double> stop, std::optional<double> tolerance);
  /// From now on, all values except inputs are fixed.
  void finish_initialization();
  /// Puts everything back to its state after construction.
  void reset();

  /// The variable with this value reference. Failure (bad_input) if there is none.
  const Variable& variable(std::size_t reference) const;
  double value(std::size_t reference);
  void set_value(std::size_t reference, double value);
  /// Σ ∂unknown/∂known · seed by central differences of fourth order.
  void differentiate(std::span<const std::size_t> unknowns, std::span<const std::size_t> knowns,
                     std::span<const double> seed, std::span<double> out);
  InstanceState state();
  void set_state(const InstanceState&);

  const FmuModel& model() const { return *shown_; }
  Kind kind() const { return settings_.kind; }
  /// The parts for co-simulation and for model exchange; Failure (bad_input) for an FMU of the other kind. The first
  /// call makes the motion from the model, at its start.
  Stepping& stepping();
  Continuous& continuous();

 private:
  void load_model();
  void load();
  void forget_motion();
  std::vector<double> parameters() const;
  void set_parameters(std::span<const double>);
  Motion& motion();
  void expect(Kind) const;

  std::string resources_;
  Settings settings_;
  const host::Catalog* catalog_ = nullptr;
  std::shared_ptr<const void> libraries_;
  std::unique_ptr<FmuModel> shown_, own_;     ///< the model with its own parameters; the one with those that were set
  std::map<std::string, double> parameters_;  ///< those that were set
  std::vector<double> inputs_;                ///< value, rate and acceleration of each
  std::vector<bool> is_set_;                  ///< whether an input was set; else it starts as the model's parameters say
  std::optional<double> stop_, tolerance_;
  std::unique_ptr<Stepping> stepping_;
  std::unique_ptr<Continuous> continuous_;
  bool initialized_ = false, inputs_wait_ = false;
};

}  // namespace polyform::fmi
