#include "newton_blocks.hpp"

#include <algorithm>
#include <numeric>

namespace polyform::absolute {

void NewtonSum::end() {
  if (laid_out_) return;
  std::vector<std::size_t> order(places_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto before = [&](std::size_t a, std::size_t b) {
    const Place &p = places_[a], &q = places_[b];
    return p.column != q.column ? p.column < q.column : p.row < q.row;
  };
  std::ranges::sort(order, before);
  to_.resize(places_.size());
  columns_.assign(static_cast<std::size_t>(size_) + 1, 0);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Place& p = places_[order[k]];
    if (k == 0 || before(order[k - 1], order[k])) {
      rows_.push_back(p.row);
      ++columns_[static_cast<std::size_t>(p.column) + 1];
    }
    to_[order[k]] = rows_.size() - 1;
  }
  for (std::size_t c = 1; c < columns_.size(); ++c) columns_[c] += columns_[c - 1];
  numbers_.assign(rows_.size(), {});
  laid_out_ = true;
  next_ = 0;
  for (const Numbers& n : pending_) add(0, 0, n);
  places_ = {};
  pending_ = {};
}

}  // namespace polyform::absolute
