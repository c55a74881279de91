#include "framework/host/watches/law_limits.hpp"

#include <fmt/format.h>

namespace polyform::host::inline watches {

LawLimits::LawLimits(const SystemView& view, const ElementEvents& elements)
    : view_(view), sources_(elements.law_sources()), taken_(sources_.size()) {}

void LawLimits::look() {
  for (std::size_t k = 0; k < sources_.size(); ++k) sources_[k].validity->farthest(taken_[k]);
}

void LawLimits::accept(double t) {
  for (std::size_t k = 0; k < sources_.size(); ++k) {
    const LawExcess& now = taken_[k];
    if (!(now.value > sources_[k].validity->most())) continue;
    Worst& worst = beyond_[{k, now.instance}];
    if (now.value > worst.excess.value) {
      worst.excess.instance = now.instance;
      worst.excess.value = now.value;
      worst.excess.markers = now.markers;
      worst.time = t;
    }
  }
}

std::string LawLimits::body_of(const ElementEvents::LawSource& of, std::size_t marker) const {
  const BodyIndex body = of.markers[marker].body;
  return is_ground(body) ? "ground" : fmt::format("`{}`", view_.bodies[at(body)].name);
}

std::vector<std::string> LawLimits::warnings() const {
  std::vector<std::string> all;
  for (const auto& [key, worst] : beyond_) {
    const ElementEvents::LawSource& of = sources_[key.first];
    all.push_back(
        fmt::format("`{}` ({}) is used beyond its law between {} and {}: {} comes to {:.2g} at t = {:.6g} s, "
                    "and the law holds up to {:g}. {}",
                    of.source.names[key.second], of.source.type, body_of(of, worst.excess.markers[0]),
                    body_of(of, worst.excess.markers[1]), of.validity->quantity(), worst.excess.value, worst.time,
                    of.validity->most(), of.validity->advice()));
  }
  return all;
}

}  // namespace polyform::host::watches
