// A host of an SDK to come, in which every structure of the contract has one more member: what plugins of earlier
// versions get from it and give to it. Argument: the folder of plugins, one of each kind, made of the examples.
#include <dlfcn.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "polyform/contract/plugin.hpp"
#include "polyform/contract/second_order.hpp"
#include "tests/contract/host/try_device.hpp"

using namespace polyform;

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::printf("FAILED: %s\n", what);
  std::exit(1);
}
void near(double found, double expected, const char* what) {
  if (std::abs(found - expected) <= 1e-12 * (1 + std::abs(expected))) return;
  std::printf("FAILED: %s is %.17g, expected %.17g\n", what, found, expected);
  std::exit(1);
}

class Offered final : public Registrar {
 public:
  void add(const Formulation& type) noexcept override { formulation = &type; }
  void add(const JointType& type) noexcept override {
    if (type.position_count() == 1) joint = &type;  // the screw, not the joint that depends on time
  }
  void add(const ForceType& type) noexcept override { force = &type; }
  void add(const FlexibleBodyType& type) noexcept override { flexible = &type; }
  void add(const ModuleType& type) noexcept override { module = &type; }
  void add(const ConstraintType& type) noexcept override { constraint = &type; }
  void add(const IntegratorType& type) noexcept override { integrator = &type; }
  void add(const ImporterType& type) noexcept override { importer = &type; }
  void* query(std::string_view asked) noexcept override {
    return asked == DeviceRegistrar::interface_name ? &devices : nullptr;
  }

  const Formulation* formulation = nullptr;
  const JointType* joint = nullptr;
  const ForceType* force = nullptr;
  const FlexibleBodyType* flexible = nullptr;
  const ModuleType* module = nullptr;
  const ConstraintType* constraint = nullptr;
  const IntegratorType* integrator = nullptr;
  const ImporterType* importer = nullptr;
  OneDeviceType devices;
};

class Sink final : public DiagnosticSink, public FieldSink {
 public:
  void report(const Diagnostic& d) noexcept override {
    require(!has(d, &Diagnostic::further) && get(d, &Diagnostic::further) == 7, "a diagnostic of an earlier version");
    ++reports;
  }
  void report(Severity, std::size_t, std::size_t, std::string_view, std::string_view) noexcept override { ++reports; }
  void* query(std::string_view) noexcept override { return nullptr; }
  std::size_t reports = 0;
};

class Definition final : public JointDefinition {
 public:
  void set_position(const Vec3&) noexcept override {}
  void add_primitive(Primitive::Kind, const Vec3&) noexcept override {}
  void set_parameters(std::span<const double> given) noexcept override {
    parameters.assign(given.begin(), given.end());
  }
  std::vector<double> parameters;
};

/// Values by the names of the fields, which are read at the distance of their maker.
struct Values {
  Values(Strided<const FieldSpec> specs, const std::map<std::string, FieldValue, std::less<>>& given)
      : all(specs.size()) {
    require(!specs.has(&FieldSpec::further), "fields of an earlier version know no later member");
    for (std::size_t i = 0; i < specs.size(); ++i) {
      require(!specs[i].name.empty() && !specs[i].meaning.empty(), "every field has a name and a meaning");
      near(specs.get(i, &FieldSpec::further), 7, "the default of a later member of a field");
      if (const auto found = given.find(specs[i].name); found != given.end()) std::construct_at(&all[i], found->second);
    }
  }
  std::vector<FieldValue> all;
};
FieldValue number(double value) {
  FieldValue out;
  out.given = true;
  out.number = value;
  return out;
}
FieldValue integer(std::int64_t value) {
  FieldValue out;
  out.integer = value;
  return out;
}
FieldValue vector(const Vec3& value) {
  FieldValue out;
  out.given = true;
  out.vector = value;
  return out;
}

void try_force(const ForceType& type) {
  // Two dipoles in line at the distance r: they pull each other with 6 k m n / r⁴.
  const Values values(type.fields(), {{"moment_a", vector({3, 0, 0})}, {"moment_b", vector({5, 0, 0})}});
  std::vector<Marker> markers{{BodyIndex::ground, {}}, {body_index(0), {}}};
  const std::vector<Pose> drawn(2);
  // Two instances, so that the second is found only at the right distance.
  std::vector<ElementInstance> instances(2, {.fields = values.all, .markers = markers, .drawn = drawn});
  Sink sink;
  for (std::size_t i = 0; i < 2; ++i) require(type.define(instances[i], i, sink), "the force is defined");
  ForceBatch* batch = type.create(instances);
  require(batch != nullptr, "the force makes a batch");
  std::vector<MarkerMotion> motions(4);
  for (MarkerMotion& m : motions) m.R = Mat3::identity();
  motions[1].position = {2, 0, 0};
  motions[3].position = {0.5, 0, 0};
  std::vector<Spatial> wrenches(4);
  ForceOutput out{.wrenches = wrenches};
  batch->evaluate({.markers = motions}, out);
  near(wrenches[1].linear.x, -6e-7 * 15 / 16, "the force on the first pair");
  near(wrenches[3].linear.x, -6e-7 * 15 * 16, "the force on the second pair");
  near(out.potential_energy, -2e-7 * 15 * (1.0 / 8 + 8), "the potential energy");
  near(get(out, &ForceOutput::further), 7, "a later member of the output, which the plugin leaves alone");
  batch->destroy();
}

void try_constraint(const ConstraintType& type) {
  const Values values(type.fields(), {{"length", number(2)}});
  std::vector<Marker> markers{{BodyIndex::ground, {}}, {body_index(0), {}}};
  const std::vector<Pose> drawn(2);
  std::vector<ElementInstance> instances(2, {.fields = values.all, .markers = markers, .drawn = drawn});
  Sink sink;
  for (std::size_t i = 0; i < 2; ++i) require(type.define(instances[i], i, sink), "the constraint is defined");
  require(type.rows(instances[1]) == 1, "the constraint has one row");
  ConstraintBatch* batch = type.create(instances);
  require(batch != nullptr, "the constraint makes a batch");
  std::vector<MarkerMotion> motions(4);
  motions[3].position = {3, 0, 0};
  motions[3].velocity = {0, 4, 0};
  std::vector<Spatial> A(4);
  std::vector<double> residual(2), velocity(2), acceleration(2), effort(2);
  ConstraintOutput out{
      .A = A, .residual = residual, .velocity_right = velocity, .acceleration_right = acceleration, .effort = effort};
  batch->evaluate({.markers = motions}, out);
  near(residual[1], (9.0 - 4) / 4, "the residual");
  near(A[3].linear.x, 1.5, "the row");
  near(acceleration[1], -8, "the right-hand side");
  batch->destroy();
}

void try_module(const ModuleType& type) {
  require(type.variables().size() == 1 && type.states().size() == 1 && type.rows().size() == 1,
          "a module of one wheel");
  require(type.variables()[0].unit == "rad/s", "the unit of the speed");
  near(type.variables().get(0, &Variable::further), 7, "the default of a later member of a variable");
  const Values values(type.fields(), {{"ratio", number(3)}, {"inertia", number(2)}, {"friction", number(0.5)}});
  const std::vector<JointShape> joints{{.nq = 1, .nv = 1, .primitives = {}}};
  std::vector<ElementInstance> instances(2, {.fields = values.all, .joints = joints});
  Sink sink;
  for (std::size_t i = 0; i < 2; ++i) require(type.define(instances[i], i, sink), "the module is defined");
  ModuleBatch* batch = type.create(instances);
  require(batch != nullptr, "the module makes a batch");
  const std::vector<double> q(2), v{1, 2}, u{4, 6}, x(2);
  std::vector<double> M(2), f(2), A(2), B(2), velocity(2), acceleration(2), efforts(2), xdot(2), residual(2);
  const ForceInput attachments{.q = q, .v = v};
  ModuleOutput out{.M = M,
                   .f = f,
                   .A = A,
                   .B = B,
                   .velocity_right = velocity,
                   .acceleration_right = acceleration,
                   .efforts = efforts,
                   .xdot = xdot,
                   .residual = residual};
  batch->evaluate({.attachments = &attachments, .u = u, .x = x}, out);
  near(f[1], -3, "the friction");
  near(B[1], -3, "the gear");
  near(out.kinetic_energy, 0.5 * 2 * (16 + 36), "the kinetic energy");
  batch->destroy();
}

void try_flexible(const FlexibleBodyType& type) {
  const Values values(type.fields(),
                      {{"length", number(2)}, {"linear_density", number(3)}, {"axial_stiffness", number(100)}});
  std::vector<FlexibleInstance> instances(2, {.fields = values.all});
  require(type.modes(instances[1]) == 1, "the rod has one mode");
  FlexibleBatch* batch = type.create(instances);
  require(batch != nullptr, "the rod makes a batch");
  const std::vector<double> eta{0.1}, rate{0};
  const std::vector<FlexibleInput> in(2, {.angular_velocity = {}, .eta = eta, .etadot = rate});
  std::vector<double> mass(98), force(14);
  std::vector<FlexibleOutput> out(2);
  for (std::size_t i = 0; i < 2; ++i) {
    out[i].mass = std::span(mass).subspan(49 * i, 49);
    out[i].force = std::span(force).subspan(7 * i, 7);
  }
  batch->evaluate(in, out);
  for (std::size_t i = 0; i < 2; ++i) {
    near(mass[49 * i + 3 * 7 + 3], 6, "the mass of the rod");
    near(out[i].strain_energy, 0.5 * 0.01 * 100 * M_PI * M_PI / 16, "the strain energy");
    near(Strided(out).get(i, &FlexibleOutput::further), 7, "a later member of the output");
  }
  batch->destroy();
}

JointData screw(const JointType& type) {
  Sink sink;
  static Definition definition;
  const Values values(type.fields(), {{"axis", vector({0, 0, 1})}, {"pitch", number(0.5)}});
  require(type.define({.fields = values.all}, definition, sink), "the joint is defined");
  JointData joint;
  joint.kernel = type.kernel();
  joint.nq = joint.nv = 1;
  joint.parameters = definition.parameters;
  joint.type = &type;
  return joint;
}

void try_joint(const JointType& type) {
  require(type.position_count() == 1 && type.velocity_count() == 1, "the joint has one coordinate");
  require(type.descriptor().positions[0].unit == "rad", "the unit of the coordinate");
  const JointData joint = screw(type);
  const std::vector<std::span<const double>> parameters(2, joint.parameters);
  const std::vector<double> q{0, 1}, v{0, 2};
  std::vector<JointMotion> motions(2);
  joint.kernel->evaluate({.count = 2, .parameters = parameters, .q = q, .v = v}, motions);
  near(motions[1].R_FM(1, 0), std::sin(1.0), "the turn of the second screw");
  near(motions[1].p_FM.z, 0.5 / (2 * M_PI), "the advance of the second screw");
  near(motions[1].twist.angular.z, 2, "the spin of the second screw");
  near(Strided(motions).get(1, &JointMotion::further), 7, "a later member of the motion");
}

/// A weight on a screw: (I + m h²) q̈ = −m g h, h the advance per radian.
void try_formulation(const Formulation& formulation, const JointType& joint_type) {
  const double h = 0.5 / (2 * M_PI), mass = 2, inertia = 0.1, g = 10;
  std::vector<BodyData> bodies(2);
  std::vector<JointData> joints(2, screw(joint_type));
  for (std::size_t i = 0; i < 2; ++i) {
    bodies[i].name = joints[i].name = i == 0 ? "a" : "b";
    bodies[i].mass = mass * static_cast<double>(1 + i);
    bodies[i].inertia = {inertia, inertia, inertia, 0, 0, 0};
    joints[i].moving = body_index(i);
    joints[i].moving_frame = frame_of(body_index(i));
    joints[i].q_offset = joints[i].v_offset = i;
  }
  SystemView view;
  view.name = "weights on screws";
  view.gravity = {0, 0, -g};
  view.bodies = bodies;
  view.joints = joints;
  view.nq = view.nv = view.nq_tree = view.nv_tree = 2;
  Sink sink;
  require(formulation.supports(view, sink), "the formulation supports the system");
  Solver* solver = formulation.compile(view, {}, sink);
  require(solver != nullptr && sink.reports == 0, "the formulation compiles the system");
  std::vector<double> q(2), v(2), y(solver->state_size()), ydot(y.size());
  require(solver->encode({.q = q, .v = v}, y) == Status::ok, "encode");
  require(solver->derivative(0, y, ydot) == Status::ok, "derivative");
  std::vector<Observation::Body> seen(2);
  std::vector<double> q_out(2), v_out(2), acceleration(2);
  std::vector<Spatial> reactions(2);
  Observation now;
  now.bodies = seen;
  now.q = q_out;
  now.v = v_out;
  now.acceleration = acceleration;
  now.reactions = reactions;
  require(solver->observe(0, y, now) == Status::ok, "observe");
  for (std::size_t i = 0; i < 2; ++i) {
    const double m = bodies[i].mass;
    near(acceleration[i], -m * g * h / (inertia + m * h * h), "the acceleration of a screw");
    near(seen[i].acceleration.z, h * acceleration[i], "the acceleration of a weight");
  }
  near(get(now, &Observation::further), 7, "a later member of the observation");
  Correction correction;
  require(solver->correct(0, y, correction) == Status::ok, "correct");
  solver->destroy();
}

/// A swing, as a system of second order: q̈ = −q.
class Swing final : public FirstOrderSystem, public SecondOrderSystem {
 public:
  std::size_t size() const noexcept override { return 2; }
  std::size_t integrals() const noexcept override { return 0; }
  Status derivative(double, std::span<const double> y, std::span<double> ydot) noexcept override {
    ydot[0] = y[1];
    ydot[1] = -y[0];
    return Status::ok;
  }
  Status correct(double, std::span<double>) noexcept override { return Status::ok; }
  std::string_view failure() const noexcept override { return {}; }
  void* query(std::string_view asked) noexcept override {
    return asked == SecondOrderSystem::interface_name ? static_cast<SecondOrderSystem*>(this) : nullptr;
  }
  std::span<const StateKind> kinds() const noexcept override { return kinds_; }
  Status position_rates(double, std::span<const double> y, std::span<double> ydot) noexcept override {
    ydot[0] = y[1];
    return Status::ok;
  }

 private:
  StateKind kinds_[2] = {StateKind::position, StateKind::velocity};
};

void try_integrator(const IntegratorType& type) {
  Swing swing;
  Sink sink;
  const StepSettings settings{.step = 1e-3, .max_step = 1e-3};
  // Options that a user leaves out reach a plugin with their defaults.
  const Values options(type.fields(), {{"iterations", integer(50)}});
  Integrator* integrator = type.create(swing, settings, options.all, sink);
  require(integrator != nullptr && sink.reports == 0, "the integrator is made");
  require(integrator->start(0, std::vector<double>{1, 0}) == Status::ok, "the integrator starts");
  while (integrator->time() < 1) require(integrator->step(1) == Status::ok, "the integrator steps");
  require(std::abs(integrator->state()[0] - std::cos(1.0)) < 1e-5, "the integrator swings");
  integrator->destroy();
}

class Conversions final : public ConversionSink {
 public:
  void text(std::string_view piece) noexcept override { bytes += piece.size(); }
  void finding(const Finding& f) noexcept override {
    require(!has(f, &Finding::further) && get(f, &Finding::further) == 7, "a finding of an earlier version");
    things += f.count;
  }
  DiagnosticSink& diagnostics() noexcept override { return sink; }
  Sink sink;
  std::size_t bytes = 0, things = 0;
};

void try_importer(const ImporterType& type) {
  const Values options(type.fields(), {});
  Conversions got;
  require(type.recognises(type.example()), "the importer knows its example");
  require(type.import_model({.name = "example", .bytes = type.example()}, options.all, got) == Status::ok &&
              got.sink.reports == 0 && got.bytes > 0 && got.things > 0,
          "the importer converts its example");
  require(type.import_model({.name = "cut", .bytes = "hanging 1\n1 2"}, options.all, got) == Status::failed &&
              got.sink.reports == 1,
          "the importer reports an error");
}

}  // namespace

int main(int count, char** arguments) {
  require(count == 2, "usage: grown_host FOLDER");
  Offered offered;
  std::size_t plugins = 0;
  for (const auto& entry : std::filesystem::directory_iterator(arguments[1])) {
    if (entry.path().extension() != ".so") continue;
    void* library = ::dlopen(entry.path().c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) std::printf("%s\n", ::dlerror());
    require(library != nullptr, "the plugin is loaded");
    const auto* manifest = static_cast<const PluginManifest*>(::dlsym(library, "polyform_manifest"));
    require(manifest != nullptr && manifest->sdk_minor < sdk_minor, "the plugin is of an earlier SDK");
    require(manifest->layouts == contract_layouts(manifest->needs_minor),
            "the plugin lays out structures as they were");
    reinterpret_cast<void (*)(Registrar&)>(::dlsym(library, "polyform_register"))(offered);
    ++plugins;
  }
  require(plugins >= 9 && offered.force && offered.constraint && offered.module && offered.flexible && offered.joint &&
              offered.formulation && offered.integrator && offered.importer && offered.devices.found,
          "there is a plugin of each kind");
  try_force(*offered.force);
  try_constraint(*offered.constraint);
  try_module(*offered.module);
  try_flexible(*offered.flexible);
  try_joint(*offered.joint);
  try_formulation(*offered.formulation, *offered.joint);
  try_integrator(*offered.integrator);
  try_importer(*offered.importer);
  try_device(*offered.devices.found, require);
  DevicesSeen seen;
  offered.devices.found->look(seen);
  for (const DeviceDescription& d : seen.all)
    near(get(d, &DeviceDescription::further), 7, "the default of a later member of a device");
  std::printf("%zu plugins\n", plugins);
}
