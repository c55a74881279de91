#include "deliver.hpp"

#include <unordered_set>

#include "touch.hpp"

namespace polyform::importers {
namespace {

/// The bodies that forces and constraints name; these cannot be merged away.
std::unordered_set<std::string> bodies_of_elements(const Mechanism& m) {
  std::unordered_set<std::string> names;
  for (const ModelElement& element : m.elements)
    for (const auto& [key, value] : element.fields) {
      if (key == "joint" || key == "other_joint") continue;
      for (const Body& body : m.bodies)
        if (value.find(written_name(body.name)) != std::string::npos) names.insert(body.name);
    }
  return names;
}

}  // namespace

bool deliver(Mechanism& m, const Delivery& how, std::string_view file, Ledger& ledger, ConversionSink& sink) {
  note_inertias(m, ledger);
  if (how.merge) merge_fixed(m, bodies_of_elements(m), ledger);
  add_contacts(m, how.contacts, ledger);
  if (!check_finite(m, sink.diagnostics(), file)) return false;
  sink.text(model_text(m));
  ledger.tell(sink);
  return true;
}

}  // namespace polyform::importers
