#include "free_blocks.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace polyform::hierarchy {
namespace {

/// Blocks that a message names.
constexpr std::size_t most_names = 5;

}  // namespace

/// No more are looked for than can be named.
void FreeBlocks::mark(const Node& merge, const double* motion) noexcept {
  const AbsoluteEquations& system = models_.system();
  const Scratch& scratch = models_.scratch();
  if (count_ > most_names) return;
  for (SubsystemModel& m : models_.all()) m.nu_vector().setZero();
  for (std::size_t i = merge.subsystem - system.blocks() + 1; i-- > 0;) {
    Node& node = models_.nodes()[i];
    if (!models_.is_by_basis(node)) continue;
    const Index kept = node.basis.kept, eliminated = node.basis.admissible - kept;
    const Matrix C(node.basis.C, node.basis.columns, node.basis.admissible);
    Vector nu(scratch.nu, node.basis.columns), answer(scratch.basis_f, eliminated);
    if (&node == &merge) {
      nu.noalias() = C.rightCols(eliminated) * Eigen::Map<const Eigen::VectorXd>(motion, eliminated);
    } else {
      const Vector above = models_.of(node).nu_vector();
      if (above.isZero(0)) continue;
      answer.noalias() = Matrix(node.basis.follow, eliminated, kept) * above;
      nu.noalias() = C.leftCols(kept) * above;
      nu.noalias() -= C.rightCols(eliminated) * answer;
    }
    Index column = 0;
    for (const Node::Part& p : node.parts) {
      SubsystemModel& part = models_.of(p);
      part.nu_vector() = nu.segment(column, part.columns);
      column += part.columns;
    }
  }
  const auto motion_of = [&](std::size_t i) {
    return models_.of(i).by_basis && models_.inertia(i).singular ? models_.of(i).nu_vector().norm() : 0.0;
  };
  double most = 0;
  for (std::size_t i = 0; i < system.blocks(); ++i) most = std::max(most, motion_of(i));
  // Of welded bodies the heaviest lacks the inertia, unless none has a mass.
  for (std::size_t i = 0; i < system.blocks(); ++i)
    if (motion_of(i) > 0.1 * most) free_[models_.inertia(system.heaviest(i)).mass > 0 ? system.heaviest(i) : i] = 1;
  count_ = static_cast<std::size_t>(std::ranges::count(free_, 1));
}

bool FreeBlocks::name(RecursionFailure& failure) noexcept {
  const AbsoluteEquations& system = models_.system();
  const std::size_t total = std::exchange(count_, 0);
  bool lacking = false;
  char names[400];
  std::size_t count = 0, modules = 0, used = 0;
  for (std::size_t i = 0; i < free_.size(); ++i) {
    if (free_[i] == 0) continue;
    modules += system.is_module(i);
    lacking = lacking || system.lacks_inertia(i);
    free_[i] = 0;
    if (++count > most_names) continue;
    const char* before = count == 1 ? "" : count == total ? " and " : ", ";
    const auto end = fmt::format_to_n(names + used, sizeof names - used, "{}`{:.50}`", before, system.name_of_block(i));
    used = std::min(sizeof names, used + end.size);
  }
  const std::string_view listed(names, used), others = total > most_names ? " and others" : "";
  const char* how_much = lacking ? "no" : "hardly any";
  if (total == 1)
    return failure.say(
        "{} {} has {} mass or inertia for a motion that the constraints leave free: give it some, or a joint that "
        "holds it",
        modules > 0 ? "Module" : "Body", listed, how_much);
  const char* kind = modules == 0 ? "Bodies" : modules == total ? "Modules" : "Bodies and modules";
  return failure.say(
      "{} {}{} have {} mass or inertia for a motion that the constraints leave free: give them some, or joints that "
      "hold them",
      kind, listed, others, how_much);
}

}  // namespace polyform::hierarchy
