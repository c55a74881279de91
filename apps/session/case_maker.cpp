#include "apps/session/case_maker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <string_view>
#include <utility>

#include "apps/session/prepared_case.hpp"
#include "apps/session/study_checks.hpp"
#include "apps/text/terminal.hpp"
#include "framework/host/reading/report.hpp"

namespace polyform::apps {

using host::Exit;
using host::Failure;

namespace {

/// The words of a message, with the names in it, which stand between backticks: what it says of one case is what it
/// says of another one, but for the numbers.
std::string without_numbers(std::string_view message) {
  std::string words;
  bool is_name = false;
  for (const char c : message) {
    if (c == '`') is_name = !is_name;
    const bool of_number = (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e';
    if (is_name || !of_number) words += c;
  }
  return words;
}

/// Failure (bad_input) if it cannot be read; after messages.
host::VariedModel read_model(const Plugins& plugins, const std::string& file, const CaseSettings& settings) {
  host::Diagnostics diagnostics;
  host::VariedModel parsed(file, *plugins.catalog, diagnostics,
                           split_options("--import-option", settings.import_options));
  print(diagnostics);
  if (diagnostics.failed()) throw Failure(Exit::bad_input, already_said);
  set_values(parsed, settings.set);
  return parsed;
}

}  // namespace

CaseMaker::CaseMaker(const Plugins& plugins, const std::string& file, const host::Design& design,
                     const host::Quantities& quantities, const CaseSettings& settings)
    : plugins_(plugins),
      design_(design),
      quantities_(quantities),
      settings_(settings),
      model_(read_model(plugins, file, settings)) {}

CaseMaker::~CaseMaker() = default;

std::unique_ptr<host::System> CaseMaker::assemble(host::Diagnostics& diagnostics, bool& missing_plugin) const {
  host::Description description = model_.read(*plugins_.catalog, diagnostics, missing_plugin, {settings_.lenient});
  if (diagnostics.failed()) return nullptr;
  return host::System::assemble(std::move(description), plugins_.libraries, diagnostics);
}

void CaseMaker::keep_warnings(const host::Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.all()) warnings_of_model_.insert(without_numbers(d.message));
}

void CaseMaker::add_factors(const std::string& integrator) {
  add_paths(integrator);
  check_first_values();
}

void CaseMaker::set_values_of(std::size_t number) {
  const std::vector<std::string> texts = design_.values(number);
  for (std::size_t f = 0; f < values_.size(); ++f)
    for (const std::size_t value : values_[f]) model_.set(value, texts[f]);
}

void CaseMaker::add_paths(const std::string& integrator) {
  bool has_option = false, has_name = false;
  const auto look = [&](std::string_view path) {
    has_option = has_option || path.starts_with("simulation.integrator.options.");
    has_name = has_name || path == "simulation.integrator" || path == "simulation.integrator.name";
  };
  for (const host::Factor& factor : design_.factors()) {
    std::vector<std::size_t>& values = values_.emplace_back();
    for (const std::string& path : factor.paths) {
      values.push_back(model_.add(path));
      look(path);
    }
  }
  for (const std::string& text : settings_.set) look(std::string_view(text).substr(0, text.find('=')));
  // Options belong to an integrator that is named.
  if (has_option && !has_name) model_.set(model_.add("simulation.integrator.name"), integrator);
}

/// Keys that the file leaves to their default are known to be none only now.
void CaseMaker::check_first_values() {
  set_values_of(0);
  host::Diagnostics diagnostics;
  bool missing_plugin = false;
  const host::Description first_model =
      model_.read(*plugins_.catalog, diagnostics, missing_plugin, {settings_.lenient});
  // What stands nowhere in the file was added for a factor.
  constexpr std::array<std::string_view, 3> of_paths{"unknown key", "the part has no parameter", "found a map"};
  for (const Diagnostic& d : diagnostics.all())
    if (d.line == 0 && d.severity == Severity::error &&
        std::ranges::any_of(of_paths, [&](std::string_view begin) { return d.message.starts_with(begin); }))
      throw Failure(Exit::bad_input, fmt::format("there is no value {} in the model: {}", d.path, d.message),
                    std::string(d.remedy));
  const std::vector<std::string> units = model_.units(*plugins_.catalog, {settings_.lenient});
  for (const std::vector<std::size_t>& values : values_) factor_units_.push_back(units[values.front()]);
  if (diagnostics.failed()) return;
  std::vector<std::size_t> varied;
  for (const std::vector<std::size_t>& values : values_) varied.insert(varied.end(), values.begin(), values.end());
  host::NumberRenewal numbers = model_.renewal(varied, first_model, *plugins_.catalog);
  if (numbers.is_whole()) in_place_.reset(new CasesInPlace{std::move(numbers)});
}

std::unique_ptr<PreparedCase> CaseMaker::prepare(std::size_t number, const SharedByCases& shared) {
  set_values_of(number);
  if (std::unique_ptr<PreparedCase> one = prepare_in_place(number, shared)) return one;
  host::Diagnostics diagnostics;
  bool missing_plugin = false;
  std::unique_ptr<host::System> system = assemble(diagnostics, missing_plugin);
  if (!system) throw Failure(Exit::bad_input, first_error(diagnostics));
  auto one = std::make_unique<PreparedCase>(number, std::move(system), *plugins_.catalog, settings_, quantities_,
                                            shared.usual_choice, shared.compiled);
  if (one->trajectory && !std::ranges::equal(one->trajectory->channels(), shared.trajectory_channels, {},
                                             &host::Channel::name, &host::Channel::name))
    throw Failure(Exit::bad_input, "the columns of its trajectory are others than those of the model as it is written");
  one->warning = new_warning(diagnostics);
  return one;
}

std::string CaseMaker::new_warning(const host::Diagnostics& diagnostics) const {
  for (const Diagnostic& d : diagnostics.all())
    if (d.severity == Severity::warning && !warnings_of_model_.contains(without_numbers(d.message)))
      return std::string(d.message);
  return "";
}

/// Nothing where the whole model has to be read, be it to tell what is wrong with it.
std::unique_ptr<PreparedCase> CaseMaker::prepare_in_place(std::size_t number, const SharedByCases& shared) {
  if (!in_place_ || in_place_->ended.empty()) return nullptr;
  std::unique_ptr<PreparedCase> one = std::move(in_place_->ended.back());
  in_place_->ended.pop_back();
  try {
    host::Diagnostics diagnostics;
    if (!one->renew(number, in_place_->numbers, settings_, quantities_, shared.compiled, diagnostics)) return nullptr;
    one->warning = new_warning(diagnostics);
    return one;
  } catch (const std::exception&) {
    // Read as a whole it fails with its reason.
  }
  return nullptr;
}

void CaseMaker::give_back(std::unique_ptr<PreparedCase> one) {
  if (in_place_) in_place_->ended.push_back(std::move(one));
}

}  // namespace polyform::apps
