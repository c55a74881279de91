#include "carried_force.hpp"

#include <algorithm>
#include <new>

#include "polyform/contract/event_law.hpp"
#include "polyform/contract/given_derivatives.hpp"
#include "polyform/contract/initial_states.hpp"
#include "polyform/helpers/completed.hpp"
#include "polyform/helpers/guarded.hpp"
#include "polyform/helpers/law_number.hpp"

namespace polyform {
namespace {

/// Every interface that takes motions of markers is offered with these turned; of the others solvers ask no motion.
/// Checks the batch's memory itself, so that a breach is blamed on the batch's own plugin.
class CarriedBatch final : public ForceBatch,
                           private ForceLaw,
                           private EventLaw,
                           private GivenDerivatives,
                           private InitialStates {
 public:
  CarriedBatch(ForceBatch& batch, std::span<const CarriedForce::Turn> turns, std::size_t markers,
               std::size_t velocities)
      : batch_(batch),
        turns_(turns),
        law_(ask<ForceLaw>(batch)),
        event_law_(ask<EventLaw>(batch)),
        derivatives_(ask<GivenDerivatives>(batch)),
        states_(ask<InitialStates>(batch)),
        markers_(markers),
        told_(LawInput::of_marker * markers),
        wrenches_(guarded<Spatial>(markers)),
        efforts_(guarded<double>(velocities)) {}

  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    const ForceInput here = turned(in);
    const std::span<Spatial> wrenches = between(wrenches_);
    const std::span<double> efforts = between(efforts_);
    std::ranges::fill(wrenches, Spatial{});
    std::ranges::fill(efforts, 0.0);
    ForceOutput given{.wrenches = wrenches, .efforts = efforts, .state_rates = out.state_rates};
    const unsigned control = floating_point_control();
    batch_.evaluate(here, given);
    check_breach(control, &batch_, "force", wrenches_, efforts_);
    std::ranges::copy(wrenches, out.wrenches.begin());
    std::ranges::copy(efforts, out.efforts.begin());
    out.potential_energy = given.potential_energy;
    out.power = given.power;
  }
  void initial_states(std::span<double> states) const noexcept override { batch_.initial_states(states); }
  void* query(std::string_view asked) noexcept override {
    if (asked == ForceLaw::interface_name) return law_ == nullptr ? nullptr : static_cast<ForceLaw*>(this);
    if (asked == EventLaw::interface_name) return event_law_ == nullptr ? nullptr : static_cast<EventLaw*>(this);
    if (asked == GivenDerivatives::interface_name)
      return derivatives_ == nullptr ? nullptr : static_cast<GivenDerivatives*>(this);
    if (asked == InitialStates::interface_name) return states_ == nullptr ? nullptr : static_cast<InitialStates*>(this);
    return batch_.query(asked);
  }
  void destroy() noexcept override {
    batch_.destroy();
    delete this;
  }

 private:
  ForceInput turned(const ForceInput& in) noexcept {
    for (std::size_t k = 0; k < markers_.size(); ++k) copy_known(in.markers, k, markers_[k]);
    for (const CarriedForce::Turn& turn : turns_) markers_[turn.marker].R = in.markers[turn.marker].R * turn.R;
    ForceInput out = in;
    out.markers = markers_;
    return out;
  }
  bool differentiate(const ForceInput& in, std::span<double> matrices) noexcept override {
    return derivatives_->differentiate(turned(in), matrices);
  }
  void states_at_start(const ForceInput& start, std::span<double> u, std::span<double> x) noexcept override {
    states_->states_at_start(turned(start), u, x);
  }

  // The numbers of the law, then the turn of each marker, also of those that have the axes of their frames: which ones
  // these are is then seen in the numbers.
  std::string_view obstacle() const noexcept override { return law_->obstacle(); }
  std::size_t parameter_count() const noexcept override { return law_->parameter_count() + 9 * markers_.size(); }
  void parameters(std::span<double> out) const noexcept override {
    const std::size_t own = law_->parameter_count();
    const Mat3 one = Mat3::identity();
    law_->parameters(out.first(own));
    for (std::size_t k = 0; k < markers_.size(); ++k)
      std::ranges::copy(one.m, out.begin() + static_cast<std::ptrdiff_t>(own + 9 * k));
    for (const CarriedForce::Turn& turn : turns_)
      std::ranges::copy(turn.R.m, out.begin() + static_cast<std::ptrdiff_t>(own + 9 * turn.marker));
  }
  void record(LawRecorder& recorder, const LawInput& in, LawOutput& out) noexcept override {
    law_->record(recorder, told(recorder, in), out);
  }
  void record_events(LawRecorder& recorder, const LawInput& in, std::span<LawIndex> values) noexcept override {
    event_law_->record_events(recorder, told(recorder, in), values);
  }
  LawInput told(LawRecorder& recorder, const LawInput& in) noexcept {
    const std::size_t own = law_->parameter_count();
    std::ranges::copy(in.markers, told_.begin());
    {
      const LawRecording recording(recorder);
      for (std::size_t k = 0; k < markers_.size(); ++k) {
        Matrix3<LawNumber> turn;
        for (std::size_t i = 0; i < 9; ++i) turn.m[i] = in_parameter(in, own + 9 * k + i);
        const Matrix3<LawNumber> R = in_marker(in, k).R * turn;
        for (std::size_t i = 0; i < 9; ++i) told_[LawInput::of_marker * k + i] = R.m[i].index();
      }
    }
    LawInput turned = in;
    turned.parameters = in.parameters.first(own);
    turned.markers = told_;
    return turned;
  }

  ForceBatch& batch_;
  std::span<const CarriedForce::Turn> turns_;
  ForceLaw* law_;  ///< those of the batch; nullptr if it has none
  EventLaw* event_law_;
  GivenDerivatives* derivatives_;
  InitialStates* states_;
  std::vector<MarkerMotion> markers_;
  std::vector<LawIndex> told_;  ///< LawInput::markers, turned
  std::vector<Spatial> wrenches_;
  std::vector<double> efforts_;
};

}  // namespace

ForceBatch* CarriedForce::create(Strided<const ElementInstance>) const noexcept {
  ForceBatch* batch = type_.create(instances_);
  if (batch == nullptr) return nullptr;
  std::size_t markers = 0, velocities = 0;
  for (const ElementInstance& instance : instances_) {
    markers += instance.markers.size();
    for (const JointShape& joint : instance.joints) velocities += joint.nv;
  }
  try {
    return new CarriedBatch(*batch, turns_, markers, velocities);
  } catch (const std::bad_alloc&) {
    batch->destroy();
    return nullptr;
  }
}

}  // namespace polyform
