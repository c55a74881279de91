// The FMU that is written by hand, packed, and a model that it drives.
#pragma once

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "apps/fmi/zip_writer.hpp"
#include "tests/command/command_runner.hpp"

namespace polyform::test {

inline std::string content_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

const std::vector<std::string> solvers{"cartesian", "hierarchy", "particles", "reduced", "riccati", "thompson"};

struct HandWritten {
  std::string version = "2.0", library = "motor";
  std::string of_i = "local";              ///< the causality of the current, which is a state
  std::string of_phi{}, of_w{}, of_tau{};  ///< further attributes, such as units
  std::string definitions{};               ///< of units and types
};

/// Packs it with a description for a version and a library of some name.
inline std::string hand_written(const Workshop& w, const std::string& name, const HandWritten& how = {}) {
  const bool is_3 = how.version.starts_with('3');
  std::string variables;
  int number = 0;
  const auto add = [&](const char* variable, const char* causality, const std::string& more) {
    const std::string common =
        fmt::format(R"(name="{}" valueReference="{}" causality="{}")", variable, number++, causality);
    variables += is_3 ? fmt::format("<Float64 {} {}/>", common, more)
                      : fmt::format("<ScalarVariable {}><Real {}/></ScalarVariable>", common, more);
  };
  add("phi", "input", "start=\"0\" " + how.of_phi);
  add("w", "input", "start=\"0\" " + how.of_w);
  add("R", "parameter", "start=\"1\"");
  add("L", "parameter", "start=\"0.05\"");
  add("k", "parameter", "start=\"0.5\"");
  add("p", "parameter", "start=\"4\"");
  add("target", "parameter", "start=\"1\"");
  add("tau", "output", how.of_tau);
  add("i", how.of_i.c_str(), "");
  add("der(i)", "local", is_3 ? "derivative=\"8\"" : "derivative=\"9\"");
  add("failing", "parameter", "start=\"0\"");
  variables += is_3 ? R"(<Int8 name="poles" valueReference="200" causality="parameter" start="1"/>)"
                      R"(<Boolean name="is_reversed" valueReference="201" causality="parameter" start="false"/>)"
                    : R"(<ScalarVariable name="poles" valueReference="200" causality="parameter"><Integer start="1"/>)"
                      R"(</ScalarVariable><ScalarVariable name="is_reversed" valueReference="201" )"
                      R"(causality="parameter"><Boolean start="false"/></ScalarVariable>)";
  if (is_3)
    variables += R"(<Float64 name="motion" valueReference="100" causality="input" start="0 0"><Dimension start="2"/>)"
                 R"(</Float64><Float64 name="out" valueReference="101" causality="output"><Dimension start="1"/>)"
                 R"(<Dimension start="2"/></Float64>)";
  const char* const flags = is_3 ? R"(canGetAndSetFMUState="true" canSerializeFMUState="true")"
                                 : R"(canGetAndSetFMUstate="true" canSerializeFMUstate="true")";
  const char* const structure = is_3 ? R"(<ContinuousStateDerivative valueReference="9"/>)"
                                     : R"(<Derivatives><Unknown index="10"/></Derivatives>)";
  fmi::ZipWriter zip;
  zip.add("modelDescription.xml",
          fmt::format(R"(<fmiModelDescription fmiVersion="{}" {}="{{hand-written}}">)"
                      R"(<ModelExchange modelIdentifier="motor" {}/><CoSimulation modelIdentifier="motor"/>{})"
                      R"(<ModelVariables>{}</ModelVariables><ModelStructure>{}</ModelStructure>)"
                      R"(</fmiModelDescription>)",
                      how.version, is_3 ? "instantiationToken" : "guid", flags, how.definitions, variables, structure));
  zip.add(fmt::format("binaries/{}/{}.so", is_3 ? POLYFORM_FMI3_PLATFORM : "linux64", how.library),
          content_of(POLYFORM_HAND_WRITTEN), true);
  return w.write(name, zip.finish());
}

inline std::string driven(const std::string& fmu, const std::string& more) {
  return fmt::format(R"YAML(polyform: 1
name: an arm that another tool's motor turns
gravity: [0, 0, 0]
bodies:
  - {{name: arm, mass: 1, inertia: {{xx: 0.1, yy: 0.1, zz: 0.1}}}}
joints:
  - {{name: hinge, type: revolute, base: ground, moving: arm, position: [0, 0, 0], axis: [0, 0, 1]}}
modules:
  - {{name: drive, type: fmu, file: {}, joints: [hinge], positions: phi, velocities: w, efforts: tau{}}}
simulation: {{duration: 1, step: 0.001, output_interval: 0.1}}
)YAML",
                     fmu, more);
}

}  // namespace polyform::test
