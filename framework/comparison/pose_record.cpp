#include "framework/comparison/pose_record.hpp"

#include "framework/diagnostics.hpp"

namespace polyform::host {

PoseRecord::PoseRecord(std::size_t bodies) : file_(std::tmpfile()), buffer_(1 + 7 * bodies) {
  if (!file_)
    throw Failure(Exit::simulation_failed, "no temporary file could be made for the trajectories to compare",
                  "Make room in the folder for temporary files.");
}

void PoseRecord::row(double time, const Observation& now) {
  double* out = buffer_.data();
  *out++ = time;
  for (const Observation::Body& body : now.bodies) {
    const auto& [q, p] = body.pose;
    for (const double value : {p.x, p.y, p.z, q.w, q.x, q.y, q.z}) *out++ = value;
  }
  if (std::fwrite(buffer_.data(), sizeof(double), buffer_.size(), file_.get()) != buffer_.size())
    throw Failure(Exit::simulation_failed, "the trajectories to compare do not fit into the folder for temporary files",
                  "Make room there, or compare with a larger --output-interval.");
  ++rows_;
}

void PoseRecord::rewind() { std::rewind(file_.get()); }

double PoseRecord::next(std::span<Pose> poses) {
  if (std::fread(buffer_.data(), sizeof(double), buffer_.size(), file_.get()) != buffer_.size())
    throw Failure(Exit::simulation_failed,
                  "the trajectories to compare could not be read back from the temporary file");
  const double* in = buffer_.data() + 1;
  for (Pose& pose : poses) {
    pose.position = {in[0], in[1], in[2]};
    pose.orientation = {in[3], in[4], in[5], in[6]};
    in += 7;
  }
  return buffer_.front();
}

}  // namespace polyform::host
