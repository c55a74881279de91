// The kernels that a solver says it stands on (polyform/contract/kernels.hpp), as the host keeps and writes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "polyform/contract/formulation.hpp"

namespace polyform::host::inline evaluation {

/// Their names, each once, safe to show. Empty if the solver tells none: it stands on a kernel of its own.
std::vector<std::string> kernels_of(Solver&);

/// The names as one text for records and tables: "hinge elimination; tree recursion".
std::string joined_kernels(const std::vector<std::string>&);
/// The names again, from the text that joined_kernels() made.
std::vector<std::string> split_kernels(std::string_view);

}  // namespace polyform::host::evaluation
