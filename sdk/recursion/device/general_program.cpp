#include "polyform/solvers/general_program.hpp"

#include <algorithm>
#include <cstring>
#include <exception>

#include "../lanes/general_model.hpp"
#include "../lanes/lane_tables.hpp"
#include "../tracing/law_program.hpp"
#include "../tracing/model_trace.hpp"
#include "polyform/mechanics/judgement.hpp"

namespace polyform {

namespace {

using namespace lanes;

/// Puts arrays one after the other. Until the tables have their place, a pointer is an offset from their beginning.
class Piece {
 public:
  Piece() { bytes_.resize(sizeof(GeneralTables)); }

  template <class Element>
  const Element* put(const std::vector<Element>& from) {
    bytes_.resize((bytes_.size() + 7) / 8 * 8);
    const std::size_t place = bytes_.size();
    bytes_.resize(place + from.size() * sizeof(Element));
    if (!from.empty()) std::memcpy(bytes_.data() + place, from.data(), from.size() * sizeof(Element));
    return reinterpret_cast<const Element*>(place);
  }
  template <class Element>
  List<Element> list(const std::vector<Element>& from) {
    return {put(from), from.size()};
  }
  std::vector<std::byte> end(const GeneralTables& head) {
    std::memcpy(bytes_.data(), &head, sizeof head);
    return std::move(bytes_);
  }

 private:
  std::vector<std::byte> bytes_;
};

std::vector<std::uint32_t> whole(const std::vector<std::size_t>& from) {
  std::vector<std::uint32_t> to;
  for (const std::size_t x : from) to.push_back(static_cast<std::uint32_t>(x));
  return to;
}

std::vector<std::byte> tables_of(const LaneWorld& world) {
  const Tables tables(world);
  const LoopLists loops(world);
  const Closing closing(world);
  tracing::SourceHead head{};
  tracing::tell_runs(world, head);
  const tracing::LawProgram laws = tracing::law_program(world);
  const auto count = [](std::size_t x) { return static_cast<std::uint32_t>(x); };
  Piece piece;
  GeneralTables out;
  out.tree = tables.tree;
  out.tree.links = piece.put(tables.links);
  out.tree.angles = piece.put(tables.angles);
  out.tree.general = piece.put(tables.general);
  out.tree.primitives = piece.put(tables.primitives);
  out.cuts = closing.plain;
  out.cuts.joints = piece.put(closing.joints);
  out.loops = loops.tables;
  out.loops.loops = piece.put(loops.loops);
  out.loops.passages = piece.put(loops.passages);
  out.loops.bodies = piece.put(loops.bodies);
  out.loops.neighbours = piece.put(loops.neighbours);
  out.loops.pairs = piece.put(loops.pairs);
  out.loops.modal_pairs = piece.put(loops.modal_pairs);
  out.loops.targets = piece.put(loops.targets);
  out.loops.in_ground = piece.put(loops.in_ground);
  out.sizes = room_sizes(world, tables);
  out.sizes.angles = 0;
  out.quaternions = piece.list(whole(head.quaternions));
  out.cut_coordinates = piece.list(whole(head.cuts));
  out.turns = piece.list(whole(head.turns));
  const std::span<const FrameIndex> tied = world.loops->layout().tied_frames();
  out.tied = piece.list(std::vector<FrameIndex>(tied.begin(), tied.end()));
  std::vector<double> keep(loops.tables.rows);
  const std::vector<unsigned> left_out = tracing::rows_left_out_of(world);
  for (std::size_t i = 0; i < loops.loops.size(); ++i)
    for (std::size_t r = 0; r < loops.loops[i].rows; ++r)
      keep[loops.loops[i].first_row + r] = (left_out[i] >> r & 1u) != 0 ? 0 : 1;
  out.keep = piece.list(keep);
  out.laws = piece.list(laws.steps);
  out.law_values = laws.values;
  out.states = count(head.states);
  out.positions = count(head.positions);
  out.velocities = count(head.velocities);
  out.integrals = head.carries_forces ? 1 : 0;
  out.events = count(head.events);
  out.numbers = count(tracing::numbers_of(world, {}).size());
  out.closing_tolerance = head.closing_tolerance;
  out.position_rounding = position_rounding_part;
  out.velocity_rounding = velocity_rounding_part;
  return piece.end(out);
}

/// Of rooms in memory of the threads, in general_device.cpp.
constexpr std::size_t own_rooms[] = {512, 1024, 2048};

/// Numbers that the functions of an integrator take for one world.
std::size_t all_room(const LaneWorld& world, bool has_stages) {
  const std::vector<std::byte> tables = tables_of(world);
  DeviceWorlds in{};
  in.tables = tables.data();
  GeneralModel model(in, 0, nullptr);
  using device::Part;
  std::size_t all = model.taken();
  const auto add = [&](Part part, std::size_t times) { all += times * device::count_of(model, part); };
  add(Part::row, 4);
  add(Part::rates, 1);
  add(Part::sines, 2);
  add(Part::work, 1);
  add(Part::events, 5);
  if (has_stages) add(Part::stages, 1);
  if (model.rows > 0) {
    add(Part::loop_rows, 3);
    add(Part::states, 1);
    add(Part::steps, 1);
    add(Part::closing_work, 1);
  }
  return all;
}

bool is_known(std::string_view integrator) { return integrator == "rk4" || integrator == "dopri5"; }

}  // namespace

std::string_view GeneralProgram::code(std::string_view form) noexcept {
  return form == "ptx" ? general_device_code() : std::string_view();
}

std::string_view GeneralProgram::function(std::string_view integrator) noexcept {
  try {
    if (!is_known(integrator) || LaneEvaluation::refusal_of_code(world_) != nullptr) return {};
    const std::size_t all = all_room(world_, integrator == "dopri5");
    function_ = "polyform_" + std::string(integrator);
    const auto* const own = std::ranges::find_if(own_rooms, [&](std::size_t size) { return all <= size; });
    if (own != std::end(own_rooms)) function_ += "_" + std::to_string(*own);
    return function_;
  } catch (const std::exception&) {
    return {};
  }
}

std::size_t GeneralProgram::room(std::string_view integrator) noexcept {
  try {
    const std::size_t all = is_known(integrator) ? all_room(world_, integrator == "dopri5") : 0;
    return all <= std::end(own_rooms)[-1] ? 0 : all;
  } catch (const std::exception&) {
    return 0;
  }
}

std::size_t GeneralProgram::table_size() noexcept {
  try {
    return tables_of(world_).size();
  } catch (const std::exception&) {
    return 0;
  }
}

Status GeneralProgram::tables(std::span<std::byte> out) noexcept {
  try {
    const std::vector<std::byte> all = tables_of(world_);
    if (all.size() != out.size()) return Status::failed;
    std::ranges::copy(all, out.begin());
    return Status::ok;
  } catch (const std::exception&) {
    return Status::failed;
  }
}

}  // namespace polyform
