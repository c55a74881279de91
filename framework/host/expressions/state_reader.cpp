#include "framework/host/expressions/state_reader.hpp"

#include <algorithm>

namespace polyform::host::inline expressions {

namespace {

constexpr std::size_t of_ground = static_cast<std::size_t>(-1);

template <class Index>
std::size_t number_of(std::vector<Index>& list, Index one) {
  const auto known = std::ranges::find(list, one);
  const auto number = static_cast<std::size_t>(known - list.begin());
  if (known == list.end()) list.push_back(one);
  return number;
}

double component(const MarkerMotion& m, StateInput::Kind kind) noexcept {
  using Kind = StateInput::Kind;
  switch (kind) {
    case Kind::x:
      return m.position.x;
    case Kind::y:
      return m.position.y;
    case Kind::z:
      return m.position.z;
    case Kind::vx:
      return m.velocity.x;
    case Kind::vy:
      return m.velocity.y;
    case Kind::vz:
      return m.velocity.z;
    case Kind::wx:
      return m.angular_velocity.x;
    case Kind::wy:
      return m.angular_velocity.y;
    case Kind::wz:
      return m.angular_velocity.z;
    default:
      return 0;
  }
}

}  // namespace

StateReader::StateReader(const Formulas& all, std::span<const std::uint32_t> numbers) {
  using Kind = StateInput::Kind;
  for (const std::uint32_t number : numbers) {
    const StateInput& input = all.inputs[number];
    Source& source = sources_.emplace_back(Source{input});
    if (input.kind == Kind::position || input.kind == Kind::velocity || input.kind == Kind::acceleration)
      source.attachment = number_of(joints_, static_cast<JointIndex>(input.of));
    else if (input.kind == Kind::state || input.kind == Kind::held || input.kind == Kind::within ||
             input.kind == Kind::kept)
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
  }
  plain_.clear();
  for (const Source& s : sources_) {
    const bool is_plain = s.input.kind == StateInput::Kind::time || s.input.kind == StateInput::Kind::position ||
                          s.input.kind == StateInput::Kind::velocity;
    if (!is_plain) {
      plain_.clear();
      break;
    }
    plain_.push_back({static_cast<std::uint32_t>(s.offset), s.input.kind});
  }
  return true;
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
      case Kind::time:
        out[k] = t;
        break;
      case Kind::position:
        out[k] = q[s.offset];
        break;
      case Kind::velocity:
        out[k] = v[s.offset];
        break;
      case Kind::acceleration:  // unknown; a row is asked for what is left without it
        out[k] = 0;
        break;
      case Kind::state:
      case Kind::element_state:
      case Kind::module_number:
        out[k] = s.offset < states.size() ? states[s.offset] : 0;
        break;
      case Kind::element_output:
        break;  // read_outputs
      case Kind::held:
        out[k] = held[s.offset];
        break;
      case Kind::within:
      case Kind::kept: {
        const LimitMode mode = s.offset < modes.size() ? static_cast<LimitMode>(modes[s.offset]) : LimitMode::within;
        out[k] = mode == (s.input.kind == Kind::within ? LimitMode::within : LimitMode::kept) ? 1 : 0;
        break;
      }
      case Kind::given:
        out[k] = s.given->at(t);
        break;
      default:
        out[k] = s.attachment == of_ground ? 0 : component(markers[s.attachment], s.input.kind);
    }
  }
}

}  // namespace polyform::host::inline expressions
