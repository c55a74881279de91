#include "framework/comparison/consensus.hpp"

#include <algorithm>

namespace polyform::host {

namespace {

/// The middle value; the mean of the two middle ones for an even number. Reorders the values.
double median(std::span<double> values) {
  const std::size_t half = values.size() / 2;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(half);
  std::nth_element(values.begin(), middle, values.end());
  return values.size() % 2 != 0 ? *middle : 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

double angle_between(const Quat& a, const Quat& b) { return norm(rotation_vector(conjugate(a) * b)); }

void raise(double& largest, double& when, double value, double time) {
  if (value <= largest) return;
  largest = value;
  when = time;
}

}  // namespace

Pose consensus(std::span<const Pose> poses) {
  std::vector<double> values(poses.size());
  const auto middle_of = [&](auto component) {
    for (std::size_t s = 0; s < poses.size(); ++s) values[s] = component(poses[s]);
    return median(values);
  };
  const Quat& first = poses.front().orientation;
  const auto aligned = [&](double Quat::*part) {
    return [&first, part](const Pose& p) {
      return dot(first, p.orientation) < 0 ? -(p.orientation.*part) : p.orientation.*part;
    };
  };
  Pose result;
  result.position = {middle_of([](const Pose& p) { return p.position.x; }),
                     middle_of([](const Pose& p) { return p.position.y; }),
                     middle_of([](const Pose& p) { return p.position.z; })};
  result.orientation = normalized(Quat{middle_of(aligned(&Quat::w)), middle_of(aligned(&Quat::x)),
                                       middle_of(aligned(&Quat::y)), middle_of(aligned(&Quat::z))});
  return result;
}

std::vector<Deviation> deviations(std::span<PoseRecord* const> records, std::size_t bodies) {
  std::vector<Deviation> result(records.size());
  std::vector<std::vector<Pose>> row(records.size(), std::vector<Pose>(bodies));
  std::vector<Pose> of_body(records.size());
  std::size_t rows = records.front()->rows();
  for (PoseRecord* record : records) {
    rows = std::min(rows, record->rows());
    record->rewind();
  }
  for (std::size_t k = 0; k < rows; ++k) {
    double time = 0;
    for (std::size_t s = 0; s < records.size(); ++s) time = records[s]->next(row[s]);
    for (std::size_t b = 0; b < bodies; ++b) {
      for (std::size_t s = 0; s < records.size(); ++s) of_body[s] = row[s][b];
      const Pose agreed = consensus(of_body);
      for (std::size_t s = 0; s < records.size(); ++s) {
        raise(result[s].position, result[s].position_time, norm(of_body[s].position - agreed.position), time);
        raise(result[s].angle, result[s].angle_time, angle_between(of_body[s].orientation, agreed.orientation), time);
      }
    }
  }
  return result;
}

}  // namespace polyform::host
