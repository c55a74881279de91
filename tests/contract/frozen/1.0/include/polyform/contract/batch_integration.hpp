// Many worlds integrated together: an interface of IntegratorType, by query.
//
// A batch of integrators goes forward in as many lanes as the system has, each with a time, a step size and an error of
// its own: what a lane does is what a single integrator would do with that world, to rounding, and depends on no other
// lane. The lanes share the evaluations of the derivative, which the system makes for all of them at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "polyform/contract/batch_evaluation.hpp"
#include "polyform/contract/integrator.hpp"

namespace polyform {

/// ẏ = f(t, y) of all lanes. It belongs to the host and outlives the integrator. Numbers stand as in BatchInput.
class BatchSystem {
 public:
  virtual std::size_t lanes() const noexcept = 0;
  /// The system of a lane alone, with its correction and its failures. All have the same sizes.
  virtual FirstOrderSystem& world(std::size_t lane) noexcept = 0;
  /// The derivatives of all active lanes. done says in which lanes they were found and are finite; for any other lane
  /// the world's failure() says why not. in.y has size() × lanes numbers, out.ydot as well; out.power is not used.
  virtual void derivatives(const BatchInput& in, BatchOutput& out) noexcept = 0;

 protected:
  ~BatchSystem() = default;
};

/// What became of a lane in BatchIntegrator::step.
enum class LaneStep : std::uint8_t {
  none,      ///< it had nothing to do
  repeated,  ///< the step was rejected; the next call tries it again
  done,      ///< a step was accepted
  failed     ///< Integrator::failure() of the lane says why
};

/// Nothing allocates or throws after it is made.
class BatchIntegrator {
 public:
  /// The integrator of a lane, as the host would use one alone. Its step() goes to the end of a step without the other
  /// lanes; if step() of the batch has already done that step, or failed in it, the lane's step() gives that result.
  virtual Integrator& lane(std::size_t lane) noexcept = 0;
  /// Forgets what the lane has learned of its last world. The settings are those of the next world, which start()
  /// begins.
  virtual void begin_world(std::size_t lane, const StepSettings&) noexcept = 0;
  /// Tries one step in each lane, no further than the lane's limit; a lane whose limit is not above its time rests.
  virtual void step(std::span<const double> t_limit, std::span<LaneStep> out) noexcept = 0;
  virtual void destroy() noexcept = 0;  ///< frees the object where it was made

 protected:
  ~BatchIntegrator() = default;
};

/// IntegratorType::query(BatchIntegration::interface_name).
class BatchIntegration {
 public:
  static constexpr std::string_view interface_name = "polyform.batch_integration.1";

  /// Integrators for the lanes of the system, or nullptr if memory ran out. options: one value per
  /// IntegratorType::fields().
  virtual BatchIntegrator* create(BatchSystem&, Strided<const FieldValue> options) const noexcept = 0;

 protected:
  ~BatchIntegration() = default;
};

}  // namespace polyform
