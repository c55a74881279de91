#include "fmu_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>

#include "polyform/helpers/element_helpers.hpp"

namespace polyform::fmus {

namespace {

constexpr std::string_view what_it_is = "a model of another tool (FMU), coupled to joints: motions in, efforts out";

/// The fields in which all elements of one type agree, as a key.
std::string key_of(Strided<const FieldValue> fields) {
  std::string key = stamp_of(std::string(fields[file].text)) + '\n';
  for (const Field f : {positions, velocities, commands, efforts, channels, start_values})
    key += std::string(fields[f].text) + '\n';
  return key + fmt::format("{} {}", fields[kind].integer, fields[interval].number);
}

/// Evaluates the equations at the start, so that a failure there is reported before any run.
void check_first_call(const FmuInstance& fmu, std::size_t states) {
  std::vector<double> rates(states);
  if (done(fmu.calls().get_rates(fmu.handle(), rates.data(), states))) return;
  throw FmuError(fmt::format("its derivatives cannot be computed at the start{}{}",
                             fmu.message()[0] == '\0' ? "" : ": ", fmu.message()),
                 "Look at its start values, and into its own log.");
}

class AnyFmu final : public ForceType, public TypeVariants {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static const TypeDescriptor descriptor{.name = "fmu", .meaning = what_it_is, .fields = specs};
    return descriptor;
  }
  const void* query(std::string_view asked) const noexcept override {
    return asked == TypeVariants::interface_name ? static_cast<const TypeVariants*>(this) : nullptr;
  }
  const ForceType* variant(Strided<const FieldValue> fields) const noexcept override {
    static std::mutex guard;
    static std::map<std::string, std::unique_ptr<const FmuType>> all;
    try {
      const std::string key = key_of(fields);
      const std::lock_guard lock(guard);
      std::unique_ptr<const FmuType>& type = all[key];
      if (!type) type = std::make_unique<const FmuType>(fields);
      return type.get();
    } catch (...) {
      return this;
    }
  }
  bool define(ElementInstance&, std::size_t instance, FieldSink& sink) const noexcept override {
    sink.report(Severity::error, instance, file, "the FMU was not opened", "Give the file of an FMU.");
    return false;
  }
  ForceBatch* create(Strided<const ElementInstance>) const noexcept override { return nullptr; }
};

class FmuModule final : public ModuleType {
 public:
  const TypeDescriptor& descriptor() const noexcept override { return fmu_type().descriptor(); }
  bool define(ElementInstance&, std::size_t instance, FieldSink& sink) const noexcept override {
    sink.report(Severity::error, instance, file, "a coupled module has no FMU among its members",
                "Let the FMU be a module by itself.");
    return false;
  }
  ModuleBatch* create(Strided<const ElementInstance>) const noexcept override { return nullptr; }
};

}  // namespace

FmuType::FmuType(Strided<const FieldValue> fields) noexcept {
  try {
    set_up(fields);
  } catch (const FmuError& problem) {
    error_ = problem.what();
    remedy_ = problem.remedy;
  } catch (const std::exception& problem) {
    error_ = problem.what();
  }
  if (!error_.empty()) states_.clear();
  descriptor_ =
      TypeDescriptor{.name = "fmu", .meaning = what_it_is, .fields = specs, .states = states_, .outputs = outputs_};
}

void FmuType::set_up(Strided<const FieldValue> fields) {
  coupling_ = coupling_of(fields);
  const Fmu& fmu = *coupling_.fmu;
  // Instantiates it here, so that a failure is seen before a run.
  const StartValues start(coupling_, fields);
  const FmuInstance first(fmu, start.references, start.values, start.counted);
  if (first.wants_end())
    throw FmuError("it asks for the end of the simulation at its start", "Look at its start values.");
  const auto variable = [&](const std::string& name) {
    const auto& all = fmu.description().variables;
    const auto known = all.find(name.substr(0, all.contains(name) ? name.size() : name.rfind('[')));
    return Variable{.name = texts_.emplace_back(name),
                    .unit = texts_.emplace_back(known == all.end() ? "1" : known->second.unit.name)};
  };
  // A name of our own that no variable has.
  const auto own = [&](std::string name, const char* unit) {
    const auto has = [&](const std::vector<std::string>& names) {
      return std::ranges::find(names, name) != names.end();
    };
    while (has(coupling_.names) || has(fmu.states())) name += '_';
    return Variable{.name = texts_.emplace_back(name), .unit = unit};
  };
  states_.push_back(own("start", "1"));
  if (fmu.kind() == Kind::co_simulation) {
    states_.push_back(own("steps", "1"));
    for (const std::string& name : coupling_.names) states_.push_back(variable(name));
    held_ = states_.size();
    has_events_ = true;
    return;
  }
  check_first_call(first, fmu.states().size());
  ends_steps_ = fmu.description().needs_step_endings;
  has_events_ = fmu.events() > 0 || std::isfinite(first.next_time()) ||
                (ends_steps_ && fmu.description().can_serialize);  // it may ask for an event after any step
  if (has_events_ && !fmu.description().can_serialize)
    throw FmuError("it has events, but its state cannot be read and set (canSerializeFMUstate)",
                   "Solvers ask for it at states before and after an event: export it for co-simulation.");
  if (has_events_) {
    states_.push_back(own("discrete", "1"));
    states_.push_back(own("next_event", "s"));
  }
  held_ = states_.size();
  for (const std::string& name : fmu.states()) states_.push_back(variable(name));
  for (std::size_t k = 0; k < coupling_.names.size(); ++k)
    outputs_.push_back(
        {.name = texts_.emplace_back(coupling_.names[k]), .unit = texts_.emplace_back(coupling_.units[k].name)});
}

bool FmuType::define(ElementInstance& i, std::size_t instance, FieldSink& sink) const noexcept {
  const auto refuse = [&](Field field, std::string_view what, std::string_view remedy) {
    sink.report(Severity::error, instance, field, what, remedy);
    return false;
  };
  if (!error_.empty()) return refuse(file, Message("the FMU {}: {}", i.fields[file].text, error_), remedy_);
  std::size_t nq = 0, nv = 0;
  for (const JointShape& joint : i.joints) {
    nq += joint.nq;
    nv += joint.nv;
  }
  const auto fits = [&](Field field, std::size_t given, std::size_t expected, std::string_view of) {
    return given == 0 || given == expected ||
           refuse(field, Message("{} names are given for {} {} of the joints", given, expected, of),
                  "Give one for each, with commas between; - where none is meant.");
  };
  if (const std::string misfit = misfit_of_units(coupling_, i.joints); !misfit.empty())
    sink.report(Severity::warning, instance, file, Message("the FMU {}: {}", i.fields[file].text, misfit),
                "The number is handed over in SI units as it is: couple it to a joint that moves that way, or correct "
                "the unit in its tool, if that is not meant.");
  return fits(positions, coupling_.positions.size(), nq, "coordinates") &&
         fits(velocities, coupling_.velocities.size(), nv, "velocities") &&
         fits(efforts, coupling_.efforts.size(), nv, "velocities");
}

ForceBatch* FmuType::create(Strided<const ElementInstance> instances) const noexcept {
  try {
    return coupling_.fmu->kind() == Kind::co_simulation ? steps_of(*this, instances) : equations_of(*this, instances);
  } catch (...) {
    return nullptr;
  }
}

const ForceType& fmu_type() noexcept {
  static const AnyFmu type;
  return type;
}

const ModuleType& fmu_module() noexcept {
  static const FmuModule type;
  return type;
}

}  // namespace polyform::fmus
