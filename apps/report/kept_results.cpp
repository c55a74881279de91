#include "apps/report/kept_results.hpp"

#include <algorithm>

namespace polyform::apps {

void ResultKeeper::begin(std::span<const host::Channel> channels, const host::RecordFields& known) {
  kept_ = {};
  for (const host::Channel& channel : channels) kept_.columns.push_back({channel, {}});
  kept_.record = known;
}

void ResultKeeper::row(std::span<const double> numbers) {
  for (std::size_t c = 0; c < numbers.size(); ++c) kept_.columns[c].values.push_back(numbers[c]);
}

void ResultKeeper::finish(const host::RecordFields& became) {
  for (const host::RecordField& field : became) {
    const auto old = std::ranges::find(kept_.record, field.name, &host::RecordField::name);
    if (old == kept_.record.end())
      kept_.record.push_back(field);
    else
      *old = field;
  }
}

}  // namespace polyform::apps
