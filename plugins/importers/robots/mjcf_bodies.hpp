// The tree of bodies of an MJCF model.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "joint_stops.hpp"
#include "mjcf_armatures.hpp"
#include "mjcf_meshes.hpp"
#include "mjcf_source.hpp"
#include "mjcf_springs.hpp"
#include "solids.hpp"

namespace polyform::importers {

/// A joint of the file that later sections refer to.
struct MjcfJoint {
  std::string name;             ///< in the model
  std::string type;             ///< in the file: hinge, slide, ball or free
  double reference = 0;         ///< coordinate of the drawn position in the file, rad or m
  double spring_reference = 0;  ///< coordinate at which its spring is at rest, as the file counts, rad or m
};

/// The data of the bodies that the rest of a file needs.
struct MjcfBodies {
  std::map<std::string, MjcfJoint> joints;       ///< by name in the file
  std::map<std::string, std::string> bodies;     ///< name in the model by name in the file
  std::map<std::string, Frame> sites;            ///< in ground
  std::map<std::string, std::string> site_body;  ///< name in the model
  std::map<std::string, Element> site_element;   ///< as the file has it
  std::vector<JointLimit> limits;
  std::vector<Element> makers;  ///< elements from which MuJoCo makes bodies by itself, which are not read
};

/// What acts in joints.
struct MjcfActing {
  bool springs = true;  ///< and dampers
  bool limits = false, friction = true;
  bool contacts = true;         ///< whether geoms touch in the file
  bool keeps_contacts = false;  ///< and in the model
};

/// How many numbers a primitive shape needs; 0: it is none.
std::size_t mjcf_sizes_of(std::string_view type);

class MjcfBodyReader {
 public:
  /// model_folder: as for MeshFiles.
  MjcfBodyReader(MjcfSource& source, Ledger& ledger, Mechanism& m, const MjcfActing& acting,
                 std::string_view model_folder)
      : source_(source),
        ledger_(ledger),
        m_(m),
        acting_(acting),
        meshes_(source, model_folder),
        armatures_(ledger, m, element_names_) {}

  /// Reads <asset> and <worldbody>. base: "fixed", "free" or as the file says.
  void read(std::string_view base);
  MjcfBodies& found() { return found_; }
  NameGiver& element_names() { return element_names_; }
  NameGiver& joint_names() { return joint_names_; }
  NameGiver& body_names() { return body_names_; }

 private:
  struct Around {
    std::string body{}, file_body{}, childclass{};
    Frame frame{};           ///< of the body in ground
    Frame within{};          ///< of the element that is read, in the body
    std::string base{};      ///< the base of the body's joints
    std::size_t number = 0;  ///< of the body
    bool is_world = false;
  };
  /// The mass of the geoms of a body, and whether there is one that counts.
  struct OfGeoms {
    MassProperties sum;
    bool any = false;
  };
  void read_children(const Element&, const Around&, std::vector<Element>& joints, OfGeoms&);
  void read_body(const Element&, const Around& outside);
  void read_geom(const Element&, const Around&, OfGeoms&);
  std::optional<Touch> touch_of(const Element& geom, const Around&);
  /// What a geom adds to the mass of its body; frame: of its shape.
  std::optional<MassProperties> mass_of(const Element& geom, const Around&, const Solid&, const Frame&);
  /// The frame of a body whose file has global coordinates and gives no `pos`: where its mass centre lies.
  Frame frame_by_mass(const Element& body, const Around& in_ground);
  bool counts_for_mass(const Element&, const Around&);
  bool fit(const Element&, const Around&, const std::string& mesh, const std::string& type, Frame&,
           std::vector<double>& size);
  std::optional<Solid> solid_of(const Element&, const Around&, std::string& type, Frame&, std::vector<double>& size);
  void picture(const Element&, const Around&, const std::string& type, const Frame&, const std::vector<double>& size);
  MassProperties read_inertial(const Element&, const Around&);
  MassProperties bounded(MassProperties, Place);
  void add_joints(const std::vector<Element>&, const Around&, std::size_t body, bool mocap);
  void add_joint(const Element&, const Around&, const std::string& base, const std::string& moving);
  void add_passive(const Element&, const char* tag, const Around&, const MjcfJoint&, Joint&);
  void add_stops(const Element&, const char* tag, const Around&, const MjcfJoint&, Joint&);
  void scale_to_total();
  static std::string given(NameGiver&, const std::string& wanted, const Element& whose);
  double number(const Element&, const char* tag, const char* attribute, const Around&, double otherwise);
  std::optional<Vec3> vector(const Element&, const char* tag, const char* attribute, const Around&);

  MjcfSource& source_;
  Ledger& ledger_;
  Mechanism& m_;
  MjcfActing acting_;
  std::string base_;
  MjcfMeshes meshes_;
  std::vector<std::pair<std::size_t, double>> lifts_;  ///< body, and the share of its weight that is borne
  MjcfArmatures armatures_;
  std::vector<TimedSpring> timed_;
  MjcfBodies found_;
  NameGiver body_names_, joint_names_, element_names_;
};

}  // namespace polyform::importers
