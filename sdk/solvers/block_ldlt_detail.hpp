// The functions of BasicBlockLdlt, for the files that make one for a type of number.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <tuple>

#include "block_ldlt.hpp"

namespace polyform {
namespace detail {

/// Calls the kernel made for the size of a column, so that its inner loops have a length known to the compiler.
template <class Kernel>
auto with_size(std::size_t size, const Kernel& kernel) {
  switch (size) {
    case 1: return kernel.template operator()<1>();
    case 2: return kernel.template operator()<2>();
    case 3: return kernel.template operator()<3>();
    case 4: return kernel.template operator()<4>();
    case 5: return kernel.template operator()<5>();
    case 6: return kernel.template operator()<6>();
    default: return kernel.template operator()<0>();
  }
}

/// target −= W Lᵀ for blocks of n columns; only the lower triangle when the target lies on the diagonal.
template <std::size_t N, class T>
void subtract_product(T* target, const T* W, std::size_t w_rows, const T* L, std::size_t l_rows, std::size_t size,
                      bool on_diagonal) {
  const std::size_t n = N != 0 ? N : size;
  for (std::size_t r = 0; r < w_rows; ++r) {
    const T* w = W + r * n;
    T* out = target + r * l_rows;
    const std::size_t columns = on_diagonal ? r + 1 : l_rows;
    for (std::size_t c = 0; c < columns; ++c) {
      const T* l = L + c * n;
      T s = 0;
      for (std::size_t k = 0; k < n; ++k) s += w[k] * l[k];
      out[c] -= s;
    }
  }
}

}  // namespace detail

template <class T>
void BasicBlockLdlt<T>::analyze(std::span<const std::size_t> sizes,
                                std::span<const std::pair<std::size_t, std::size_t>> pairs,
                                const std::vector<Turn>& turns) {
  sizes_.assign(sizes.begin(), sizes.end());
  offsets_.resize(sizes_.size());
  size_ = 0;
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    offsets_[i] = size_;
    size_ += sizes_[i];
  }
  lay_out(order(pairs, turns));
}

/// Minimum degree on the elimination graph. Returns, per block, the blocks below it in L. Among blocks of equal degree
/// the last one goes first: for bodies in preorder, that runs from the tips to the root.
template <class T>
std::vector<std::vector<std::size_t>> BasicBlockLdlt<T>::order(
    std::span<const std::pair<std::size_t, std::size_t>> pairs, const std::vector<Turn>& turns) {
  const std::size_t n = sizes_.size();
  std::vector<std::vector<std::size_t>> neighbours(n);
  for (const auto& [i, j] : pairs) {
    neighbours[i].push_back(j);
    neighbours[j].push_back(i);
  }
  for (auto& list : neighbours) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  std::vector<bool> ready(n, true), done(n, false);
  for (std::size_t i = 0; i < turns.size(); ++i)
    ready[i] = turns[i] == Turn::any || turns[i] == Turn::last ||
               (turns[i] == Turn::leaf_or_after_neighbour && neighbours[i].size() <= 1);

  using Candidate = std::tuple<bool, std::size_t, std::size_t>;  // of the last ones; degree; index from the end
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  const auto offer = [&](std::size_t i) {
    queue.emplace(!turns.empty() && turns[i] == Turn::last, neighbours[i].size(), n - 1 - i);
  };
  for (std::size_t i = 0; i < n; ++i)
    if (ready[i]) offer(i);

  columns_.clear();
  column_of_.assign(n, 0);
  std::vector<std::vector<std::size_t>> structure(n);
  std::vector<std::size_t> merged;
  while (columns_.size() < n) {
    if (queue.empty()) {
      // Only waiting blocks are left, none of them with an eliminated neighbour: the least bad goes first. From the
      // tips: from the root, what a joint leaves of a nearly singular body would cancel against the next joint.
      std::size_t best = n;
      const auto rank = [&](std::size_t i) { return std::pair(turns[i], neighbours[i].size()); };
      for (std::size_t i = n; i-- > 0;)
        if (!done[i] && !ready[i] && (best == n || rank(i) < rank(best))) best = i;
      ready[best] = true;
      offer(best);
    }
    const auto [last, degree, from_end] = queue.top();
    queue.pop();
    const std::size_t block = n - 1 - from_end;
    if (done[block] || degree != neighbours[block].size()) continue;  // an outdated offer
    done[block] = true;
    column_of_[block] = columns_.size();
    Column column{};
    column.block = block;
    column.size = sizes_[block];
    columns_.push_back(column);
    structure[block] = std::move(neighbours[block]);
    for (const std::size_t i : structure[block]) {
      merged.clear();
      std::set_union(neighbours[i].begin(), neighbours[i].end(), structure[block].begin(), structure[block].end(),
                     std::back_inserter(merged));
      std::erase_if(merged, [&](std::size_t k) { return k == i || k == block; });
      neighbours[i] = merged;
      ready[i] = true;
      offer(i);
    }
  }
  return structure;
}

template <class T>
void BasicBlockLdlt<T>::lay_out(const std::vector<std::vector<std::size_t>>& structure) {
  below_.clear();
  updates_.clear();
  std::size_t next = 0, most_rows = 0;
  for (Column& column : columns_) {
    std::vector<std::size_t> list = structure[column.block];
    std::sort(list.begin(), list.end(), [&](std::size_t a, std::size_t b) { return column_of_[a] < column_of_[b]; });
    column.diagonal = next;
    column.panel = next + column.size * column.size;
    column.below = below_.size();
    column.count = list.size();
    column.rows = 0;
    for (const std::size_t block : list) {
      below_.push_back({block, sizes_[block], column.rows});
      column.rows += sizes_[block];
    }
    next = column.panel + column.rows * column.size;
    most_rows = std::max(most_rows, (column.rows + 1) * column.size);
  }
  for (Column& column : columns_) {
    column.update = updates_.size();
    for (std::size_t a = 0; a < column.count; ++a)
      for (std::size_t b = 0; b <= a; ++b) {
        const std::size_t row = below_[column.below + a].block;
        const Column& target = columns_[column_of_[below_[column.below + b].block]];
        updates_.push_back(a == b ? target.diagonal : place(row, target));
      }
  }
  values_.assign(next, T(0));
  scratch_.assign(most_rows, T(0));
}

/// Where the block of the rows of row_block stands in values_, within a column that holds it.
template <class T>
std::size_t BasicBlockLdlt<T>::place(std::size_t row_block, const Column& column) const noexcept {
  const auto first = below_.begin() + static_cast<std::ptrdiff_t>(column.below);
  const auto last = first + static_cast<std::ptrdiff_t>(column.count);
  const auto found = std::lower_bound(first, last, column_of_[row_block], [&](const Below& b, std::size_t position) {
    return column_of_[b.block] < position;
  });
  return column.panel + found->row * column.size;
}

template <class T>
void BasicBlockLdlt<T>::clear() noexcept {
  std::fill(values_.begin(), values_.end(), T(0));
}

template <class T>
auto BasicBlockLdlt<T>::diagonal(std::size_t i) noexcept -> Block {
  const Column& column = columns_[column_of_[i]];
  return {values_.data() + column.diagonal, column.size, 1};
}

template <class T>
auto BasicBlockLdlt<T>::block(std::size_t i, std::size_t j) noexcept -> Block {
  const bool stored_as_asked = column_of_[j] < column_of_[i];
  const Column& column = columns_[column_of_[stored_as_asked ? j : i]];
  T* data = values_.data() + place(stored_as_asked ? i : j, column);
  return stored_as_asked ? Block{data, column.size, 1} : Block{data, 1, column.size};
}

template <class T>
bool BasicBlockLdlt<T>::factorize() noexcept {
  for (const Column& column : columns_) {
    if (!detail::with_size(column.size, [&]<std::size_t N>() { return this->template eliminate<N>(column); })) {
      failed_ = column.block;
      return false;
    }
  }
  return true;
}

/// Factorizes the diagonal block, divides the panel by it and subtracts its share from the columns to come.
template <class T>
template <std::size_t N>
bool BasicBlockLdlt<T>::eliminate(const Column& column) noexcept {
  const std::size_t n = N != 0 ? N : column.size;
  T* D = values_.data() + column.diagonal;
  T* inverse = scratch_.data();  // of the pivots, n; then the panel times D
  T* W = scratch_.data() + n;
  for (std::size_t j = 0; j < n; ++j) {
    T* row_j = D + j * n;
    T pivot = row_j[j];
    for (std::size_t k = 0; k < j; ++k) {
      const T l = row_j[k] * inverse[k];
      pivot -= l * row_j[k];
      row_j[k] = l;
    }
    // Rows below j still hold l·d in their first columns, so that each is divided once, when its turn comes.
    const auto size = static_cast<double>(pivot);
    if (!(std::abs(size) >= std::numeric_limits<double>::min()) || !std::isfinite(size)) return false;
    row_j[j] = pivot;
    inverse[j] = T(1) / pivot;
    for (std::size_t i = j + 1; i < n; ++i) {
      T s = D[i * n + j];
      for (std::size_t k = 0; k < j; ++k) s -= D[i * n + k] * row_j[k];
      D[i * n + j] = s;
    }
  }
  T* panel = values_.data() + column.panel;
  for (std::size_t r = 0; r < column.rows; ++r) {
    T* x = panel + r * n;
    T* w = W + r * n;
    for (std::size_t c = 0; c < n; ++c) {
      T s = x[c];
      for (std::size_t k = 0; k < c; ++k) s -= w[k] * D[c * n + k];
      w[c] = s;
    }
    for (std::size_t c = 0; c < n; ++c) x[c] = w[c] * inverse[c];
  }
  const std::size_t* target = updates_.data() + column.update;
  const Below* below = below_.data() + column.below;
  for (std::size_t a = 0; a < column.count; ++a)
    for (std::size_t b = 0; b <= a; ++b)
      detail::subtract_product<N>(values_.data() + *target++, W + below[a].row * n, below[a].size,
                                  panel + below[b].row * n, below[b].size, n, a == b);
  return true;
}

template <class T>
void BasicBlockLdlt<T>::solve(std::span<T> b) const noexcept {
  for (const Column& column : columns_)
    detail::with_size(column.size, [&]<std::size_t N>() { this->template forward<N>(column, b.data()); });
  for (auto column = columns_.rbegin(); column != columns_.rend(); ++column)
    detail::with_size(column->size, [&]<std::size_t N>() { this->template backward<N>(*column, b.data()); });
}

template <class T>
template <std::size_t N>
void BasicBlockLdlt<T>::forward(const Column& column, T* b) const noexcept {
  const std::size_t n = N != 0 ? N : column.size;
  const T* D = values_.data() + column.diagonal;
  T* x = b + offsets_[column.block];
  for (std::size_t r = 1; r < n; ++r)
    for (std::size_t c = 0; c < r; ++c) x[r] -= D[r * n + c] * x[c];
  for (std::size_t i = 0; i < column.count; ++i) {
    const Below& below = below_[column.below + i];
    const T* L = values_.data() + column.panel + below.row * n;
    T* y = b + offsets_[below.block];
    for (std::size_t r = 0; r < below.size; ++r) {
      T s = 0;
      for (std::size_t c = 0; c < n; ++c) s += L[r * n + c] * x[c];
      y[r] -= s;
    }
  }
}

template <class T>
template <std::size_t N>
void BasicBlockLdlt<T>::backward(const Column& column, T* b) const noexcept {
  const std::size_t n = N != 0 ? N : column.size;
  const T* D = values_.data() + column.diagonal;
  T* x = b + offsets_[column.block];
  for (std::size_t r = 0; r < n; ++r) x[r] /= D[r * n + r];
  for (std::size_t i = 0; i < column.count; ++i) {
    const Below& below = below_[column.below + i];
    const T* L = values_.data() + column.panel + below.row * n;
    const T* y = b + offsets_[below.block];
    for (std::size_t r = 0; r < below.size; ++r)
      for (std::size_t c = 0; c < n; ++c) x[c] -= L[r * n + c] * y[r];
  }
  for (std::size_t r = n; r-- > 1;)
    for (std::size_t c = 0; c < r; ++c) x[c] -= D[r * n + c] * x[r];
}

}  // namespace polyform
