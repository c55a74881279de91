// The functions of FMI 3.0 for what no FMU of Polyform has: variables that are no Float64, clocks, arrays, adjoints.
#include "apps/fmi/component.hpp"
#include "apps/fmi/fmi3.h"

#define POLYFORM_FMI extern "C" __attribute__((visibility("default")))

namespace {

/// An error where anything of the kind is asked for.
fmi3Status none(fmi3Instance c, std::size_t count, const char* kind) {
  return static_cast<fmi3Status>(
      polyform::fmi::answering(static_cast<polyform::fmi::Component*>(c), [&](polyform::fmi::Component&) {
        if (count > 0)
          throw polyform::host::Failure(polyform::host::Exit::bad_input, std::string("this FMU has no ") + kind,
                                        "The model description tells what it has.");
      }));
}

}  // namespace

#define POLYFORM_ABSENT(Name, Type)                                                                            \
  POLYFORM_FMI fmi3Status fmi3Get##Name(fmi3Instance c, const fmi3ValueReference*, std::size_t n, Type*,       \
                                        std::size_t) {                                                         \
    return none(c, n, "variables of the type " #Name);                                                         \
  }                                                                                                            \
  POLYFORM_FMI fmi3Status fmi3Set##Name(fmi3Instance c, const fmi3ValueReference*, std::size_t n, const Type*, \
                                        std::size_t) {                                                         \
    return none(c, n, "variables of the type " #Name);                                                         \
  }

POLYFORM_ABSENT(Float32, fmi3Float32)
POLYFORM_ABSENT(Int8, std::int8_t)
POLYFORM_ABSENT(UInt8, std::uint8_t)
POLYFORM_ABSENT(Int16, std::int16_t)
POLYFORM_ABSENT(UInt16, std::uint16_t)
POLYFORM_ABSENT(Int32, std::int32_t)
POLYFORM_ABSENT(UInt32, std::uint32_t)
POLYFORM_ABSENT(Int64, std::int64_t)
POLYFORM_ABSENT(UInt64, std::uint64_t)
POLYFORM_ABSENT(Boolean, fmi3Boolean)
POLYFORM_ABSENT(String, fmi3String)

POLYFORM_FMI fmi3Status fmi3GetBinary(fmi3Instance c, const fmi3ValueReference*, std::size_t n, std::size_t*,
                                      fmi3Binary*, std::size_t) {
  return none(c, n, "variables of the type Binary");
}
POLYFORM_FMI fmi3Status fmi3SetBinary(fmi3Instance c, const fmi3ValueReference*, std::size_t n, const std::size_t*,
                                      const fmi3Binary*, std::size_t) {
  return none(c, n, "variables of the type Binary");
}
POLYFORM_FMI fmi3Status fmi3GetClock(fmi3Instance c, const fmi3ValueReference*, std::size_t n, fmi3Clock*) {
  return none(c, n, "clocks");
}
POLYFORM_FMI fmi3Status fmi3SetClock(fmi3Instance c, const fmi3ValueReference*, std::size_t n, const fmi3Clock*) {
  return none(c, n, "clocks");
}
POLYFORM_FMI fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance c, fmi3ValueReference, std::size_t* n) {
  *n = 0;
  return none(c, 1, "list of dependencies: every output depends on all states and inputs");
}
POLYFORM_FMI fmi3Status fmi3GetVariableDependencies(fmi3Instance c, fmi3ValueReference, std::size_t*,
                                                    fmi3ValueReference*, std::size_t*, fmi3DependencyKind*,
                                                    std::size_t) {
  return none(c, 1, "list of dependencies: every output depends on all states and inputs");
}
POLYFORM_FMI fmi3Status fmi3GetAdjointDerivative(fmi3Instance c, const fmi3ValueReference*, std::size_t,
                                                 const fmi3ValueReference*, std::size_t, const fmi3Float64*,
                                                 std::size_t, fmi3Float64*, std::size_t) {
  return none(c, 1, "adjoint derivatives");
}
POLYFORM_FMI fmi3Status fmi3EnterConfigurationMode(fmi3Instance c) { return none(c, 1, "structural parameters"); }
POLYFORM_FMI fmi3Status fmi3ExitConfigurationMode(fmi3Instance c) { return none(c, 1, "structural parameters"); }
POLYFORM_FMI fmi3Status fmi3GetIntervalDecimal(fmi3Instance c, const fmi3ValueReference*, std::size_t n, fmi3Float64*,
                                               fmi3IntervalQualifier*) {
  return none(c, n, "clocks");
}
POLYFORM_FMI fmi3Status fmi3GetIntervalFraction(fmi3Instance c, const fmi3ValueReference*, std::size_t n,
                                                std::uint64_t*, std::uint64_t*, fmi3IntervalQualifier*) {
  return none(c, n, "clocks");
}
POLYFORM_FMI fmi3Status fmi3GetShiftDecimal(fmi3Instance c, const fmi3ValueReference*, std::size_t n, fmi3Float64*) {
  return none(c, n, "clocks");
}
POLYFORM_FMI fmi3Status fmi3GetShiftFraction(fmi3Instance c, const fmi3ValueReference*, std::size_t n, std::uint64_t*,
                                             std::uint64_t*) {
  return none(c, n, "clocks");
}
POLYFORM_FMI fmi3Status fmi3SetIntervalDecimal(fmi3Instance c, const fmi3ValueReference*, std::size_t n,
                                               const fmi3Float64*) {
  return none(c, n, "clocks");
}
POLYFORM_FMI fmi3Status fmi3SetIntervalFraction(fmi3Instance c, const fmi3ValueReference*, std::size_t n,
                                                const std::uint64_t*, const std::uint64_t*) {
  return none(c, n, "clocks");
}
POLYFORM_FMI fmi3Status fmi3SetShiftDecimal(fmi3Instance c, const fmi3ValueReference*, std::size_t n,
                                            const fmi3Float64*) {
  return none(c, n, "clocks");
}
POLYFORM_FMI fmi3Status fmi3SetShiftFraction(fmi3Instance c, const fmi3ValueReference*, std::size_t n,
                                             const std::uint64_t*, const std::uint64_t*) {
  return none(c, n, "clocks");
}
POLYFORM_FMI fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance c) { return none(c, 0, "discrete states"); }
POLYFORM_FMI fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, const fmi3ValueReference*, std::size_t n,
                                                 const std::int32_t*, fmi3Float64*, std::size_t) {
  return none(c, n, "derivatives of outputs; velocities and accelerations are outputs themselves");
}
POLYFORM_FMI fmi3Status fmi3ActivateModelPartition(fmi3Instance c, fmi3ValueReference, fmi3Float64) {
  return none(c, 1, "clocks");
}
