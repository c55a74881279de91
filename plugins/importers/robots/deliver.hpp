// The end of every import: from the mechanism of a file to the text of a model.
#pragma once

#include <string_view>

#include "mechanism.hpp"

namespace polyform::importers {

/// Gives the model and what became of the things of the file to the sink. merge: fixed joints are merged away, but
/// where a force or constraint names the body. False, with errors told, where a number is not finite.
bool deliver(Mechanism&, bool merge, std::string_view file, Ledger&, ConversionSink&);

}  // namespace polyform::importers
