// Results as JSON objects, as the outer contract names them. Numbers are the shortest that read back exactly; NaN and
// infinity become null.
#pragma once

#include <nlohmann/json.hpp>

#include "framework/host/assembly/system.hpp"
#include "framework/host/simulation/evaluate.hpp"
#include "framework/host/simulation/run_record.hpp"
#include "polyform/contract/formulation.hpp"

namespace polyform::apps {

using Json = nlohmann::ordered_json;

/// degrees_of_freedom: from System::count_constraints(), found once for many records.
Json run_json(const host::System&, std::size_t degrees_of_freedom, std::string_view solver, const host::RunRecord&);
/// count: that of the constraints that the solver has.
Json evaluation_json(const host::System&, std::string_view solver, const Observation&, const host::ConstraintCount&,
                     const host::Evaluation&);
/// Which components of the reactions are unique, by joint: {"force": [true, true, false], "moment": [...]}, ground
/// axes. all: also joints all of whose components are unique.
Json unique_json(const host::System&, const host::ConstraintCount&, bool all);

/// The directions along which the reactions are unique, for joints with a component that is not: {"force": [[3], ...],
/// "moment": [[3], ...], "combined": [{"force": [3], "moment": [3]}, ...]}.
Json unique_along_json(const host::System&, const host::ConstraintCount&);

/// Prints to the output stream, on one line. Text that is not UTF-8 is mended, not refused.
void print_json(const Json&);

/// An object that is printed likewise, member by member as they come to be known. It begins at once, so that a stream
/// which takes nothing is known before the work, and it ends with this one, however that comes about.
class PrintedObject {
 public:
  PrintedObject();
  ~PrintedObject();
  PrintedObject(const PrintedObject&) = delete;
  PrintedObject& operator=(const PrintedObject&) = delete;
  void add(std::string_view name, const Json& value);

 private:
  bool empty_ = true;
};

}  // namespace polyform::apps
