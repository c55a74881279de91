// Values of tables and their derivatives.
#pragma once

#include "framework/host/expressions/graph.hpp"

namespace polyform::host::inline expressions {

struct TableValue {
  double value = 0, slope = 0, curvature = 0;
};
/// NaN if x is NaN.
TableValue value_of(const Table&, double x) noexcept;
/// The place of x among the rows: the number of the row on it, and linear between two rows. Goes on outside of the
/// range.
double row_number(const Table&, double x) noexcept;

struct SurfaceValue {
  double value = 0, along_x = 0, along_y = 0, mixed = 0;
};
SurfaceValue value_of(const Surface&, double x, double y) noexcept;

/// Fills in the second derivatives of the natural cubic spline, or of the periodic one if the table is periodic.
void make_spline(Table&);

}  // namespace polyform::host::inline expressions
