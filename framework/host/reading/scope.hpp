// Where a value of a placed part stands: its names, its parameters, and how the part is placed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/host/reading/description.hpp"

namespace polyform::host::inline reading {

/// One placement of a part, or the model around all of them. Names within it begin with the prefix; what is not found
/// there is looked for around it.
struct Scope {
  std::string prefix;  ///< "leg[2].", with those of the parts around it
  std::string path;    ///< of the part as placed, for messages
  Pose pose;           ///< of the part's axes in ground
  std::map<std::string, double, std::less<>> parameters;
  const Scope* outer = nullptr;  ///< of the part around it
  bool in_other_file = false;    ///< the part is not written in the model file
  Place placed_at;               ///< in the model file: of the placement, or of that around it
  bool is_model = false;         ///< of the model: nothing is placed
  bool in_option = false;        ///< places are that of a whole option, whatever stands in it

  /// The value of a parameter of this part or of one around it; "-name" is the negative.
  std::optional<double> parameter(std::string_view name) const {
    const bool negative = name.starts_with('-');
    const std::string_view bare = negative ? name.substr(1) : name;
    for (const Scope* s = this; s != nullptr; s = s->outer)
      if (const auto found = s->parameters.find(bare); found != s->parameters.end())
        return negative ? -found->second : found->second;
    return std::nullopt;
  }
};

class Value;

// From the part's axes to ground; nothing is done to what stands in no part.
void place_in_ground(const Scope*, BodyItem&);
/// Per velocity coordinate of a joint, in a part whose placement turns it against the joint's base: whether it counts
/// along axes that are not turned with the part. Empty where none does.
using Unturned = std::vector<bool>;
/// Its value, for errors. base: the scope that its base is drawn in, nullptr for ground and the model.
Unturned place_in_ground(const Value& joint, JointItem&, const Scope* base, Description& storage);
/// Fields that are told to be of the ground frame (FieldSpec::tied_to_ground), defaults too, and points of ground.
void place_in_ground(const Value& element, Strided<const FieldSpec>, Fields&, Description& storage);
/// Refuses efforts and motions in coordinates that count along axes which are not turned with the part.
void refuse_unturned(const Value& element, Strided<const FieldSpec>, const Fields&, const Description&,
                     const std::map<JointIndex, Unturned>&);

}  // namespace polyform::host::reading
