#include "contact_types.hpp"
#include "polyform/contract/plugin.hpp"

POLYFORM_PLUGIN("elements", "contact", "1.0") {
  registrar.add(polyform::contact::contact());
  registrar.add(polyform::contact::contact_group());
}
