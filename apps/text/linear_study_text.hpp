// The eigenvalues of a model as a value of it varies: for people, as JSON and as a table.
#pragma once

#include "apps/session/linear_study.hpp"
#include "apps/text/json_output.hpp"
#include "framework/workbench/studies/table.hpp"

namespace polyform::apps {

void print_linear_study(const LinearStudy&);
Json linear_study_json(const LinearStudy&);
/// A row for each eigenvalue, conjugate pairs by the member with positive imaginary part, rigid modes left out.
host::StudyTable linear_study_table(const LinearStudy&);

}  // namespace polyform::apps
