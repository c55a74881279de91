// One instance of an FMU, as both versions of the interface and both kinds see it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/fmi/directional.hpp"
#include "apps/fmi/fixed_values.hpp"
#include "apps/fmi/input_values.hpp"
#include "framework/host/simulation/simulate.hpp"

namespace polyform::fmi {

/// How far an instance has come; each call of the standard belongs to some of them.
enum class Stage : std::int32_t { made, initializing, running, terminated };

/// The state of an instance, for getting and setting it and for files.
struct InstanceState {
  host::RunState run;
  std::vector<double> parameters;   ///< those of the model
  std::vector<double> starts;       ///< place and value of each start that was set
  std::vector<double> inputs;       ///< value, rate and acceleration of each
  std::vector<std::int32_t> signs;  ///< of the event functions, of model exchange
  Stage stage = Stage::made;
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
  /// Σ ∂unknown/∂known · seed (Directional). Warns of those of which less than six digits are known. Failure
  /// (bad_input) for a known that is neither a state nor an input.
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
  double fixed_value(const Variable&, std::size_t reference);
  /// The inputs of the motion and its time, if it has begun.
  const std::vector<LiveInput>* told_inputs() const;
  double told_time() const;
  Motion& motion();
  void expect(Kind) const;
  Directional::Direction direction(std::span<const std::size_t> knowns, std::span<const double> seed);

  std::string resources_;
  Settings settings_;
  const host::Catalog* catalog_ = nullptr;
  std::shared_ptr<const void> libraries_;
  std::unique_ptr<FmuModel> shown_, own_;  ///< the model with its own parameters; the one with those that were set
  std::unique_ptr<FixedValues> fixed_;
  InputValues inputs_;
  std::optional<double> stop_, tolerance_;
  std::unique_ptr<Stepping> stepping_;
  std::unique_ptr<Continuous> continuous_;
  bool initialized_ = false;
};

}  // namespace polyform::fmi
