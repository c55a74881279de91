// Pieces of the JSON Schema: those that all models share, and declared fields.
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "polyform/contract/field.hpp"
#include "polyform/contract/growth.hpp"

namespace polyform::host::inline reading {

using Json = nlohmann::ordered_json;

inline std::string text_of(std::string_view view) { return std::string(view); }

/// {"$ref": "#/$defs/<name>"}
Json ref(std::string_view name);
/// The schema with a description.
Json described(Json schema, std::string_view description);
/// An object that takes these properties and no others.
Json closed_object(Json properties, const std::vector<std::string>& required);
Json list_of(Json items, std::string_view description);
/// Exactly one of the kinds; without kinds the schema allows nothing.
Json one_of(Json kinds);
Json name_schema(std::string_view description);

/// Adds the declared fields to an object's properties and required keys, without those that are `provided`.
void add_fields(Strided<const FieldSpec>, Json& properties, std::vector<std::string>& required,
                std::initializer_list<std::string_view> provided = {});
/// The entry `ground` of a model.
Json ground_schema();

/// The definitions vector3, direction, orientation, inertia, time_function, numbers, matrix, body, marker, joint,
/// initial, geometry and subsystem.
Json basic_definitions();
/// The schema of `simulation`; integrator: that of its key `integrator`.
Json simulation_schema(Json integrator);
Json solver_schema();

}  // namespace polyform::host::reading
