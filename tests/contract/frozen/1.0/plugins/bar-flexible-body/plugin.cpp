#include "polyform/contract/plugin.hpp"

#include "bar_flexible_body.hpp"

POLYFORM_PLUGIN("elements", "bar-flexible-body", "1.0") { registrar.add(example::bar_flexible_body()); }
