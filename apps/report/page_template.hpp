// The page without its data, as it was built from apps/report/page.
#pragma once

#include <string_view>

namespace polyform::apps {

/// Empty when the program was built without the page.
std::string_view page_template();

}  // namespace polyform::apps
