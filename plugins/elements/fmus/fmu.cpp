#include "fmu.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <pugixml.hpp>

#include "archive.hpp"

namespace polyform::fmus {

namespace fs = std::filesystem;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

fs::path new_folder() {
  std::error_code error;
  std::string name = (fs::temp_directory_path(error) / "polyform-fmu-XXXXXX").string();
  if (error || ::mkdtemp(name.data()) == nullptr)
    throw FmuError("no folder can be made to unpack it", "Set TMPDIR to a folder that can be written.");
  return name;
}

}  // namespace

std::string stamp_of(const std::string& file) {
  std::error_code error, unsized, untimed;
  const fs::path path = fs::weakly_canonical(file, error);
  const std::uintmax_t size = fs::file_size(file, unsized);
  const fs::file_time_type changed = fs::last_write_time(file, untimed);
  return fmt::format("{}\n{} {}", error ? file : path.string(), unsized ? 0 : size,
                     untimed ? 0 : changed.time_since_epoch().count());
}

const Fmu& Fmu::open(const std::string& file, Kind kind) {
  static std::mutex guard;
  static std::map<std::pair<std::string, Kind>, std::unique_ptr<const Fmu>> all;
  const std::lock_guard lock(guard);
  std::unique_ptr<const Fmu>& known = all[{stamp_of(file), kind}];
  if (!known) known = std::make_unique<const Fmu>(file, kind);
  return *known;
}

Fmu::Fmu(const std::string& file, Kind kind) : file_(file), kind_(kind), folder_(new_folder()), process_(::getpid()) {
  try {
    unpack(file, folder_);
    read_description();
    load();
  } catch (const FmuError&) {
    fs::remove_all(folder_);
    throw;
  } catch (const std::exception& problem) {
    fs::remove_all(folder_);
    throw FmuError(problem.what(), "An FMU is a ZIP archive with modelDescription.xml; export it again.");
  }
}

Fmu::~Fmu() {
  std::error_code unheard;
  if (::getpid() == process_) fs::remove_all(folder_, unheard);
}

std::string Fmu::location() const {
  std::string out = "file://";
  for (const char c : (folder_ / "resources").string()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/-_.~").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

void Fmu::read_description() {
  pugi::xml_document document;
  const pugi::xml_parse_result read = document.load_file((folder_ / "modelDescription.xml").c_str());
  if (!read)
    throw FmuError(fmt::format("its modelDescription.xml cannot be read: {}", read.description()),
                   "An FMU is a ZIP archive with modelDescription.xml; export it again.");
  const pugi::xml_node root = document.child("fmiModelDescription");
  const std::string_view version = root.attribute("fmiVersion").value();
  if (!version.starts_with("2."))
    throw FmuError(fmt::format("it is of FMI version {}, and 2.0 is read", version.empty() ? "unknown" : version),
                   "Export it from its tool as FMI 2.0.");
  const bool is_me = kind_ == Kind::model_exchange;
  const pugi::xml_node kind = root.child(is_me ? "ModelExchange" : "CoSimulation");
  if (!kind)
    throw FmuError(fmt::format("it is not for {}", is_me ? "model exchange" : "co-simulation"),
                   fmt::format("Give kind: {}, or export it for {}.", is_me ? "co-simulation" : "model-exchange",
                               is_me ? "model exchange" : "co-simulation"));
  if (kind.attribute("needsExecutionTool").as_bool())
    throw FmuError("it needs the tool that made it while it runs", "Export it with its own solver or as source.");
  guid_ = root.attribute("guid").value();
  identifier_ = kind.attribute("modelIdentifier").value();
  can_serialize_ = kind.attribute("canGetAndSetFMUstate").as_bool() && kind.attribute("canSerializeFMUstate").as_bool();
  // It names a file within the archive.
  if (identifier_.empty() || identifier_.find_first_of("/\\") != std::string::npos)
    throw FmuError("its modelIdentifier is no name", "Export it again, or report this to its tool.");
  constexpr std::size_t most_events = 1'000'000;
  events_ = is_me ? root.attribute("numberOfEventIndicators").as_uint() : 0;
  if (events_ > most_events)
    throw FmuError(fmt::format("it has {} event indicators, and {} at most are read", events_, most_events),
                   "Export it again, or report this to its tool.");
  std::vector<std::string> names;
  std::vector<std::size_t> derivative_of;
  for (const pugi::xml_node v : root.child("ModelVariables").children("ScalarVariable")) {
    FmuVariable& variable = variables_[v.attribute("name").value()];
    variable.reference = v.attribute("valueReference").as_uint();
    variable.causality = v.attribute("causality").as_string("local");
    variable.real = v.child("Real");
    variable.unit = v.child("Real").attribute("unit").as_string("1");
    names.emplace_back(v.attribute("name").value());
    derivative_of.push_back(v.child("Real").attribute("derivative").as_uint());
  }
  for (const pugi::xml_node unknown : root.child("ModelStructure").child("Derivatives").children("Unknown")) {
    if (!is_me) break;
    const std::size_t rate = unknown.attribute("index").as_uint();
    const std::size_t state = rate == 0 || rate > names.size() ? 0 : derivative_of[rate - 1];
    if (state == 0 || state > names.size())
      throw FmuError("its description names a derivative that is none", "Export it again, or report this to its tool.");
    states_.push_back(names[state - 1]);
  }
}

void Fmu::load() {
  const fs::path library = folder_ / "binaries" / "linux64" / (identifier_ + ".so");
  std::error_code error;
  if (!fs::exists(library, error))
    throw FmuError(fmt::format("it has no library for this system, binaries/linux64/{}.so", identifier_),
                   "Export it for Linux (64 bit).");
  void* const opened = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) {
    const char* const reason = ::dlerror();
    throw FmuError(fmt::format("its library cannot be loaded: {}", reason == nullptr ? "no reason given" : reason),
                   "Install what it needs, or export it with all of that.");
  }
  const auto take = [&]<class F>(F& function, const char* name) {
    function = reinterpret_cast<F>(::dlsym(opened, name));
    if (function == nullptr)
      throw FmuError(fmt::format("its library has no function {}", name),
                     "Export it again, or report this to its tool.");
  };
  take(calls_.instantiate, "fmi2Instantiate");
  take(calls_.free, "fmi2FreeInstance");
  take(calls_.set_up, "fmi2SetupExperiment");
  take(calls_.enter_initialization, "fmi2EnterInitializationMode");
  take(calls_.exit_initialization, "fmi2ExitInitializationMode");
  take(calls_.reset, "fmi2Reset");
  take(calls_.get_real, "fmi2GetReal");
  take(calls_.set_real, "fmi2SetReal");
  if (can_serialize_) {
    take(calls_.get_state, "fmi2GetFMUstate");
    take(calls_.set_state, "fmi2SetFMUstate");
    take(calls_.free_state, "fmi2FreeFMUstate");
    take(calls_.state_size, "fmi2SerializedFMUstateSize");
    take(calls_.serialize, "fmi2SerializeFMUstate");
    take(calls_.deserialize, "fmi2DeSerializeFMUstate");
  }
  if (kind_ == Kind::co_simulation) return take(calls_.do_step, "fmi2DoStep");
  take(calls_.event_mode, "fmi2EnterEventMode");
  take(calls_.new_discrete_states, "fmi2NewDiscreteStates");
  take(calls_.continuous_time_mode, "fmi2EnterContinuousTimeMode");
  take(calls_.set_time, "fmi2SetTime");
  take(calls_.set_states, "fmi2SetContinuousStates");
  take(calls_.get_rates, "fmi2GetDerivatives");
  take(calls_.get_indicators, "fmi2GetEventIndicators");
  take(calls_.get_states, "fmi2GetContinuousStates");
}

Reference Fmu::find(std::string_view name, std::string_view causality) const {
  const auto found = variables_.find(name);
  if (found != variables_.end() && found->second.real && found->second.causality == causality)
    return found->second.reference;
  std::string known;
  std::size_t count = 0;
  for (const auto& [other, variable] : variables_) {
    if (!variable.real || variable.causality != causality) continue;
    if (++count <= 8) known += (known.empty() ? "" : ", ") + other;
  }
  throw FmuError(fmt::format("it has no {} `{}` that is a real number", causality, name),
                 known.empty() ? fmt::format("It has no {} at all.", causality)
                               : fmt::format("There are {}{}.", known, count > 8 ? ", …" : ""));
}

void FmuInstance::take_message(void* log, const char*, int, const char*, const char* text, ...) {
  if (log == nullptr || text == nullptr) return;
  auto& kept = static_cast<Log*>(log)->text;
  std::va_list arguments;
  va_start(arguments, text);
  std::vsnprintf(kept, sizeof kept, text, arguments);
  va_end(arguments);
}

FmuInstance::FmuInstance(const Fmu& fmu, std::span<const Reference> parameters, std::span<const double> values)
    : fmu_(fmu),
      parameters_(parameters.begin(), parameters.end()),
      values_(values.begin(), values.end()),
      callbacks_{&take_message, &std::calloc, &std::free, nullptr, &log_},
      next_(never) {
  handle_ = calls().instantiate(fmu.identifier().c_str(), fmu.kind() == Kind::model_exchange ? 0 : 1,
                                fmu.guid().c_str(), fmu.location().c_str(), &callbacks_, 0, 0);
  const auto told = [this] {
    return log_.text[0] == '\0' ? std::string(" without a reason") : fmt::format(": {}", log_.text);
  };
  if (handle_ == nullptr) throw FmuError("it cannot be instantiated" + told(), "Look into its own log.");
  if (initialize()) return;
  calls().free(handle_);
  throw FmuError("its initialization failed" + told(), "Look into its own log.");
}

FmuInstance::~FmuInstance() { calls().free(handle_); }

bool FmuInstance::initialize() noexcept {
  const Calls& call = calls();
  bool good = done(call.set_up(handle_, 0, 0, 0, 0, 0));
  if (!parameters_.empty())
    good = good && done(call.set_real(handle_, parameters_.data(), parameters_.size(), values_.data()));
  good = good && done(call.enter_initialization(handle_)) && done(call.exit_initialization(handle_));
  return good && (fmu_.kind() == Kind::co_simulation || update_discrete_states());
}

/// Events that follow each other without end are a failure of the FMU.
bool FmuInstance::update_discrete_states() noexcept {
  const Calls& call = calls();
  EventAnswer answer{1, 0, 0, 0, 0, 0};
  for (int round = 0; answer.again != 0 && round < 100; ++round)
    if (!done(call.new_discrete_states(handle_, &answer))) return false;
  if (answer.again != 0) return false;
  next_ = answer.has_next_time != 0 ? answer.next_time : never;
  return done(call.continuous_time_mode(handle_));
}

bool FmuInstance::restart() noexcept { return done(calls().reset(handle_)) && initialize(); }

bool FmuInstance::pass_event(double& next) noexcept {
  if (!done(calls().event_mode(handle_)) || !update_discrete_states()) return false;
  next = next_;
  return true;
}

bool FmuInstance::save(std::vector<char>& out) {
  const Calls& call = calls();
  void* state = nullptr;
  if (!done(call.get_state(handle_, &state))) return false;
  std::size_t size = 0;
  bool good = done(call.state_size(handle_, state, &size));
  out.resize(good ? size : 0);
  good = good && done(call.serialize(handle_, state, out.data(), size));
  return done(call.free_state(handle_, &state)) && good;
}

bool FmuInstance::restore(std::span<const char> from) {
  const Calls& call = calls();
  void* state = nullptr;
  if (!done(call.deserialize(handle_, from.data(), from.size(), &state))) return false;
  const bool good = done(call.set_state(handle_, state));
  return done(call.free_state(handle_, &state)) && good;
}

}  // namespace polyform::fmus
