#include "tests/benchmark/formulation_engine.hpp"

#include <chrono>
#include <fstream>
#include <sstream>
#include <unordered_map>

#include "framework/host/evaluation/observation_store.hpp"
#include "framework/host/reading/reader.hpp"
#include "tests/benchmark/model_text.hpp"

namespace polyform::benchmark {
namespace {

std::string first_error(const host::Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.all())
    if (d.severity == Severity::error) return std::string(d.message);
  return "it cannot be read";
}

class FormulationEngine final : public Engine {
 public:
  FormulationEngine(const Formulation& formulation, const PolyformModel& model)
      : formulation_(formulation), model_(model) {}

  void load(const Mechanism& mechanism) override {
    mechanism_ = &mechanism;
    const SystemView& view = model_.system->view();
    solver_ = solver_for(*model_.system, formulation_);
    derivative_.resize(solver_->state_size());
    std::vector<double> q(view.nq), v(view.nv);
    const std::vector<double> x(view.states);
    for (std::size_t k = 0; k < 2; ++k) {
      copy_state(mechanism.states[k], q, v);
      vectors_[k].resize(solver_->state_size());
      check(solver_->encode({.q = q, .v = v, .x = x}, vectors_[k]));
    }
  }
  void evaluate(std::size_t state) override {
    last_ = state;
    check(solver_->derivative(0, vectors_[state], derivative_));
  }
  void accelerations(std::vector<double>& out) override {
    const SystemView& view = model_.system->view();
    host::ObservationStore store(view);
    Observation& observation = store.now();
    check(solver_->observe(0, vectors_[last_], observation));
    auto next = out.begin();
    for (std::size_t i = 0; i < mechanism_->bodies.size(); ++i) {
      const JointData& joint = view.joints[model_.joints[i]];
      next =
          std::copy_n(observation.acceleration.begin() + static_cast<std::ptrdiff_t>(joint.v_offset), joint.nv, next);
    }
  }

 private:
  void copy_state(const State& from, std::vector<double>& q, std::vector<double>& v) const {
    std::size_t at_q = 0, at_v = 0;
    for (const std::size_t j : model_.joints) {
      const JointData& joint = model_.system->view().joints[j];
      for (std::size_t i = 0; i < joint.nq; ++i) q[joint.q_offset + i] = from.q[at_q++];
      for (std::size_t i = 0; i < joint.nv; ++i) v[joint.v_offset + i] = from.v[at_v++];
    }
  }
  void check(Status status) const {
    if (status != Status::ok) throw Cannot(std::string(solver_->failure()));
  }

  const Formulation& formulation_;
  const PolyformModel& model_;
  const Mechanism* mechanism_ = nullptr;
  host::SolverPointer solver_;
  std::vector<double> vectors_[2], derivative_;
  std::size_t last_ = 0;
};

}  // namespace

std::string content_of(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) throw Cannot(file + " cannot be read");
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::unique_ptr<host::System> assembled(const std::string& text, const host::Registry& registry, double& read_seconds,
                                        double& assemble_seconds) {
  using Clock = std::chrono::steady_clock;
  host::Diagnostics diagnostics;
  bool missing = false;
  const auto start = Clock::now();
  host::Description description = host::read_model_text(text, "model", registry.catalog(), diagnostics, missing);
  const auto read = Clock::now();
  std::unique_ptr<host::System> system;
  if (!diagnostics.failed())
    system = host::System::assemble(std::move(description), registry.keep_alive(), diagnostics);
  if (!system) throw Cannot(first_error(diagnostics));
  read_seconds = std::chrono::duration<double>(read - start).count();
  assemble_seconds = std::chrono::duration<double>(Clock::now() - read).count();
  return system;
}

PolyformModel::PolyformModel(const Mechanism& mechanism, const host::Registry& registry) {
  const ModelText model = model_text(mechanism);
  text_bytes = model.text.size();
  system = assembled(model.text, registry, read_seconds, assemble_seconds);
  std::unordered_map<std::string_view, std::size_t> index;
  const SystemView& view = system->view();
  for (std::size_t j = 0; j < view.joints.size(); ++j) index.emplace(view.joints[j].name, j);
  for (const std::string& name : model.joints) joints.push_back(index.at(name));
}

host::SolverPointer solver_for(const host::System& system, const Formulation& formulation,
                               const std::vector<std::pair<std::string, std::string>>& given) {
  host::Diagnostics diagnostics;
  if (!host::can_run(formulation, system.view(), diagnostics)) throw Cannot(first_error(diagnostics));
  host::Description storage;
  const std::vector<FieldValue> options =
      host::read_options(formulation.options(), given, formulation.name(), storage, diagnostics);
  if (diagnostics.failed()) throw Cannot(first_error(diagnostics));
  try {
    return host::compile(formulation, system.view(), options);
  } catch (const host::Failure& failure) {
    throw Cannot(failure.message());
  }
}

std::unique_ptr<Engine> formulation_engine(const Formulation& formulation, const PolyformModel& model) {
  return std::make_unique<FormulationEngine>(formulation, model);
}

}  // namespace polyform::benchmark
