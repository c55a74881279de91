// From the events of the YAML parser to nodes.
#pragma once

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "framework/host/reading/document.hpp"

namespace polyform::host::inline reading {

/// Thrown out of the YAML parser after a report, when going on makes no sense.
struct GiveUp {};

/// Builds the nodes of the first document; a second one is an error. Bounds depth and number of nodes, those of
/// expanded aliases included: nodes are shared, so an expansion is only counted, never made.
class Builder final : public YAML::EventHandler {
 public:
  Builder(std::string_view text, std::deque<Node>& nodes, Report& report)
      : text_(text), nodes_(nodes), report_(report) {}
  const Node* root() const noexcept { return root_; }

  void OnDocumentStart(const YAML::Mark&) override;
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override;
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override;
  void OnScalar(const YAML::Mark&, const std::string& tag, YAML::anchor_t, const std::string& value) override;
  void OnSequenceStart(const YAML::Mark&, const std::string& tag, YAML::anchor_t, YAML::EmitterStyle::value) override;
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark&, const std::string& tag, YAML::anchor_t, YAML::EmitterStyle::value) override;
  void OnMapEnd() override { close(); }

 private:
  /// A list or map that is still open.
  struct Frame {
    Node* node;
    std::string key;
    Place key_place;
    bool has_key = false, drop_value = false;
    std::unordered_map<std::string, Place> known;  ///< keys of a large map
  };

  Node& make(Node::Kind, const YAML::Mark&, YAML::anchor_t);
  void open(Node::Kind, const YAML::Mark&, YAML::anchor_t);
  void close();
  void place_in_parent(const Node&);
  void take_key(Frame&, const Node&);
  void check_repeated(Frame&);
  void check_quotes(const YAML::Mark&);
  [[noreturn]] void give_up(Place, std::string_view message, std::string_view remedy);
  void error(Place, std::string_view last_key, std::string_view message, std::string_view remedy);

  std::string_view text_;
  std::deque<Node>& nodes_;
  Report& report_;
  std::vector<Frame> stack_;
  std::vector<const Node*> anchors_;
  const Node* root_ = nullptr;
  bool started_ = false;
};

inline Place to_place(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

}  // namespace polyform::host::reading
