#include "carried_force.hpp"

#include <algorithm>
#include <new>

#include "polyform/helpers/completed.hpp"
#include "polyform/helpers/guarded.hpp"

namespace polyform {
namespace {

/// Checks the batch's memory itself, so that a breach is blamed on the batch's own plugin.
class CarriedBatch final : public ForceBatch {
 public:
  CarriedBatch(ForceBatch& batch, std::span<const CarriedForce::Turn> turns, std::size_t markers,
               std::size_t velocities)
      : batch_(batch),
        turns_(turns),
        markers_(markers),
        wrenches_(guarded<Spatial>(markers)),
        efforts_(guarded<double>(velocities)) {}

  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t k = 0; k < markers_.size(); ++k) copy_known(in.markers, k, markers_[k]);
    for (const CarriedForce::Turn& turn : turns_) markers_[turn.marker].R = in.markers[turn.marker].R * turn.R;
    const std::span<Spatial> wrenches = between(wrenches_);
    const std::span<double> efforts = between(efforts_);
    std::ranges::fill(wrenches, Spatial{});
    std::ranges::fill(efforts, 0.0);
    ForceInput turned = in;
    turned.markers = markers_;
    ForceOutput given{.wrenches = wrenches, .efforts = efforts, .state_rates = out.state_rates};
    const unsigned control = floating_point_control();
    batch_.evaluate(turned, given);
    check_breach(control, &batch_, "force", wrenches_, efforts_);
    std::ranges::copy(wrenches, out.wrenches.begin());
    std::ranges::copy(efforts, out.efforts.begin());
    out.potential_energy = given.potential_energy;
    out.power = given.power;
  }
  void initial_states(std::span<double> states) const noexcept override { batch_.initial_states(states); }
  void* query(std::string_view asked) noexcept override { return batch_.query(asked); }
  void destroy() noexcept override {
    batch_.destroy();
    delete this;
  }

 private:
  ForceBatch& batch_;
  std::span<const CarriedForce::Turn> turns_;
  std::vector<MarkerMotion> markers_;
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
