#include "tests/linearization/linear_bench.hpp"

#include "framework/host/reading/reader.hpp"

namespace polyform::test {

host::SolverMaker maker(const Formulation& formulation, const SolverOptions& given) {
  return [&formulation, given](const SystemView& view) {
    host::Diagnostics diagnostics;
    host::Description storage;
    const auto options = host::read_options(formulation.options(), given, formulation.name(), storage, diagnostics);
    return host::compile(formulation, view, options);
  };
}

host::OperatingPoint initial_point(const host::System& system) {
  return {0, host::CanonicalState(system.initial_state()), {}, {}};
}

LinearCase linearize_at(const host::System& system, const Formulation& formulation, const host::OperatingPoint& point,
                        const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  host::LinearRequest request;
  request.inputs = host::select_inputs(host::input_fields(system.view(), point.time), inputs);
  request.outputs = outputs;
  LinearCase out{&formulation, point, host::linearize(system, maker(formulation), point, request), {}};
  out.modes = host::find_modes(out.linear.A.value, out.linear.A.error, out.linear.scales);
  return out;
}

std::vector<LinearCase> linearize_all(const host::System& system, const std::vector<std::string>& inputs,
                                      const std::vector<std::string>& outputs) {
  std::vector<LinearCase> out;
  for (const Formulation* formulation : formulations_for(system))
    out.push_back(linearize_at(system, *formulation, initial_point(system), inputs, outputs));
  return out;
}

std::vector<double> frequencies(const host::Modes& modes) {
  std::vector<double> out;
  for (const host::Mode& mode : modes.all)
    if (mode.kind == host::Mode::Kind::oscillating) out.push_back(mode.natural_frequency());
  return out;
}

}  // namespace polyform::test
