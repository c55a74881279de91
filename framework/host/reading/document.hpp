// Documents: YAML text to a tree of nodes that know their places. The only file syntax in the program.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "framework/host/reading/report.hpp"

namespace polyform::host::inline reading {

/// A value of the file. Aliases share the node of their anchor.
struct Node {
  enum class Kind { nothing, scalar, list, map };
  struct Entry {
    std::string key;
    Place place;  ///< of the key
    const Node* value;
  };

  Kind kind = Kind::nothing;
  bool quoted = false;  ///< a scalar in quotes (or a block scalar): always text
  Place place;
  std::string text;                ///< of a scalar
  std::vector<const Node*> items;  ///< of a list
  std::vector<Entry> entries;      ///< of a map, each key once
  std::size_t weight = 1;          ///< number of nodes with aliases written out
  std::size_t depth = 1;           ///< levels of nesting with aliases written out
};

/// Bounds that keep any text from exhausting stack or memory.
struct DocumentLimits {
  static constexpr std::size_t bytes = std::size_t{64} << 20;  ///< 64 MiB
  static constexpr std::size_t nodes = 5'000'000;              ///< with aliases written out
  static constexpr std::size_t depth = 200;
};

/// What a document should be, for messages about one that is empty.
struct DocumentKind {
  std::string_view name = "model", remedy = "A model begins with 'polyform: 1'.";
};

/// One parsed document; owns its nodes.
class Document {
 public:
  /// The root of the document in `text`. nullptr after a report when the text cannot be parsed (not UTF-8, bad syntax,
  /// empty, nested or expanded beyond the limits, several documents). Repeated keys and keys that are no text are
  /// reported too, but the rest can be read.
  const Node* parse(std::string_view text, Report&, const DocumentKind& expected = {});
  /// Gives everything parsed so far one place: that of the file from which the text was taken.
  void put_at(Place) noexcept;

 private:
  std::deque<Node> nodes_;
};

/// The first byte at which text is not UTF-8 or holds a NUL; text.size() when it is all right.
std::size_t first_bad_byte(std::string_view text) noexcept;

/// Line and column of a byte; columns count bytes, as the parser does.
Place place_of(std::string_view text, std::size_t byte) noexcept;

}  // namespace polyform::host::reading
