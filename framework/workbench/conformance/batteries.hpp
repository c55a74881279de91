// The checks of each kind of type, by differences and by the laws of mechanics.
#pragma once

#include "framework/host/registry/plugin_record.hpp"
#include "framework/workbench/conformance/bench.hpp"
#include "framework/workbench/conformance/checklist.hpp"

namespace polyform::host::inline conformance {

/// Checks a type of any kind: its meaning, and what it declares of its fields.
void check_texts(const Offer&, const Catalog&, Checklist&);
void check_joint(const JointType&, const Bench&, Checklist&);
void check_force(const ForceType&, const Bench&, Checklist&);
void check_constraint(const ConstraintType&, const Bench&, Checklist&);
void check_flexible_body(const FlexibleBodyType&, const Bench&, Checklist&);
/// example: a further system on which it is tried; may have none.
void check_formulation(const Formulation&, Sample example, const Bench&, Checklist&);
void check_module(const ModuleType&, const Bench&, Checklist&);
void check_integrator(const IntegratorType&, Checklist&);
void check_device(const DeviceType&, Checklist&);
/// catalog: the types that its models may use.
void check_importer(const ImporterType&, const Catalog&, Checklist&);

}  // namespace polyform::host::conformance
