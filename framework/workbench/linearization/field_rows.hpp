// Fields as rates of the independent states, and states near a point where they are taken.
#pragma once

#include <vector>

#include "framework/workbench/linearization/motion_fields.hpp"
#include "framework/workbench/linearization/point_model.hpp"

namespace polyform::host::inline linearization {

/// Finds a closed state near the nominal one. It deviates by `size` scales, or by less where no state closes so far
/// away. The same seed gives the same direction. False if there is none.
bool place_near(const PointModel&, double size, unsigned seed, CanonicalState& out);

/// Rates of the independent states along fields, at states of a probe.
class FieldRows {
 public:
  FieldRows(const PointModel& model, const MotionFields& fields)
      : model_(model), fields_(fields), rates_(model.coordinates()) {}

  /// Along a field with these rates. out: one per independent state.
  void evaluate(const FieldRates&, const CanonicalState&, const ChartRates&, double* out);
  /// Along the field of this number.
  void evaluate(std::size_t field, const CanonicalState&, const ChartRates&, double* out);

 private:
  const PointModel& model_;
  const MotionFields& fields_;
  CanonicalState scratch_;
  std::vector<double> rates_;
};

}  // namespace polyform::host::linearization
