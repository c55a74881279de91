#include "apps/view/live_work.hpp"

#include <algorithm>
#include <csignal>
#include <memory>

#include "apps/report/flexible_lines.hpp"
#include "apps/report/mechanism.hpp"
#include "apps/session/solver_choice.hpp"
#include "apps/text/json_output.hpp"
#include "apps/text/terminal.hpp"
#include "apps/view/live_commands.hpp"
#include "framework/host/columns/row_maker.hpp"
#include "framework/host/simulation/simulate.hpp"

namespace polyform::apps {

namespace {

/// With more places than this, no body can be pushed, because the force is attached to each of them.
constexpr std::size_t most_places = 5000;
/// Rows for each second of the wall clock, and the least number of rows of a run.
constexpr double rows_per_second = 60, fewest_rows = 200;

/// The speed at which a run can be watched: its own, or one at which it takes ten seconds.
double fitted_speed(double duration) {
  constexpr double shortest = 2, longest = 120, watched = 10;  // s
  return duration >= shortest && duration <= longest ? 1 : duration / watched;
}

void send(const host::Messenger& out, const Json& message) {
  out.send("J" + message.dump(-1, ' ', false, Json::error_handler_t::replace));
}

const char* word_of(Severity severity) {
  return severity == Severity::error ? "error" : severity == Severity::warning ? "warning" : "note";
}

Json messages_json(const host::Diagnostics& diagnostics) {
  Json out = Json::array();
  for (const Diagnostic& d : diagnostics.all())
    out.push_back({{"severity", word_of(d.severity)},
                   {"message", std::string(d.message)},
                   {"remedy", std::string(d.remedy)},
                   {"path", std::string(d.path)},
                   {"file", std::string(d.file)},
                   {"line", d.line},
                   {"column", d.column}});
  return out;
}

/// Where the bodies of a model can be pushed. `plain`: the model without the push, which knows the shapes of its modes.
PushPlaces push_places(const host::System& plain) {
  const std::vector<BodyIndex>& bodies = plain.bodies();
  PushPlaces places(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const BodyData& data = plain.view().bodies[at(bodies[i])];
    if (data.flexible == rigid || places.size() > most_places) continue;
    const FlexibleLines lines = flexible_lines(plain.view().flexible[data.flexible], {});
    std::vector<Vec3> points;
    for (const LinePoint& p : lines.points) points.push_back(p.point);
    places.add_lines(i, points, lines.edges);
  }
  return places;
}

void add_push(host::Description& model, const PushPlaces& places, const PushForce& type) {
  std::vector<BodyIndex>& bodies = model.body_lists.emplace_back();
  for (const std::size_t b : places.bodies()) bodies.push_back(body_index(b));
  FieldValue value;
  value.given = true;
  value.bodies = bodies;
  value.points = model.point_lists.emplace_back(places.points());
  host::ForceItem item;
  item.name = item.path = "(push)";  // no name of a model has brackets
  item.type = &type;
  item.fields.values.push_back(value);
  item.fields.places.emplace_back();
  model.forces.push_back(std::move(item));
}

Json model_json(const host::System& system, const std::vector<host::Channel>& channels, const std::string& solver,
                const host::RunSettings& settings, double speed, bool can_push, const host::Diagnostics& said) {
  Json columns = Json::array(), parameters = Json::object();
  for (const host::Channel& channel : channels)
    columns.push_back(Json::array({host::place_of(channel).group, channel.name, channel.unit, channel.own_name}));
  for (const auto& [name, value] : system.description().parameters) parameters[name] = value;
  return {{"type", "model"},
          {"title", system.description().name},
          {"file", system.description().file},
          {"solver", solver},
          {"duration", settings.duration},
          {"speed", speed},
          {"parameters", parameters},
          {"can_push", can_push},
          {"columns", columns},
          {"mechanism", mechanism_json(system)},
          {"messages", messages_json(said)}};
}

/// Rows go out together, as often as a picture can show them.
class LiveRows final : public host::RowSink {
 public:
  LiveRows(host::RowMaker& rows, const host::Messenger& out) : rows_(rows), out_(out) {}
  void work(double work) override { work_ = work; }
  void row(double time, const Observation& now) override {
    const std::span<const double> values = rows_.make(time, now, work_);
    if (text_.empty()) text_ = "R";
    text_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    constexpr std::size_t large = 1u << 20;
    if (text_.size() > large) flush();
  }
  void flush() {
    if (text_.empty()) return;
    out_.send(text_);
    text_.clear();
  }

 private:
  host::RowMaker& rows_;
  const host::Messenger& out_;
  double work_ = 0;
  std::string text_;
};

struct Model {
  SharedPush push;
  PushForce push_type{push};
  PushPlaces places{0};
  std::unique_ptr<host::System> system;
  bool can_push() const { return places.size() > 0 && places.size() <= most_places; }
};

/// False after an error, which was printed.
bool load(const LiveRequest& request, Session& session, Model& model) {
  try {
    host::Diagnostics diagnostics;
    bool missing_plugin = false;
    host::Description description = read(request.model, session.catalog(), diagnostics, missing_plugin);
    if (!diagnostics.failed()) {
      model.places = PushPlaces(description.bodies.size());
      if (std::ranges::any_of(description.bodies, [](const auto& body) { return body.flexible != nullptr; })) {
        host::Diagnostics unheard;  // the same are heard below
        bool ignored = false;
        const auto plain = host::System::assemble(read(request.model, session.catalog(), unheard, ignored),
                                                  session.plugins().libraries, unheard);
        if (plain != nullptr) model.places = push_places(*plain);
      }
      if (model.can_push()) add_push(description, model.places, model.push_type);
      model.system = host::System::assemble(std::move(description), session.plugins().libraries, diagnostics);
    }
    print(diagnostics);
  } catch (const host::Failure& failure) {
    if (failure.message() != already_said) print(Severity::error, failure.message(), failure.remedy());
  }
  return model.system != nullptr;
}

void run(const LiveRequest& request, Session& session, const host::Messenger& out, int socket, Model& model,
         const HeldMessages& held) {
  host::RunSettings settings = settle(session.catalog(), request.run, model.system->description());
  const double speed = request.speed > 0 ? request.speed : fitted_speed(settings.duration);
  // Rows in the rhythm of the picture; steps no longer than a few of them, so that a push is felt at once.
  settings.output_interval =
      std::min(settings.output_interval, std::min(speed / rows_per_second, settings.duration / fewest_rows));
  settings.max_step = std::min(settings.max_step, 3 * settings.output_interval);
  settings.step = std::min(settings.step, settings.max_step);
  const SolverChoice choice = choose_solver(session.catalog(), *model.system, request.solver, request.options);
  const host::SolverPointer solver = compile(choice, model.system->view());
  host::Columns columns;
  columns.reactions = true;
  host::RowMaker rows(*model.system, columns);
  send(out, model_json(*model.system, rows.channels(), std::string(choice.formulation->name()), settings, speed,
                       model.can_push(), held.all()));

  LiveCommands commands(socket, speed, request.paused);
  LiveRows sink(rows, out);
  volatile std::sig_atomic_t stopped = 0;
  const auto progress = [&](double time) {
    sink.flush();
    if (!commands.keep_pace(time)) stopped = 1;
    model.push = model.places.shared(commands.push());
  };
  host::RowSink* const sinks[] = {&sink};
  const host::RunRecord record = host::simulate(*model.system, *solver, settings, sinks, {&stopped, progress});
  sink.flush();
  send(out, {{"type", "end"},
             {"status", std::string(host::name_of(record.end))},
             {"time", record.time},
             {"failure", record.failure},
             {"remedy", record.remedy},
             {"warnings", record.warnings},
             {"energy_drift", record.energy_drift}});
}

}  // namespace

void do_live_work(const LiveRequest& request, Session& session, const host::Messenger& out, int commands) {
  HeldMessages held;
  Model model;
  bool good = load(request, session, model);
  if (good) {
    try {
      run(request, session, out, commands, model, held);
    } catch (const host::Failure& failure) {
      if (failure.message() != already_said) print(Severity::error, failure.message(), failure.remedy());
      good = false;
    }
  }
  if (!good) send(out, {{"type", "errors"}, {"messages", messages_json(held.all())}});
}

}  // namespace polyform::apps
