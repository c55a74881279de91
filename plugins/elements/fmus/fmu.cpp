#include "fmu.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <mutex>

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
    description_ = read_description(folder_ / "modelDescription.xml", kind);
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

void Fmu::load() {
#if defined(__aarch64__)
  constexpr const char* platform = "aarch64-linux";
#else
  constexpr const char* platform = "x86_64-linux";
#endif
  const char* const folder = description_.version == 2 ? "linux64" : platform;
  const std::string name = fmt::format("binaries/{}/{}.so", folder, description_.identifier);
  const fs::path library = folder_ / name;
  std::error_code error;
  if (!fs::exists(library, error))
    throw FmuError(fmt::format("it has no library for this system, {}", name), "Export it for Linux (64 bit).");
  void* const opened = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) {
    const char* const reason = ::dlerror();
    throw FmuError(fmt::format("its library cannot be loaded: {}", reason == nullptr ? "no reason given" : reason),
                   "Install what it needs, or export it with all of that.");
  }
  const auto find = [opened](const std::string& function) {
    if (void* const found = ::dlsym(opened, function.c_str())) return found;
    throw FmuError(fmt::format("its library has no function {}", function),
                   "Export it again, or report this to its tool.");
  };
  const auto calls_of = description_.version == 2 ? calls_of_version_2 : calls_of_version_3;
  calls_ = calls_of(find, kind_, description_.can_serialize);
}

const FmuVariable& Fmu::variable(std::string_view name, std::string_view causality) const {
  const auto fits = [&](const FmuVariable& v) { return v.real && v.values == 1 && v.causality == causality; };
  const auto& all = description_.variables;
  const auto found = all.find(name);
  if (found != all.end() && fits(found->second)) return found->second;
  if (found != all.end() && found->second.causality == causality)
    throw FmuError(
        fmt::format("its {} `{}` is {}", causality, name,
                    found->second.values != 1 ? "an array" : "no real number of 64 bits"),
        found->second.values != 1 && found->second.real
            ? fmt::format("Give its elements: `{}[{}1]` and so on.", name, found->second.lengths.size() > 1 ? "1," : "")
            : "Give one that is a single real number.");
  std::string known;
  std::size_t count = 0;
  for (const auto& [other, variable] : all) {
    if (!fits(variable)) continue;
    if (++count <= 8) known += (known.empty() ? "" : ", ") + other;
  }
  throw FmuError(fmt::format("it has no {} `{}` that is a real number", causality, name),
                 known.empty() ? fmt::format("It has no {} at all.", causality)
                               : fmt::format("There are {}{}.", known, count > 8 ? ", …" : ""));
}

FmuElement Fmu::element(std::string_view name, std::string_view causality) const {
  const auto& all = description_.variables;
  const std::size_t bracket = name.rfind('[');
  const auto array = bracket == std::string_view::npos || !name.ends_with(']') || all.contains(name)
                         ? all.end()
                         : all.find(name.substr(0, bracket));
  if (array == all.end() || array->second.lengths.empty() || !array->second.real ||
      array->second.causality != causality)
    return {&variable(name, causality), 0};
  std::string_view rest = name.substr(bracket + 1, name.size() - bracket - 2);
  std::size_t index = 0, read = 0;
  bool good = true;
  for (const std::size_t length : array->second.lengths) {
    std::size_t one = 0;
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), one);
    good = good && problem == std::errc() && one >= 1 && one <= length;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    index = index * length + one - 1;
    if (++read < array->second.lengths.size()) {
      good = good && rest.starts_with(',');
      if (good) rest.remove_prefix(1);
    }
  }
  if (good && rest.empty()) return {&array->second, index};
  throw FmuError(fmt::format("its {} `{}` has no element `{}`", causality, array->first, name),
                 fmt::format("It is an array of {}; indices begin at 1.", fmt::join(array->second.lengths, " x ")));
}

namespace {
thread_local char last_failure[800] = "";
thread_local double time_now = 0, time_of_failure = 0;
}

void LastFailure::forget() noexcept { last_failure[0] = '\0'; }
void LastFailure::at(double time) noexcept { time_now = time; }
void LastFailure::note(const Fmu& fmu, const char* call, const char* said) noexcept {
  time_of_failure = time_now;
  const bool is_silent = said[0] == '\0';
  const std::string_view file = fmu.file();
  const std::size_t folder = file.rfind('/');
  const std::string_view name = folder == std::string_view::npos ? file : file.substr(folder + 1);
  std::snprintf(last_failure, sizeof last_failure, "the FMU %.*s failed in %s%s%s", static_cast<int>(name.size()),
                name.data(), call, is_silent ? "" : ": ", said);
}
std::string_view LastFailure::text(double since) noexcept {
  return time_of_failure >= since ? std::string_view(last_failure) : std::string_view();
}

FmuInstance::FmuInstance(const Fmu& fmu, std::span<const Reference> parameters, std::span<const double> values,
                         std::span<const CountedValue> counted, Begin begin)
    : fmu_(fmu),
      parameters_(parameters.begin(), parameters.end()),
      values_(values.begin(), values.end()),
      counted_(counted.begin(), counted.end()),
      next_(never) {
  const std::string resources = fmu.resources();
  const Description& d = fmu.description();
  handle_ = calls().instantiate({d.identifier, d.token, resources, fmu.kind()}, log_);
  const auto told = [this] {
    return message()[0] == '\0' ? std::string(" without a reason") : fmt::format(": {}", message());
  };
  if (handle_ == nullptr) throw FmuError("it cannot be instantiated" + told(), "Look into its own log.");
  if (begin == Begin::later || (enter(0) && leave())) return;
  calls().free(handle_);
  throw FmuError("its initialization failed" + told(), "Look into its own log.");
}

FmuInstance::~FmuInstance() { calls().free(handle_); }

bool FmuInstance::good(int status, const char* call) const noexcept {
  if (done(status)) return true;
  LastFailure::note(fmu_, call, log_.text());
  return false;
}

bool FmuInstance::enter(double time) noexcept {
  const Calls& call = calls();
  if (has_entered_ && !good(call.reset(handle_), "its reset")) return false;
  has_entered_ = true;
  wants_end_ = false;
  start_time_ = time;
  if (!parameters_.empty() &&
      !good(call.set_real(handle_, parameters_.data(), parameters_.size(), values_.data()), "its start values"))
    return false;
  for (const CountedValue& value : counted_)
    if (!good(call.set_counted(handle_, value), "its start values")) return false;
  return good(call.enter_initialization(handle_, time), "its initialization");
}

bool FmuInstance::leave() noexcept {
  return good(calls().exit_initialization(handle_), "its initialization") &&
         (fmu_.kind() == Kind::co_simulation || update_discrete_states(start_time_));
}

/// Updates the discrete states. What the FMU wants at this time or before it is due now. Events that follow each other
/// without end are a failure of the FMU.
bool FmuInstance::update_discrete_states(double time) noexcept {
  const Calls& call = calls();
  EventAnswer answer;
  bool again = true;
  constexpr int most = 100;
  for (int round = 0; again && round < most; ++round) {
    if (!good(call.new_discrete_states(handle_, answer), "an event")) return false;
    wants_end_ = wants_end_ || answer.terminate;
    next_ = answer.has_next_time ? answer.next_time : never;
    again = answer.again || (!wants_end_ && !(next_ > time));
  }
  if (again) {
    LastFailure::note(fmu_, "an event",
                      answer.again ? "its events follow each other without end"
                                   : "it asks for events by the clock at times that have passed");
    return false;
  }
  return good(call.continuous_time_mode(handle_), "the end of an event");
}

bool FmuInstance::pass_event(double time, double& next) noexcept {
  if (!good(calls().event_mode(handle_), "an event") || !update_discrete_states(time)) return false;
  next = next_;
  return true;
}

bool FmuInstance::complete_step(bool& wants_event) noexcept {
  bool terminate = false;
  const int status = calls().complete_step(handle_, wants_event, terminate);
  wants_end_ = wants_end_ || terminate;
  return good(status, "the end of a step");
}

bool FmuInstance::step(double time, double interval) noexcept {
  bool ends = false;
  const int status = calls().do_step(handle_, time, interval, &ends);
  wants_end_ = wants_end_ || ends;
  return ends || good(status, "a step");
}

bool FmuInstance::save(std::vector<char>& out) {
  const Calls& call = calls();
  void* state = nullptr;
  if (!good(call.get_state(handle_, &state), "its state")) return false;
  std::size_t size = 0;
  bool fine = good(call.state_size(handle_, state, &size), "its state");
  out.resize(fine ? size : 0);
  fine = fine && good(call.serialize(handle_, state, out.data(), size), "its state");
  return good(call.free_state(handle_, &state), "its state") && fine;
}

bool FmuInstance::restore(std::span<const char> from) {
  const Calls& call = calls();
  void* state = nullptr;
  if (!good(call.deserialize(handle_, from.data(), from.size(), &state), "a state that is set")) return false;
  const bool fine = good(call.set_state(handle_, state), "a state that is set");
  wants_end_ = false;
  return good(call.free_state(handle_, &state), "a state that is set") && fine;
}

}  // namespace polyform::fmus
