#include "polyform/solvers/compiled_model.hpp"

#include <cmath>
#include <memory>
#include <new>
#include <vector>

#include "lanes/lane_worlds.hpp"
#include "polyform/contract/kernels.hpp"
#include "polyform/contract/model_source.hpp"
#include "polyform/contract/newton_matrix.hpp"
#include "polyform/contract/power_source.hpp"
#include "polyform/helpers/compile.hpp"
#include "polyform/helpers/correction_options.hpp"
#include "polyform/solvers/joint_coordinate_solver.hpp"
#include "polyform/solvers/merged_solver.hpp"
#include "polyform/solvers/one_model.hpp"
#include "tracing/model_trace.hpp"

namespace polyform {
namespace {

/// Why the source of the model is that of another system; nullptr where it is the world's own.
const char* compiled_misfit(const CompiledModel& model, const LaneWorld& world) noexcept {
  try {
    const std::vector<double> numbers = tracing::numbers_of(world, {});
    if (tracing::structure_of(world) != model.structure || numbers.size() != model.number_count)
      return "its bodies, joints or forces are not those that were compiled";
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (!std::isnan(model.numbers[i]) && !(numbers[i] == model.numbers[i]))
        return "a number of its bodies, joints or forces differs from the compiled one";
    return nullptr;
  } catch (const std::bad_alloc&) {
    return "memory ran out";
  }
}

/// The kernels of a compiled model in lanes of T.
template <class T>
class CompiledKernels {
 public:
  using Number = std::conditional_t<std::is_same_v<T, double>, double, CompiledNumbers>;

  /// The share of time that checks take stays that of the looped kernels, beside which these are several times as fast.
  static constexpr std::uint32_t between_checks = 512;

  CompiledKernels(const CompiledModel& model, const LaneWorld& world)
      : model_(&model),
        work_(model.work),
        event_count_(model.carries_forces ? world.loads->laws().event_count() : 0),
        events_(event_count_ * CompiledRoom<Number>::stride) {}

  /// Why the model's source has other constants than the world; nullptr where it is carried.
  const char* misfit(const LaneWorld& world) const { return compiled_misfit(*model_, world); }
  bool leaves_out(std::size_t loop, unsigned rows) const { return model_->rows_left_out[loop] == rows; }
  bool carries_forces() const { return model_->carries_forces; }
  /// Which of what acts at times does so in a lane of the last batch, as a number: the signs of the event functions.
  std::uint64_t acting(std::size_t lane) const {
    std::uint64_t signs = 0;
    for (std::size_t i = 0; i < event_count_; ++i)
      signs = (signs ^ (events_[i * CompiledRoom<Number>::stride + lane] < 0 ? std::uint64_t{2} : std::uint64_t{1})) *
              0x100000001b3u;
    return signs;
  }
  static constexpr bool is_code = true;
  void move(const lanes::Batch<T>& b) {
    room_ = room_of(b);
    bad_ = typename CompiledRoom<Number>::Mask{};
    if constexpr (std::is_same_v<T, double>)
      model_->move_one(room_);
    else
      model_->move_lanes(room_);
  }
  /// After move() in the same batch.
  lanes::Mask<T> accelerate(const lanes::Batch<T>&) {
    if constexpr (std::is_same_v<T, double>) {
      model_->accelerate_one(room_);
      return bad_;
    } else {
      model_->accelerate_lanes(room_);
      return {bad_};
    }
  }

 private:
  CompiledRoom<Number> room_of(const lanes::Batch<T>& b) {
    const auto flat = [](auto* part) { return reinterpret_cast<const Number*>(part); };
    const lanes::Room<T>& room = b.room;
    CompiledRoom<Number> out;
    out.y = b.y.numbers;
    out.ydot = b.rates.numbers;
    out.sines = flat(room.sines);
    out.cosines = flat(room.cosines);
    out.constants = flat(b.worlds.constants);
    out.frames = flat(b.worlds.frames);
    out.axes = flat(b.worlds.axes);
    out.ground = flat(b.worlds.ground);
    out.cuts = room.loops != nullptr ? flat(room.loops->cuts) : nullptr;
    out.cut_places = flat(b.worlds.cut_places);
    out.forces = reinterpret_cast<const Number*>(b.worlds.forces);
    out.events = events_.data();
    out.power = b.power != nullptr ? b.power : unasked_power_;
    out.motions = flat(room.motions);
    out.loads = flat(room.loads);
    out.efforts = flat(room.efforts);
    out.frame_motions = reinterpret_cast<Number*>(room.frames);
    out.work = work_.data();
    out.bad = &bad_;
    return out;
  }

  const CompiledModel* model_;
  std::vector<Number> work_;
  std::size_t event_count_;
  std::vector<double> events_;  ///< values of event functions in the lanes of a batch
  double unasked_power_[LanesOf<T>::count]{};
  CompiledRoom<Number> room_;
  typename CompiledRoom<Number>::Mask bad_{};
};

/// One world alone goes sooner by the tables where the code of the kernels is larger than what a processor keeps of it
/// at hand; worlds in lanes share the way of the code, and go sooner at any length.
constexpr std::size_t most_operations_of_one = 8000;

/// A solver by the recursion whose accelerations are the compiled ones; all else is its own.
class CompiledSolver final : public Solver, private PowerSource, private NewtonDerivative {
 public:
  /// Takes the solver, which shows a world that fits the model.
  CompiledSolver(const CompiledModel& model, Solver& own, const LaneWorld& world)
      : model_(model), own_(own), world_(world), single_(world, CompiledKernels<double>(model, world)) {
    if (const auto* its = ask<Kernels>(own))
      for (std::size_t i = 0; i < its->count(); ++i) kernels_.add(its->name(i));
    kernels_.add(kernels::compiled_model);
    single_.set_world(0, own);
  }

  std::string_view failure() const noexcept override { return failed_ ? own_.failure() : std::string_view(); }
  void* query(std::string_view asked) noexcept override {
    if (asked == Kernels::interface_name) return static_cast<Kernels*>(&kernels_);
    if (asked == BatchEvaluation::interface_name) return batch();
    if (asked == ModelSource::interface_name) return nullptr;
    if (asked == NewtonDerivative::interface_name && own_.query(asked) != nullptr)
      return static_cast<NewtonDerivative*>(this);
    if (asked == PowerSource::interface_name && own_.query(asked) != nullptr) return static_cast<PowerSource*>(this);
    return own_.query(asked);
  }
  void destroy() noexcept override { delete this; }

 private:
  using Single = lanes::Evaluation<double, CompiledKernels<double>, 1>;
  using Numbers = Pack<pack_size>;
  using Together = lanes::Evaluation<Numbers, CompiledKernels<Numbers>, lanes::usual_lanes>;

  ~CompiledSolver() { own_.destroy(); }
  BatchEvaluation* batch() noexcept {
    try {
      if (!together_) together_ = std::make_unique<Together>(world_, CompiledKernels<Numbers>(model_, world_));
      return together_.get();
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }
  Status noted(Status status) noexcept {
    failed_ = status != Status::ok;
    return status;
  }

  std::size_t do_state_size() const noexcept override { return own_.state_size(); }
  Status do_encode(const ConstStateView& state, std::span<double> y) noexcept override {
    const Status status = own_.encode(state, y);
    single_.start_anew(0);
    return noted(status);
  }
  Status do_decode(std::span<const double> y, const StateView& state) noexcept override {
    return noted(own_.decode(y, state));
  }
  Status do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept override {
    if (model_.operations > most_operations_of_one) return noted(with_power(own_.derivative(t, y, ydot)));
    const std::uint8_t active = 1;
    std::uint8_t done = 0;
    BatchOutput out{.ydot = ydot, .power = std::span(&power_, 1), .done = std::span(&done, 1)};
    single_.evaluate({.t = std::span(&t, 1), .y = y, .active = std::span(&active, 1)}, out);
    return noted(done != 0 ? Status::ok : Status::failed);
  }
  Status derivative_to_solve(double t, std::span<const double> y, std::span<double> ydot) noexcept override {
    return noted(with_power(ask<NewtonDerivative>(own_)->derivative_to_solve(t, y, ydot)));
  }
  /// Takes the power of what its own solver has just evaluated.
  Status with_power(Status status) noexcept {
    if (auto* const its = ask<PowerSource>(own_)) power_ = its->power();
    return status;
  }
  /// At the last derivative, of whichever kind.
  double power() noexcept override { return power_; }
  Status do_correct(double t, std::span<double> y, Correction& out) noexcept override {
    return noted(own_.correct(t, y, out));
  }
  Status do_observe(double t, std::span<const double> y, Observation& out) noexcept override {
    return noted(own_.observe(t, y, out));
  }

  const CompiledModel& model_;
  Solver& own_;
  LaneWorld world_;
  Single single_;
  std::unique_ptr<Together> together_;  ///< made when it is first asked for
  KernelList kernels_;
  double power_ = 0;
  bool failed_ = false;
};

constexpr FieldSpec compiled_options[] = {correction_option(), tolerance_option()};

class CompiledFormulation final : public Formulation {
 public:
  explicit CompiledFormulation(const CompiledModel& model) : model_(model), one_model_{model.model} {}

  std::string_view name() const noexcept override { return model_.name; }
  std::string_view meaning() const noexcept override { return model_.model; }
  std::string_view source() const noexcept override {
    return "Rui, Bestle, Wang, Zhang: A new version of the Riccati transfer matrix method for multibody systems "
           "consisting of chain and branch bodies. Multibody System Dynamics 49 (2020)";
  }
  Strided<const FieldSpec> options() const noexcept override { return compiled_options; }
  std::uint32_t abilities() const noexcept override {
    return Ability::closed_loops | Ability::redundant_constraints | Ability::first_order_states | Ability::code_joints |
           Ability::reactions | Ability::singular_mass;
  }
  /// Nobody gets it who does not ask for it.
  int preference() const noexcept override { return -1; }
  const void* query(std::string_view asked) const noexcept override {
    return asked == OneModel::interface_name ? &one_model_ : nullptr;
  }

  Solver* compile(const SystemView& view, Strided<const FieldValue> options,
                  DiagnosticSink& sink) const noexcept override {
    const LoopCorrection correction{options[0].integer == 0, options[1].number};
    const auto make = [&](std::optional<Refusal>& refusal) -> Solver* {
      Solver* const own = with_welds_merged(
          view, [&](const SystemView& merged) { return made_solver<JointCoordinateSolver>(merged, correction); });
      if (own == nullptr) return nullptr;
      const auto* const world = static_cast<const LaneWorld*>(own->query(LaneWorld::interface_name));
      if (const char* const why = refused(world)) {
        refusal = {std::string(name()) + " was compiled for another model: " + why,
                   "compile this one: polyform compile MODEL"};
        own->destroy();
        return nullptr;
      }
      return new CompiledSolver(model_, *own, *world);
    };
    return compiled(name(), "make the model smaller", sink, make);
  }

 private:
  const char* refused(const LaneWorld* world) const noexcept {
    if (world == nullptr) return "it has no lanes";
    if (const char* const why = LaneEvaluation::refusal_of_code(*world)) return why;
    return compiled_misfit(model_, *world);
  }

  const CompiledModel& model_;
  OneModel one_model_;
};

}  // namespace

const Formulation& compiled_formulation(const CompiledModel& model) noexcept {
  static const CompiledFormulation instance(model);
  return instance;
}

}  // namespace polyform
