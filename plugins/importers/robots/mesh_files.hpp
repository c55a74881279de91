// The files of meshes that a robot's file names: where they lie, and what a model says of them.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mechanism.hpp"
#include "polyform/helpers/triangle_mesh.hpp"
#include "xml_file.hpp"

namespace polyform::importers {

inline constexpr std::string_view mesh_is_shown = "a shape of the body", hull_touches = "its convex hull touches";

/// The folders of a list with a colon between each two, as in variables of the environment.
std::vector<std::filesystem::path> folders_in(std::string_view list);

/// The file that a URI or a path means in the file `from`; "" if it is not found. package://NAME/REST and
/// model://NAME/REST: NAME is a folder above the file or beside one of these, or lies in the given folders or those of
/// the environment.
std::string file_named(const std::string& uri, const std::string& from,
                       const std::vector<std::filesystem::path>& packages);

/// Makes shapes of bodies of mesh files. A report page has room for so much of them.
class MeshFiles {
 public:
  static constexpr std::size_t most_bytes = std::size_t{20} << 20;  ///< of all meshes that are shown, each time

  /// packages: a list of folders in which packages of ROS and models of Gazebo lie. model_folder: the folder from which
  /// the model names its files; empty: from the root of the file system.
  MeshFiles(std::string_view packages, std::string_view model_folder);

  /// Adds the mesh that an element names by a URI, or marks the element with the reason why there is none.
  /// shape: with the frame of the mesh, and its scale as the size.
  void add(const Element& mesh, const std::string& uri, Shape shape, std::vector<Shape>&);
  /// The same for a file at a path. Returns the reason; empty: it is added.
  std::string add_file(const std::filesystem::path&, Shape shape, std::vector<Shape>&);
  /// The same for the triangles of lists that the file of the robot itself has.
  std::string add_lists(const TriangleMesh&, Shape shape, std::vector<Shape>&);

 private:
  struct Known {
    std::string fault;  ///< why it is not shown; empty: it can be
    std::size_t bytes = 0;
    double reach = 0;                ///< the greatest coordinate
    std::optional<bool> has_hull{};  ///< whether its points enclose a volume; nothing: nobody has asked
  };
  Known& known(const std::filesystem::path&);
  static bool has_hull(const std::filesystem::path&, Known&);
  /// Takes room on the page; the reason if there is none left, or if the shape has no extent.
  std::string take(std::size_t bytes, double reach, const Shape&);

  std::vector<std::filesystem::path> packages_;
  std::string model_folder_;
  std::map<std::string, Known> known_;
  std::size_t bytes_ = 0;
};

}  // namespace polyform::importers
