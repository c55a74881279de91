#include "framework/host/results/record.hpp"

#include <nlohmann/json.hpp>

namespace polyform::host::inline results {

std::string json_text(const RecordFields& record) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const RecordField& field : record)
    std::visit([&](const auto& value) { object[field.name] = value; }, field.value);
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace polyform::host::results
