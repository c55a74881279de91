#include "polyform/contract/plugin.hpp"

#include "hanging_importer.hpp"

POLYFORM_PLUGIN("importer", "hanging-importer", "1.0") { registrar.add(example::hanging_importer()); }
