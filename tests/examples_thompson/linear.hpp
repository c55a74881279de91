// Linear models of the examples.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "framework/host/reading/reader.hpp"
#include "framework/workbench/linearization/linearize.hpp"
#include "framework/workbench/linearization/modes.hpp"
#include "tests/examples_thompson/example.hpp"

namespace polyform::test {

inline host::Linearization linear_model(const host::System& system, const Formulation& formulation,
                                        const std::vector<std::string>& inputs = {"none"}) {
  host::OperatingPoint point;
  point.state = host::CanonicalState(system.initial_state());
  host::LinearRequest request;
  request.inputs = host::select_inputs(host::input_fields(system.view(), 0), inputs);
  host::Diagnostics diagnostics;
  host::Description storage;
  const std::vector<FieldValue> options =
      host::read_options(formulation.options(), {}, formulation.name(), storage, diagnostics);
  return host::linearize(
      system, [&](const SystemView& view) { return host::compile(formulation, view, options); }, point, request);
}

/// Eigenvalues other than zero; of a pair the one with positive imaginary part.
inline std::vector<std::complex<double>> eigenvalues(const host::Linearization& linear) {
  std::vector<std::complex<double>> out;
  for (const host::Mode& mode : host::find_modes(linear.A.value, linear.A.error, linear.scales).all)
    if (mode.kind != host::Mode::Kind::rigid) out.push_back(mode.eigenvalue);
  return out;
}
/// How far the nearest of them is, relative to what is looked for.
inline double distance_to(const std::vector<std::complex<double>>& found, std::complex<double> wanted) {
  double best = 1e300;
  for (const std::complex<double>& value : found) best = std::min(best, std::abs(value - wanted) / std::abs(wanted));
  return best;
}

}  // namespace polyform::test
