// What is wrong with the factors of a study before its first case.
#pragma once

#include <string>
#include <vector>

#include "apps/session/study_case.hpp"
#include "framework/host/registry/catalog.hpp"
#include "framework/workbench/studies/factor.hpp"

namespace polyform::apps {

/// Failure (bad_input) if a setting for all cases, of the command line or a study file, would stand over a factor.
void check_settings(const CaseSettings&, const std::vector<host::Factor>&);

/// Failure where factors name a solver (plugin) or an integrator (bad_input) that is not there, or an option that none
/// of those has which the cases take. solver, integrator: those of all cases where they are no factors.
void check_names(const host::Catalog&, const std::vector<host::Factor>&, const std::string& solver,
                 const std::string& integrator);

}  // namespace polyform::apps
