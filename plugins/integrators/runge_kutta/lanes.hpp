// What the methods have in common that step many worlds together: a face of each lane as an integrator of its own.
#pragma once

#include <optional>
#include <vector>

#include "lane_arithmetic.hpp"
#include "polyform/contract/batch_integration.hpp"
#include "polyform/helpers/step_by_step.hpp"

namespace polyform::runge_kutta {

class LaneBatch;

/// One lane, as the host sees it.
class Lane final : public Integrator, public FailedStep {
 public:
  Lane(LaneBatch& batch, std::size_t number, std::size_t size)
      : batch_(batch), number_(number), now(size), next(size) {}

  Status start(double t, std::span<const double> y) noexcept override;
  Status restart(double t, std::span<const double> y, double first_step) noexcept override;
  Status step(double t_limit) noexcept override;
  Status state_at(double t, std::span<double> y) noexcept override;
  std::span<const double> state() const noexcept override { return now; }
  double time() const noexcept override { return end; }
  double previous_time() const noexcept override { return begin; }
  std::size_t rejected() const noexcept override { return given_up; }
  std::string_view failure() const noexcept override { return why.text(); }
  StepFailure failed_step() const noexcept override { return failed; }
  void* query(std::string_view asked) noexcept override {
    return asked == FailedStep::interface_name ? static_cast<FailedStep*>(this) : nullptr;
  }
  void destroy() noexcept override {}  // the batch owns it

 private:
  LaneBatch& batch_;
  std::size_t number_;

 public:
  double begin = 0, end = 0;  ///< of the last step
  std::size_t given_up = 0;
  StepSettings settings;
  std::vector<double> now;  ///< at the end, corrected
  // For a step of the batch that the host has not taken yet:
  std::optional<LaneStep> result;
  double next_end = 0;
  std::vector<double> next;  ///< the state there
  Sentence why;              ///< of the last failure
  StepFailure failed = StepFailure::other;
};

/// A method for all lanes. Arrays hold the numbers of all lanes as BatchInput does.
class LaneBatch : public BatchIntegrator {
 public:
  explicit LaneBatch(BatchSystem&);

  Integrator& lane(std::size_t number) noexcept final { return lanes_[number]; }
  void begin_world(std::size_t number, const StepSettings& settings) noexcept final {
    lanes_[number].settings = complete(settings);
  }
  void step(std::span<const double> t_limit, std::span<LaneStep> out) noexcept final;
  void destroy() noexcept final { delete this; }

 protected:
  virtual ~LaneBatch() = default;

  // What a method does:
  virtual void start(std::size_t lane, double t) noexcept = 0;
  virtual void restart(std::size_t lane, double t, double first_step) noexcept = 0;
  /// One try in each lane that steps() marks, to the limits; sets its result, or leaves it to a further try.
  virtual void try_steps(std::span<const double> t_limit) noexcept = 0;
  virtual Status interpolate(std::size_t lane, double t, std::span<double> y) noexcept = 0;

  std::size_t lanes() const { return lanes_.size(); }
  Lane& of(std::size_t lane) { return lanes_[lane]; }
  std::size_t at(std::size_t number, std::size_t lane) const { return number * lanes_.size() + lane; }
  bool steps(std::size_t lane) const { return steps_[lane] != 0; }
  void put(std::size_t lane, std::span<const double> from, LaneNumbers& to) const noexcept;
  /// The same. True if any number differs from the one in `before`.
  bool put_changed(std::size_t lane, std::span<const double> from, const LaneNumbers& before,
                   LaneNumbers& to) const noexcept;
  void get(std::size_t lane, const LaneNumbers& from, std::span<double> to) const noexcept;
  void copy(std::size_t lane, const LaneNumbers& from, LaneNumbers& to) const noexcept;
  /// The derivatives of the lanes that are marked, in which done says whether they were found.
  void find_rates(std::span<const std::uint8_t> active, std::span<const double> t, const LaneNumbers& y,
                  LaneNumbers& rates) noexcept;
  bool found(std::size_t lane) const { return done_[lane] != 0; }
  /// Sets the lane's result. A failure with the words of its system, or others.
  void fail(std::size_t lane) noexcept { fail(lane, system_.world(lane).failure()); }
  void fail(std::size_t lane, std::string_view why, StepFailure = StepFailure::other) noexcept;
  /// The step has come to its end, with the state in Lane::next.
  void finish(std::size_t lane, double end) noexcept;

  BatchSystem& system_;
  std::size_t size_;

 private:
  friend class Lane;
  Status step_alone(std::size_t lane, double t_limit) noexcept;

  std::vector<Lane> lanes_;
  std::vector<std::uint8_t> steps_, done_;
  LaneNumbers limits_;  ///< of one lane alone
  std::vector<LaneStep> results_;
};

}  // namespace polyform::runge_kutta
