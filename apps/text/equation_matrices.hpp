// The matrices of a formulation's own equations (polyform/contract/equation_matrices.hpp), for `evaluate --equations`.
#pragma once

#include "apps/text/json_output.hpp"
#include "polyform/contract/equation_matrices.hpp"

namespace polyform::apps {

/// Matrix after matrix, in 80 columns: wide ones in several parts.
void print_matrices(const EquationMatrices&);
/// An array of objects: name, meaning, level where it has one, names of rows and columns, values (an array of rows; of
/// a single column the numbers alone).
Json matrices_json(const EquationMatrices&);

}  // namespace polyform::apps
