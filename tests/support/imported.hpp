// Files of other programs, imported, and accelerations by the names of joints.
#pragma once

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "framework/host/reading/import.hpp"
#include "framework/host/reading/reader.hpp"
#include "framework/host/simulation/evaluate.hpp"
#include "tests/support/workbench.hpp"

namespace polyform::test {

using Coordinates = std::map<std::string, std::vector<double>>;

inline std::string bytes_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The conversion of bytes that an importer recognises; fails the test with the diagnostics if there is none.
inline host::Conversion imported(const std::string& bytes, const host::ImportOptions& options = {},
                                 const std::string& name = "robot") {
  const ImporterType* const importer = host::importer_for(registry().catalog(), name, bytes);
  REQUIRE(importer != nullptr);
  host::Diagnostics diagnostics;
  const auto got = host::import_model(*importer, name, bytes, options, diagnostics);
  std::string messages;
  for (const Diagnostic& d : diagnostics.all()) messages += host::format(d) + "\n";
  INFO(messages);
  REQUIRE(got);
  return *got;
}

inline std::unique_ptr<host::System> imported_system(const std::string& bytes, const host::ImportOptions& options = {},
                                                     const std::string& name = "robot") {
  const host::Conversion got = imported(bytes, options, name);
  INFO(got.text);
  return system_from_text(got.text);
}

/// The messages with which bytes are refused.
inline std::string refusal(const std::string& bytes, const host::ImportOptions& options = {},
                           const std::string& name = "robot") {
  const ImporterType* const importer = host::importer_for(registry().catalog(), name, bytes);
  REQUIRE(importer != nullptr);
  host::Diagnostics diagnostics;
  const auto got = host::import_model(*importer, name, bytes, options, diagnostics);
  CHECK_FALSE(got);
  std::string messages;
  for (const Diagnostic& d : diagnostics.all()) messages += host::format(d) + "\n";
  return messages;
}

/// How many things of that path met with this treatment.
inline std::size_t count_of(const host::Conversion& got, Treatment treatment, const std::string& what) {
  std::size_t count = 0;
  for (const host::FoundThing& thing : got.findings)
    if (thing.treatment == treatment && thing.what == what) count += thing.count;
  return count;
}

/// Accelerations of the joints' velocity coordinates in a state that differs from the model's in the given ones.
inline Coordinates accelerations(const host::System& system, const Formulation& formulation, const Coordinates& q = {},
                                 const Coordinates& v = {}) {
  const SystemView& view = system.view();
  const ConstStateView start = system.initial_state();
  std::vector<double> qs(start.q.begin(), start.q.end()), vs(start.v.begin(), start.v.end());
  for (const JointData& joint : view.joints) {
    if (const auto given = q.find(std::string(joint.name)); given != q.end())
      std::copy(given->second.begin(), given->second.end(), qs.begin() + static_cast<std::ptrdiff_t>(joint.q_offset));
    if (const auto given = v.find(std::string(joint.name)); given != v.end())
      std::copy(given->second.begin(), given->second.end(), vs.begin() + static_cast<std::ptrdiff_t>(joint.v_offset));
  }
  const host::SolverPointer solver = solver_for(system, formulation);
  std::vector<double> y(solver->state_size());
  const ConstStateView state{
      .q = qs, .v = vs, .eta = start.eta, .etadot = start.etadot, .x = start.x, .discrete = start.discrete};
  REQUIRE(solver->encode(state, y) == Status::ok);
  host::ObservationStore store(view);
  REQUIRE(solver->observe(0, y, store.now()) == Status::ok);
  Coordinates out;
  for (const JointData& joint : view.joints) {
    const auto part = store.now().acceleration.subspan(joint.v_offset, joint.nv);
    out[std::string(joint.name)] = {part.begin(), part.end()};
  }
  return out;
}

inline const Formulation& reference_formulation() {
  return *host::find(registry().catalog().formulations, "cartesian");
}

/// Both have these joints, with accelerations equal to the tolerance, relative to the largest.
inline void check_equal(const Coordinates& a, const Coordinates& b, double tolerance) {
  double scale = 1e-3;
  for (const auto& [name, values] : b)
    for (const double x : values) scale = std::max(scale, std::abs(x));
  for (const auto& [name, values] : b) {
    INFO(name);
    REQUIRE(a.contains(name));
    REQUIRE(a.at(name).size() == values.size());
    for (std::size_t i = 0; i < values.size(); ++i) CHECK(std::abs(a.at(name)[i] - values[i]) < tolerance * scale);
  }
}

}  // namespace polyform::test
