#include <nlohmann/json.hpp>

#include "framework/host/reading/reader.hpp"
#include "framework/workbench/studies/study_file.hpp"

namespace polyform::host::inline studies {

namespace {

using Json = nlohmann::ordered_json;

Json list_of(const Json& items) { return {{"type", "array"}, {"items", items}}; }
Json one_of(const Json& a, const Json& b) { return {{"oneOf", Json::array({a, b})}}; }
Json described(Json what, const char* description) {
  what["description"] = description;
  return what;
}

}  // namespace

std::string study_schema(const Catalog& catalog) {
  const Json text = {{"type", "string"}}, scalar = {{"type", Json::array({"number", "string"})}},
             count = {{"type", "integer"}, {"minimum", 0}}, texts = one_of(text, list_of(text));
  const Json factor = {
      {"type", "object"},
      {"properties",
       {{"path", described(texts, "What is varied, such as bodies.rod.mass; a list of paths takes the same value.")},
        {"values", described(one_of(scalar, list_of(scalar)),
                             "A list, from:to:count, or uniform(a,b), loguniform(a,b), normal(mean,deviation), "
                             "triangular(low,mode,high).")}}},
      {"required", Json::array({"path", "values"})},
      {"additionalProperties", false}};
  Json methods = Json::array();
  for (const Method method : {Method::grid, Method::random, Method::sobol, Method::latin_hypercube, Method::saltelli})
    methods.push_back(name_of(method));
  const Json properties = {
      {"study", {{"const", 1}, {"description", "The format of the file."}}},
      {"model", described(text, "The file of the model, from the folder of this file.")},
      {"vary", described(list_of(factor), "The factors.")},
      {"method", {{"enum", methods}, {"description", "Which values of the factors go together."}}},
      {"samples", described(count, "Of all methods but grid.")},
      {"seed", described(count, "Of random numbers.")},
      {"correlation", described(list_of(list_of(scalar)), "Of the factors' normal scores, a row for each.")},
      {"quantities",
       {{"type", "object"},
        {"additionalProperties", text},
        {"description", "By name, an expression over columns such as max(pin.q)."}}},
      {"trajectories", described(texts, "Columns that are kept of each case.")},
      {"simulation", Json::parse(model_schema(catalog)).at("properties").at("simulation")},
      {"solver", described(text, "The formulation of all cases.")},
      {"device", described(text, "The device of the cases by name, auto for any, or none.")}};
  const Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                       {"title", "Polyform study, format 1"},
                       {"description", "Many variants of one model, and what is told of each."},
                       {"type", "object"},
                       {"properties", properties},
                       {"required", Json::array({"study", "model"})},
                       {"additionalProperties", false}};
  return schema.dump(2);
}

}  // namespace polyform::host::inline studies
