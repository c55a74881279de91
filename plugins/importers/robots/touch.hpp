// What touches what in a file, as entries of `contacts`.
#pragma once

#include <string_view>

#include "mechanism.hpp"

namespace polyform::importers {

inline constexpr std::string_view contacts_dropped = "bodies do not touch; with the option contacts=keep they do";

/// Makes contacts between the bodies that have something to touch and may meet, or tells the ledger that they are left
/// out. Their law is compliant; it is told where it differs from that of the file's program.
void add_contacts(Mechanism&, bool keep, Ledger&);

}  // namespace polyform::importers
