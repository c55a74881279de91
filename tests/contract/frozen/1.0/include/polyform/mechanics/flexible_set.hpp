// All flexible bodies of a system, for every formulation: from motions to mass matrices and forces of whole bodies.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "polyform/mechanics/body_motion.hpp"

namespace polyform {

/// The equations of each flexible body together with its rigid part (the hub, BodyData), in body axes about the frame
/// origin:
///
///   mass [α; a; η̈] = force + (loads)
///
/// with the absolute angular acceleration α of the body frame and the absolute acceleration a of its origin. The solver
/// adds gravity: mass [0; g; 0].
class FlexibleSet {
 public:
  /// Makes the batches of all flexible types of the system. good() tells whether all could be made.
  explicit FlexibleSet(const SystemView&);
  ~FlexibleSet();
  FlexibleSet(const FlexibleSet&) = delete;
  FlexibleSet& operator=(const FlexibleSet&) = delete;

  bool good() const { return good_; }
  bool empty() const { return bodies_.empty(); }
  /// Evaluates all flexible bodies. bodies: of all bodies at least; eta, etadot: of all modes of the system.
  void evaluate(std::span<const BodyMotion> bodies, const double* eta, const double* etadot) noexcept;

  // For the flexible body i, in the order of SystemView::flexible:
  std::size_t size(std::size_t i) const { return 6 + bodies_[i].modes; }              ///< 6 + m
  std::span<const double> mass(std::size_t i) const { return outputs_of(i).mass; }    ///< (6 + m)², rows first
  std::span<const double> force(std::size_t i) const { return outputs_of(i).force; }  ///< 6 + m
  // For all flexible bodies together:
  double strain_energy() const { return strain_energy_; }  ///< J
  double damping_power() const { return damping_power_; }  ///< W, not positive

 private:
  struct Batch {
    FlexibleBatch* batch;
    std::vector<std::size_t> members;  ///< in SystemView::flexible
    std::vector<FlexibleInput> inputs;
    std::vector<FlexibleOutput> outputs;
  };
  struct Body {
    std::size_t modes, batch, member;
  };
  const FlexibleOutput& outputs_of(std::size_t i) const {
    return batches_[bodies_[i].batch].outputs[bodies_[i].member];
  }
  void add_hub(const BodyData&, const FlexibleInput&, FlexibleOutput&) const noexcept;

  const SystemView& view_;
  std::vector<Batch> batches_;
  std::vector<Body> bodies_;
  std::vector<double> numbers_;
  bool good_ = true;
  double strain_energy_ = 0, damping_power_ = 0;
};

}  // namespace polyform
