#include "framework/host/reading/names.hpp"

#include <fmt/format.h>

#include <charconv>

#include "framework/printable.hpp"

namespace polyform::host::inline reading {

namespace {

/// "arm" and 3 from "arm[3].joint" (suffix ".joint"); nothing if the name does not have this form.
struct ChainName {
  std::string chain;
  std::int64_t k;
};
std::optional<ChainName> split(std::string_view name, std::string_view suffix) {
  if (!name.ends_with(suffix)) return std::nullopt;
  name.remove_suffix(suffix.size());
  const std::size_t open = name.rfind('[');
  if (open == std::string_view::npos || !name.ends_with(']')) return std::nullopt;
  const std::string_view digits = name.substr(open + 1, name.size() - open - 2);
  std::int64_t k = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), k);
  // One spelling per name: "+3", "03" and "-0" are refused.
  if (error != std::errc{} || end != digits.data() + digits.size() || digits != std::to_string(k)) return std::nullopt;
  return ChainName{std::string(name.substr(0, open)), k};
}

}  // namespace

bool NameIndex::add(std::string_view name, std::int32_t number, Place place) {
  return singles_.emplace(std::string(name), Single{number, place}).second;
}

void NameIndex::add_chain(std::string_view chain, std::int32_t first, std::int64_t count) {
  chains_.emplace(std::string(chain), Chain{first, count});
}

std::optional<std::int32_t> NameIndex::find(std::string_view name) const {
  if (const auto single = singles_.find(std::string(name)); single != singles_.end()) return single->second.number;
  const std::optional<ChainName> parts = split(name, suffix_);
  if (!parts) return std::nullopt;
  const auto chain = chains_.find(parts->chain);
  if (chain == chains_.end() || parts->k < 0 || parts->k >= chain->second.count) return std::nullopt;
  return chain->second.first + static_cast<std::int32_t>(parts->k);
}

bool NameIndex::unsure(std::string_view name) const {
  const std::optional<ChainName> parts = split(name, suffix_);
  if (!parts) return false;
  const auto chain = chains_.find(parts->chain);
  return chain != chains_.end() && chain->second.count == unknown;
}

Place NameIndex::place_of(std::string_view name) const {
  const auto single = singles_.find(std::string(name));
  return single == singles_.end() ? Place{} : single->second.place;
}

std::string NameIndex::suggestion(std::string_view wrong) const {
  const std::optional<ChainName> parts = split(wrong, suffix_);
  const auto chain = chains_.find(parts ? parts->chain : std::string(wrong));
  if (chain != chains_.end() && chain->second.count > 0) {
    return fmt::format("Chain '{0}' has {0}[0]{1} to {0}[{2}]{1}.", chain->first, suffix_, chain->second.count - 1);
  }
  std::vector<std::string_view> known;
  constexpr std::size_t most_compared = 10'000;
  for (const auto& [name, single] : singles_) {
    if (known.size() >= most_compared) break;
    known.push_back(name);
  }
  std::vector<std::string> examples;
  examples.reserve(chains_.size());
  for (const auto& [name, range] : chains_) {
    if (known.size() + examples.size() >= most_compared) break;
    const std::int64_t k = parts && parts->k >= 0 && parts->k < range.count ? parts->k : 0;
    examples.push_back(fmt::format("{}[{}]{}", name, k, suffix_));
  }
  known.insert(known.end(), examples.begin(), examples.end());
  return did_you_mean(wrong, known);
}

namespace {

/// The number of a name, looked up in the placed part where it stands, then in those around it, then in the model.
std::optional<std::int32_t> find_from(const Scope* scope, const NameIndex& index, const std::string& name) {
  for (; scope != nullptr; scope = scope->outer)
    if (const auto number = index.find(scope->prefix + name)) return number;
  return index.find(name);
}

}  // namespace

std::optional<BodyIndex> read_body(const Value& value, const Names& names) {
  const std::optional<std::string> name = read_text(value, "the name of a body");
  if (!name) return std::nullopt;
  if (*name == "ground") return BodyIndex::ground;
  if (const auto number = find_from(value.scope(), names.bodies, *name)) return static_cast<BodyIndex>(*number);
  if (names.bodies.unsure(*name)) return std::nullopt;
  std::string remedy;
  if (names.joints.find(*name))
    remedy = fmt::format("{} is a joint; name one of its bodies.", show(*name));
  else if (!value.report().full())
    remedy = names.bodies.suggestion((value.scope() != nullptr ? value.scope()->prefix : "") + *name);
  if (remedy.empty()) remedy = "Bodies are those under 'bodies', 'chains' and in placed parts, and 'ground'.";
  value.error(fmt::format("there is no body {}", show(*name)), remedy);
  return std::nullopt;
}

std::optional<JointIndex> read_joint(const Value& value, const Names& names) {
  const std::optional<std::string> name = read_text(value, "the name of a joint");
  if (!name) return std::nullopt;
  if (const auto number = find_from(value.scope(), names.joints, *name)) return static_cast<JointIndex>(*number);
  if (names.joints.unsure(*name)) return std::nullopt;
  std::string remedy;
  if (names.bodies.find(*name))
    remedy = fmt::format("{} is a body; name the joint that moves it.", show(*name));
  else if (!value.report().full())
    remedy = names.joints.suggestion((value.scope() != nullptr ? value.scope()->prefix : "") + *name);
  if (remedy.empty()) remedy = "Joints are those under 'joints', and '<chain>[k].joint' of each chain.";
  value.error(fmt::format("there is no joint {}", show(*name)), remedy);
  return std::nullopt;
}

bool is_printable(const Value& value, std::string_view text) {
  const Unprintable bad = first_unprintable(text);
  if (bad.length == 0) return true;
  value.error(
      fmt::format("the name {} holds {}, which no name may", show(text), show(text.substr(bad.place, bad.length))),
      "It steers a terminal or cannot be seen; look at what wrote this name.");
  return false;
}

std::optional<std::string> read_name(const Value& value) {
  std::optional<std::string> name = read_text(value, "a name");
  if (!name) return std::nullopt;
  if (*name == "ground") {
    value.error("the name 'ground' is taken: it stands for the inertial frame, which is always there",
                "Choose another name.");
    return std::nullopt;
  }
  if (!is_printable(value, *name)) return std::nullopt;
  for (const char c : *name) {
    if (std::string_view(",\"'[]*?").find(c) == std::string_view::npos) continue;
    value.error(fmt::format("the name {} holds {}, which no name may", show(*name), show({&c, 1})),
                c == '[' || c == ']'
                    ? "Names such as arm[3] are made by chains and placed parts only; choose a name without brackets."
                : c == '*' || c == '?'
                    ? "In patterns such as --columns \"*.q\" it stands for other letters; choose a name without it."
                    : "Names become those of output columns; use letters, digits, '_', '-' and '.'.");
    return std::nullopt;
  }
  // A spreadsheet reads such a column name of a CSV file as a formula and computes it, also within quotes. Names in use
  // begin with + - or @, such as @root; these compute nothing unless a call, a reference or an operator follows.
  const bool marked = std::string_view("+-@").find(name->front()) != std::string_view::npos;
  if (name->front() == '=' || (marked && name->find_first_of("(!|=*/+&^", 1) != std::string::npos)) {
    value.error(
        fmt::format("the name {} begins with '{}' and reads as a formula of a spreadsheet", show(*name), name->front()),
        "Names become those of output columns: let it begin with a letter, a digit or '_'.");
    return std::nullopt;
  }
  if (name->front() == ' ' || name->back() == ' ') {
    value.error(fmt::format("the name {} begins or ends with a blank", show(*name)), "Remove the blank.");
    return std::nullopt;
  }
  if (value.scope() != nullptr) name->insert(0, value.scope()->prefix);
  return name;
}

}  // namespace polyform::host::reading
