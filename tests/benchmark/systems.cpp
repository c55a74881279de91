#include "tests/benchmark/systems.hpp"

namespace polyform::benchmark {

std::size_t Mechanism::tree_velocities() const {
  std::size_t n = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) n += joints[i].nv();
  return n;
}

const std::vector<SystemInfo>& systems() {
  static const std::vector<SystemInfo> all = {
      {"ball-chain", "open chain, ball joints", ball_chain},
      {"revolute-chain", "open chain, revolute joints, another axis every ten bodies", revolute_chain},
      {"tree", "binary tree of full levels, revolute joints about random axes", binary_tree},
      {"ladder", "N four-bars in a row, 2N + 1 bodies: N short loops", ladder},
      {"long-loop", "chain between two points of the ground, ball joints: one loop through all bodies", long_loop}};
  return all;
}

double Numbers::next() {
  // Marsaglia's xorshift with 64 bits.
  seed_ ^= seed_ << 13;
  seed_ ^= seed_ >> 7;
  seed_ ^= seed_ << 17;
  return static_cast<double>(seed_ >> 11) * 0x1p-52 - 1;
}

Vec3 Numbers::direction() {
  Vec3 v = vector();
  while (norm(v) < 0.1 || norm(v) > 1) v = vector();
  return (1 / norm(v)) * v;
}

}  // namespace polyform::benchmark
