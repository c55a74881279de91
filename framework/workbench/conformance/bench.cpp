#include "framework/workbench/conformance/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "framework/host/reading/reader.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform::host::inline conformance {

namespace {

/// For types that random models can do without: joints need few, one by one, and forces more.
constexpr std::uint64_t few_tries = 60, joint_tries = 20;
// A type whose fields exclude each other refuses most draws that give half of them: after so many, fewer are given. The
// elements of random models are those that are accepted before.
constexpr std::uint64_t before_sparing = few_tries;

std::string first_error(const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.all())
    if (d.severity == Severity::error) return fmt::format("{}{}{}", d.path, d.path.empty() ? "" : ": ", d.message);
  return "no reason was given";
}

}  // namespace

Sample example_of(const std::string& file, const Catalog& catalog, std::shared_ptr<const void> keep_alive,
                  bool lenient) {
  if (file.empty()) return {};
  Diagnostics diagnostics;
  bool missing = false;
  Description model = read_model(file, catalog, diagnostics, missing, {lenient});
  std::unique_ptr<System> system;
  if (!diagnostics.failed()) system = System::assemble(std::move(model), std::move(keep_alive), diagnostics);
  if (!system)
    throw Failure(missing ? Exit::plugin : Exit::bad_input,
                  fmt::format("{} is no sound model: {}", file, first_error(diagnostics)),
                  "polyform check MODEL tells all that is wrong with it.");
  std::ifstream text(file);
  return {{std::istreambuf_iterator<char>(text), {}}, std::move(system)};
}

Bench::Bench(const Catalog& catalog, std::shared_ptr<const void> keep_alive, ExampleFields examples, bool thorough,
             std::uint64_t draw)
    : catalog_(catalog),
      keep_alive_(std::move(keep_alive)),
      examples_(std::move(examples)),
      thorough_(thorough),
      draw_(draw),
      integrator_(preferred_adaptive_integrator(catalog.integrators)) {
  find_joints();
}

Bench::Bench(const Bench& other, const Catalog& catalog)
    : catalog_(catalog),
      keep_alive_(other.keep_alive_),
      examples_(other.examples_),
      thorough_(other.thorough_),
      draw_(other.draw_),
      integrator_(other.integrator_),
      joints_(other.joints_),
      rheonomic_joints_(other.rheonomic_joints_),
      forces_(other.forces()) {}

std::optional<Sample> Bench::assemble(const std::string& text, std::string& complaint) const {
  Diagnostics diagnostics;
  bool missing = false;
  Description model = read_model_text(text, "random model", catalog_, diagnostics, missing);
  std::unique_ptr<System> system;
  if (!diagnostics.failed()) system = System::assemble(std::move(model), keep_alive_, diagnostics);
  if (system) return Sample{text, std::move(system)};
  complaint = first_error(diagnostics);
  if (diagnostics.plugin_at_fault()) throw Failure(Exit::plugin, complaint);
  return {};
}

Sample Bench::sample(std::uint64_t seed, const std::function<void(ModelWriter&, Random&)>& write,
                     std::uint64_t tries) const {
  // By their place: what is complained of most is what stands in the way, not what was drawn badly by chance.
  struct Complaints {
    int count = 0;
    std::string text;
  };
  std::map<std::string, Complaints> all;
  for (std::uint64_t attempt = 0; attempt < tries; ++attempt) {
    std::string complaint;
    constexpr std::uint64_t between_draws = 1'000'003;
    Random random(1000 * seed + attempt + between_draws * draw_);
    ModelWriter writer(random, examples_, attempt >= before_sparing);
    write(writer, random);
    if (auto accepted = assemble(writer.text(), complaint)) return std::move(*accepted);
    Complaints& same = all[complaint.substr(0, complaint.find(' '))];
    ++same.count;
    same.text = std::move(complaint);
    if (writer.lacks_a_field())
      throw Undecided(fmt::format("no random instance can be made: {}; give --model FILE with an example", same.text));
  }
  const auto most = std::ranges::max_element(all, {}, [](const auto& entry) { return entry.second.count; });
  throw Undecided(
      fmt::format("no random instance was accepted in {} tries, {} times because of {}; give --model FILE "
                  "with an example",
                  tries, most->second.count, most->second.text));
}

/// Tries every loaded joint type once, on a single body.
void Bench::find_joints() {
  for (const auto& [name, type] : catalog_.joints) {
    try {
      const Sample one = sample(
          7,
          [&, joint = type](ModelWriter& writer, Random&) {
            writer.add_joint("j", joint->name(), joint->fields(), "ground", writer.add_body());
          },
          joint_tries);
      if (rheonomic_kernel(one.view().joints[0]) != nullptr)
        rheonomic_joints_.push_back(type);
      else
        joints_.push_back({type, one.view().joints[0].nv});
    } catch (const std::exception&) {
      // Its own battery tells; no random model has it.
    }
  }
}

const std::vector<const ForceType*>& Bench::forces() const {
  if (forces_) return *forces_;
  forces_.emplace();
  for (const auto& [name, type] : catalog_.forces) {
    try {
      sample(
          7,
          [&, force = type](ModelWriter& writer, Random& random) {
            const KnownJoint& joint =
                joints_.at(static_cast<std::size_t>(random.integer(0, static_cast<int>(joints_.size()) - 1)));
            writer.add_joint("j", joint.type->name(), joint.type->fields(), "ground", writer.add_body());
            writer.add_body();
            writer.add_element("forces", "f", force->name(), force->fields());
          },
          few_tries);
      forces_->push_back(type);
    } catch (const std::exception&) {
      // As above; without joints there is nothing to try it on.
    }
  }
  return *forces_;
}

const JointType& Bench::loose_joint() const {
  for (const KnownJoint& joint : joints_)
    if (joint.nv == 6) return *joint.type;
  throw Undecided("no loaded joint type leaves all six freedoms, which a loop for this check needs");
}

Sample Bench::random_model(const RandomModelSettings& settings) const {
  if (joints_.empty()) throw Undecided("no joint type is loaded to make models with");
  return sample(settings.seed, [&](ModelWriter& writer, Random& random) {
    const auto below = [&](std::size_t n) {
      return static_cast<std::size_t>(random.integer(0, static_cast<int>(n) - 1));
    };
    std::vector<std::string> bodies;
    for (int i = 0; i < settings.bodies; ++i) bodies.push_back(writer.add_body());
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const KnownJoint& joint = joints_[below(joints_.size())];
      const std::string parent = i == 0 || random.integer(0, 5) == 0 ? "ground" : bodies[below(i)];
      const bool backwards = random.coin();
      writer.add_joint(fmt::format("j{}", i), joint.type->name(), joint.type->fields(), backwards ? bodies[i] : parent,
                       backwards ? parent : bodies[i]);
    }
    for (int i = 0; i < settings.loops; ++i) {
      const std::size_t a = below(bodies.size());
      std::size_t b = below(bodies.size() + 1);  // the last: ground
      if (b == a) b = bodies.size();
      const KnownJoint& joint = joints_[below(joints_.size())];
      writer.add_joint(fmt::format("c{}", i), joint.type->name(), joint.type->fields(),
                       b == bodies.size() ? "ground" : bodies[b], bodies[a]);
    }
    if (!settings.forces || forces().empty()) return;
    for (int i = 0; i < settings.bodies; i += 2) {
      const ForceType& force = *forces()[below(forces().size())];
      writer.add_element("forces", fmt::format("f{}", i), force.name(), force.fields());
    }
  });
}

std::vector<const Formulation*> Bench::formulations_for(const SystemView& view) const {
  std::vector<const Formulation*> all;
  for (const auto& [name, formulation] : catalog_.formulations) {
    Diagnostics ignored;
    if (can_run(*formulation, view, ignored)) all.push_back(formulation);
  }
  return all;
}

SolverPointer make_solver(const Formulation& formulation, const SystemView& view,
                          const std::vector<std::pair<std::string, std::string>>& given) {
  Diagnostics diagnostics;
  Description storage;
  const std::vector<FieldValue> options =
      read_options(formulation.options(), given, formulation.name(), storage, diagnostics);
  if (diagnostics.failed()) throw Failure(Exit::bad_input, first_error(diagnostics));
  return compile(formulation, view, options);
}

}  // namespace polyform::host::conformance
