#include "polyform/solvers/joint_coordinate_source.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <vector>

#include "tracing/model_trace.hpp"
#include "tracing/source_writer.hpp"

namespace polyform {

Status JointCoordinateSource::write(std::string_view name, std::string_view model, std::span<Solver* const> others,
                                    TextSink& sink) noexcept {
  try {
    failure_.clear();
    if (const char* const why = LaneEvaluation::refusal_of_code(world_)) failure_ = why;
    std::vector<LaneWorld> variants;
    for (std::size_t i = 0; failure_.empty() && i < others.size(); ++i) {
      const auto* const world = static_cast<const LaneWorld*>(others[i]->query(LaneWorld::interface_name));
      failure_ = find_misfit(world);
      if (failure_.empty()) variants.push_back(*world);
    }
    if (!failure_.empty()) return Status::failed;
    const std::vector<double> numbers = tracing::numbers_of(world_, variants);
    const std::vector<unsigned> rows_left_out = tracing::rows_left_out_of(world_);
    tracing::SourceHead head{name, model, tracing::structure_of(world_), numbers, rows_left_out};
    tracing::tell_runs(world_, head);
    tracing::Trace trace;
    tracing::trace(world_, numbers, trace);
    std::optional<tracing::Trace> closing;
    if (head.stands_alone && head.rows > 0) tracing::trace_closing(world_, numbers, closing.emplace());
    tracing::write_source(head, trace, closing ? &*closing : nullptr, sink);
    return Status::ok;
  } catch (const std::exception&) {
    failure_ = "memory ran out";
    return Status::failed;
  }
}

std::string_view JointCoordinateSource::obstacle() noexcept {
  try {
    return obstacle_ = tracing::device_obstacle(world_);
  } catch (const std::exception&) {
    return "memory ran out";
  }
}

std::uint64_t JointCoordinateSource::structure() noexcept {
  try {
    // With the rows that the state leaves out, which are left out in the whole run.
    std::uint64_t hash = tracing::structure_of(world_);
    for (const unsigned rows : tracing::rows_left_out_of(world_)) hash = (hash ^ rows) * 0x100000001b3u;
    return hash;
  } catch (const std::exception&) {
    return 0;  // its obstacle tells that memory ran out
  }
}

std::size_t JointCoordinateSource::number_count() noexcept {
  try {
    return tracing::numbers_of(world_, {}).size();
  } catch (const std::exception&) {
    return 0;
  }
}

Status JointCoordinateSource::numbers(std::span<double> out) noexcept {
  try {
    const std::vector<double> all = tracing::numbers_of(world_, {});
    if (out.size() != all.size()) return Status::failed;
    std::ranges::copy(all, out.begin());
    return Status::ok;
  } catch (const std::exception&) {
    return Status::failed;
  }
}

std::string JointCoordinateSource::find_misfit(const LaneWorld* variant) const {
  if (variant == nullptr || variant->library != world_.library) return "a variant is of another solver";
  if (const char* const why = LaneEvaluation::refusal_of_code(*variant)) return std::string("in a variant ") + why;
  if (tracing::structure_of(*variant) != tracing::structure_of(world_))
    return "a variant has other bodies, joints or forces";
  return "";
}

}  // namespace polyform
