#include "polyform/contract/plugin.hpp"

#include "link_module.hpp"

POLYFORM_PLUGIN("elements", "link-module", "1.0") { registrar.add(links::link_module()); }
