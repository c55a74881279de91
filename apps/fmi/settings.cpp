#include "apps/fmi/settings.hpp"

#include <nlohmann/json.hpp>

#include "framework/diagnostics.hpp"

namespace polyform::fmi {

namespace {

using Json = nlohmann::json;

/// Every setting with its key, for writing and for reading.
template <class S, class Visit>
void visit_all(S& s, Visit&& visit) {
  visit("model", s.model.file);
  visit("state", s.model.state);
  visit("lenient", s.model.lenient);
  visit("set", s.model.set);
  visit("import_options", s.model.import_options);
  visit("solver", s.solver);
  visit("options", s.options);
  visit("integrator", s.run.integrator);
  visit("integrator_options", s.run.integrator_options);
  visit("columns", s.run.columns);
  visit("euler_angles", s.run.euler_angles);
  visit("duration", s.run.duration);
  visit("step", s.run.step);
  visit("max_step", s.run.max_step);
  visit("relative_tolerance", s.run.relative_tolerance);
  visit("absolute_tolerance", s.run.absolute_tolerance);
  visit("output_interval", s.run.output_interval);
  visit("inputs", s.inputs);
  visit("token", s.token);
}

}  // namespace

std::string to_text(const Settings& settings) {
  Json out{{"kind", settings.kind == Kind::co_simulation ? "cs" : "me"}};
  visit_all(settings, [&]<class T>(const char* key, const T& value) {
    if constexpr (requires { value.has_value(); }) {
      if (value) out[key] = *value;
    } else {
      out[key] = value;
    }
  });
  return out.dump(1);
}

Settings settings_of(std::string_view text, const std::string& file) {
  Settings settings;
  try {
    const Json in = Json::parse(text);
    settings.kind = in.at("kind") == "me" ? Kind::model_exchange : Kind::co_simulation;
    visit_all(settings, [&]<class T>(const char* key, T& value) {
      if constexpr (requires { value.has_value(); }) {
        if (in.contains(key)) value = in.at(key).template get<double>();
      } else {
        in.at(key).get_to(value);
      }
    });
  } catch (const Json::exception& problem) {
    throw host::Failure(host::Exit::bad_input, file + " is not what an export has written: " + problem.what(),
                        "Export the model again.");
  }
  return settings;
}

}  // namespace polyform::fmi
