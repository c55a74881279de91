#include "framework/host/expressions/state_reader.hpp"

#include <algorithm>

namespace polyform::host::inline expressions {

namespace {

constexpr std::size_t of_ground = no_place;

template <class Index>
std::size_t number_of(std::vector<Index>& list, Index one) {
  const auto known = std::ranges::find(list, one);
  const auto number = static_cast<std::size_t>(known - list.begin());
  if (known == list.end()) list.push_back(one);
  return number;
}

/// A component of a body's motion; no vector for what is none.
struct ComponentRead {
  Vec3 MarkerMotion::*vector = nullptr;
  double Vec3::*component = nullptr;
};
ComponentRead component_read_by(StateInput::Kind kind) {
  using Kind = StateInput::Kind;
  if (kind < Kind::x || kind > Kind::wz) return {};
  constexpr Vec3 MarkerMotion::*vectors[] = {&MarkerMotion::position, &MarkerMotion::velocity,
                                             &MarkerMotion::angular_velocity};
  constexpr double Vec3::*components[] = {&Vec3::x, &Vec3::y, &Vec3::z};
  const std::size_t k = static_cast<std::size_t>(kind) - static_cast<std::size_t>(Kind::x);
  return {vectors[k / 3], components[k % 3]};
}

}  // namespace

std::size_t rate_place(const JointShape& shape, std::size_t position) {
  if (shape.code_defined) return shape.nq == shape.nv ? position : no_place;
  std::size_t q = 0, v = 0;
  for (const Primitive& p : shape.primitives) {
    if (position < q + position_count(p.kind)) return p.kind == Primitive::Kind::ball ? no_place : v + (position - q);
    q += position_count(p.kind);
    v += velocity_count(p.kind);
  }
  return no_place;
}

StateReader::StateReader(const Formulas& all, std::span<const std::uint32_t> numbers) {
  using Kind = StateInput::Kind;
  for (const std::uint32_t number : numbers) {
    const StateInput& input = all.inputs[number];
    Source& source = sources_.emplace_back(Source{input});
    if (input.kind == Kind::position || input.kind == Kind::velocity || input.kind == Kind::acceleration)
      source.attachment = number_of(joints_, static_cast<JointIndex>(input.of));
    else if (input.kind == Kind::state || input.kind == Kind::held || input.kind == Kind::within)
      source.offset = input.index;
    else if (input.kind == Kind::given)
      source.given = all.given[input.index];
    else if (input.kind != Kind::time && input.kind != Kind::element_state && input.kind != Kind::element_output &&
             input.kind != Kind::module_number)
      source.attachment = input.of < 0 ? of_ground : number_of(bodies_, static_cast<BodyIndex>(input.of));
  }
}

bool StateReader::place(Strided<const JointShape> shapes, std::size_t& wrong) {
  std::vector<std::size_t> q{0}, v{0};
  for (const JointShape& shape : shapes) {
    q.push_back(q.back() + shape.nq);
    v.push_back(v.back() + shape.nv);
  }
  for (std::size_t k = 0; k < sources_.size(); ++k) {
    Source& s = sources_[k];
    const bool position = s.input.kind == StateInput::Kind::position;
    if (!position && s.input.kind != StateInput::Kind::velocity && s.input.kind != StateInput::Kind::acceleration)
      continue;
    const JointShape& shape = shapes[s.attachment];
    const std::size_t count = position ? shape.nq : shape.nv;
    wrong = k;
    if (s.input.index >= count || (!s.input.with_index && count != 1)) return false;
    s.offset = (position ? q : v)[s.attachment] + s.input.index;
    if (const std::size_t rate = position ? rate_place(shape, s.input.index) : no_place; rate != no_place)
      s.rate = v[s.attachment] + rate;
  }
  plain_.clear();
  for (const Source& s : sources_) plain_.push_back(plain_of(s));
  reads_motion_alone_ = std::ranges::all_of(sources_, is_plain);
  return true;
}

bool StateReader::is_plain(const Source& s) {
  const StateInput::Kind kind = s.input.kind;
  return kind == StateInput::Kind::time || kind == StateInput::Kind::position || kind == StateInput::Kind::velocity ||
         component_read_by(kind).vector != nullptr;
}

StateReader::Plain StateReader::plain_of(const Source& s) {
  using Kind = StateInput::Kind;
  const auto offset = static_cast<std::uint32_t>(s.offset);
  if (s.input.kind == Kind::time) return {.kind = Plain::Kind::time};
  if (s.input.kind == Kind::position) return {.kind = Plain::Kind::position, .offset = offset};
  if (s.input.kind == Kind::velocity) return {.kind = Plain::Kind::velocity, .offset = offset};
  const ComponentRead of = component_read_by(s.input.kind);
  if (of.vector == nullptr || s.attachment == of_ground) return {};
  return {Plain::Kind::motion, static_cast<std::uint32_t>(s.attachment), of.vector, of.component};
}

void StateReader::rates(Strided<const MarkerMotion> markers, std::span<const double> v,
                        std::span<const double> state_rates, std::span<double> out) const noexcept {
  using Kind = StateInput::Kind;
  for (std::size_t k = 0; k < sources_.size(); ++k) {
    const Source& s = sources_[k];
    switch (s.input.kind) {
      case Kind::time: out[k] = 1; break;
      case Kind::position: out[k] = s.rate == no_place ? no_number : v[s.rate]; break;
      case Kind::x:
      case Kind::y:
      case Kind::z:
        out[k] =
            s.attachment == of_ground ? 0 : markers[s.attachment].velocity.*component_read_by(s.input.kind).component;
        break;
      case Kind::state: out[k] = s.offset < state_rates.size() ? state_rates[s.offset] : no_number; break;
      case Kind::held:
      case Kind::within: out[k] = 0; break;
      default: out[k] = no_number;
    }
  }
}

std::vector<GivenValue*> StateReader::given() const {
  std::vector<GivenValue*> all;
  for (const Source& s : sources_)
    if (s.given) all.push_back(s.given.get());
  return all;
}

void StateReader::read(double t, Strided<const MarkerMotion> markers, std::span<const double> q,
                       std::span<const double> v, std::span<const double> states, std::span<const double> held,
                       std::span<const std::int32_t> modes, std::span<double> out) const noexcept {
  using Kind = StateInput::Kind;
  for (std::size_t k = 0; k < sources_.size(); ++k) {
    const Source& s = sources_[k];
    switch (s.input.kind) {
      case Kind::state:
      case Kind::element_state:
      case Kind::module_number: out[k] = s.offset < states.size() ? states[s.offset] : 0; break;
      case Kind::element_output: break;  // read_outputs
      case Kind::held: out[k] = held[s.offset]; break;
      case Kind::within:
        out[k] = s.offset >= modes.size() || static_cast<LimitMode>(modes[s.offset]) == LimitMode::within ? 1 : 0;
        break;
      case Kind::given: out[k] = s.given->at(t); break;
      default:
        // Accelerations are unknown: a row is asked for what is left without them.
        out[k] = value_of(plain_[k], t, markers, q.data(), v.data());
    }
  }
}

}  // namespace polyform::host::inline expressions
