// The end of every import: from the mechanism of a file to the text of a model.
#pragma once

#include <string_view>

#include "mechanism.hpp"

namespace polyform::importers {

struct Delivery {
  bool merge = false;     ///< fixed joints are merged away, but where a force or constraint names the body
  bool contacts = false;  ///< what touches gets contacts
};

/// Gives the model and what became of the things of the file to the sink. False, with errors told, where a number is
/// not finite.
bool deliver(Mechanism&, const Delivery&, std::string_view file, Ledger&, ConversionSink&);

}  // namespace polyform::importers
