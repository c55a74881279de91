// What a type says of itself for help, schema and messages.
#include <fmt/format.h>

#include <set>

#include "framework/workbench/conformance/batteries.hpp"

namespace polyform::host::inline conformance {

namespace {

bool is_one_line(std::string_view text) {
  return text.find_first_not_of(' ') != std::string_view::npos && text.find('\n') == std::string_view::npos;
}

void see_fields(Strided<const FieldSpec> fields, Measure& m) {
  std::set<std::string_view> names;
  for (const FieldSpec& field : fields) {
    const auto see = [&](bool good, const char* what) {
      m.see(good ? 0 : 1, [&] { return fmt::format("field `{}`: {}", field.name, what); });
    };
    see(!field.name.empty(), "it has no name");
    see(names.insert(field.name).second, "another field has the same name");
    see(is_one_line(field.meaning), "its meaning is empty, or more than one line");
    see((field.type == FieldType::choice) != field.choices.empty(), "choices belong to a field of type choice");
    see(field.minimum <= field.maximum, "its range is empty");
    see(field.valid_minimum <= field.valid_maximum && field.valid_minimum <= field.maximum &&
            field.valid_maximum >= field.minimum,
        "no value that is allowed is valid");
    see(field.typical >= 0, "its typical size is negative");
  }
}

template <class Type>
void see_texts(const Type& type, Measure& m) {
  m.see(is_one_line(type.meaning()) ? 0 : 1, "meaning() of the type is empty, or more than one line");
  if constexpr (std::is_same_v<Type, Formulation> || std::is_same_v<Type, IntegratorType> ||
                std::is_same_v<Type, ImporterType> || std::is_same_v<Type, DeviceType>)
    m.see(is_one_line(type.source()) ? 0 : 1, "source() of the type is empty, or more than one line");
  if constexpr (std::is_same_v<Type, Formulation>) {
    see_fields(type.options(), m);
  } else if constexpr (!std::is_same_v<Type, DeviceType>) {
    see_fields(type.fields(), m);
  }
}

}  // namespace

void check_texts(const Offer& offer, const Catalog& catalog, Checklist& list) {
  list.claim("it says in a line each what it and its fields are", 0,
             "help, schema and messages are made of these: correct the declaration", [&](Measure& m) {
               const auto look = [&](std::string_view kind, const auto& names) {
                 if (kind == offer.kind) see_texts(*find(names, offer.name), m);
               };
               for_each_kind(look, catalog);
             });
}

}  // namespace polyform::host::conformance
