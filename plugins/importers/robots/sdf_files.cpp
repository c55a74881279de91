#include "sdf_files.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "mesh_files.hpp"
#include "named_files.hpp"
#include "solids.hpp"

namespace polyform::importers {

namespace fs = std::filesystem;

namespace {

/// What one model may include.
constexpr std::size_t most_sdf_files = 1000, most_sdf_bytes = std::size_t{256} << 20;

/// The SDF file of a folder with a model, by its model.config; "" if there is none.
std::string file_in(const fs::path& folder) {
  std::error_code error;
  std::string name = "model.sdf";
  pugi::xml_document config;
  if (config.load_file((folder / "model.config").c_str())) {
    double newest = -1;
    for (const pugi::xml_node sdf : config.child("model").children("sdf")) {
      const double version = sdf.attribute("version").as_double();
      if (version <= newest) continue;
      newest = version;
      name = sdf.text().as_string("model.sdf");
    }
  }
  const fs::path file = folder / name;
  return fs::is_regular_file(file, error) ? file.string() : std::string();
}

}  // namespace

std::vector<fs::path> folders_of_gazebo() {
  std::vector<fs::path> out;
  for (const char* name : {"SDF_PATH", "GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "GAZEBO_MODEL_PATH"}) {
    const char* const value = std::getenv(name);
    for (fs::path& folder : folders_in(value == nullptr ? "" : value)) out.push_back(std::move(folder));
  }
  return out;
}

std::string SdfFiles::file_of(const std::string& uri, const XmlFile& from) const {
  std::string name = uri;
  const std::size_t scheme = uri.find("://");
  if (scheme != std::string::npos) name = uri.substr(scheme + 3);
  const fs::path beside = fs::path(from.name()).parent_path();
  std::vector<fs::path> folders{beside, beside / "models", beside / "..", beside / "../models"};
  for (fs::path& folder : folders_of_gazebo()) folders.push_back(std::move(folder));
  if (fs::path(name).is_absolute()) folders = {""};
  for (const fs::path& folder : folders) {
    std::error_code error;
    const fs::path place = (folder / name).lexically_normal();
    if (fs::is_regular_file(place, error)) return place.string();
    if (fs::is_directory(place, error))
      if (std::string file = file_in(place); !file.empty()) return file;
  }
  return {};
}

Element SdfFiles::model_of(const Element& include) {
  const Element where = include.child("uri");
  const std::string uri = where.content();
  const auto leave_out = [&](std::string_view why) {
    include.drop(why);
    return Element();
  };
  if (uri.empty()) {
    include.report().error(include.place(), "the <include> has no <uri>", "Add it, with the path of a model.");
    return {};
  }
  if (uri.starts_with("http")) return leave_out("what lies on the network is not read");
  const std::string path = file_of(uri, include.file());
  if (path.empty())
    return leave_out("the file is not found beside the model, nor by SDF_PATH and GZ_SIM_RESOURCE_PATH");
  XmlFile*& file = by_path_[path];
  if (file == nullptr) {
    const std::optional<std::string> bytes = read_file(path);
    if (!bytes) return leave_out("the file cannot be read");
    if (root_tag(*bytes) != "sdf") return leave_out("the file is not one of SDF");
    bytes_ += bytes->size();
    if (included_.size() >= most_sdf_files || bytes_ > most_sdf_bytes) {
      include.report().error(include.place(), fmt::format("the model includes more than {} files or {} MiB",
                                                          most_sdf_files, most_sdf_bytes >> 20));
      by_path_.erase(path);
      return {};
    }
    file = &included_.emplace_back(*bytes, path, sink_);
  }
  const Element root = file->root();
  if (!root) return {};
  root.text("version");
  const Element model = root.child("model");
  if (!model) return leave_out("the file has no model");
  include.mark(Treatment::honoured);
  return model;
}

std::size_t SdfFiles::errors() {
  std::size_t sum = first_.report().errors();
  for (XmlFile& file : included_) sum += file.report().errors();
  return sum;
}

void SdfFiles::settle(Ledger& ledger) const {
  first_.settle(ledger);
  for (const XmlFile& file : included_) file.settle(ledger, "in an included file");
}

void SdfFiles::tell_named(std::string_view packages, ConversionSink& sink) const {
  tell_named_files(first_, {}, packages, sink);
  for (const XmlFile& file : included_) tell_named_files(file, {}, packages, sink);
}

}  // namespace polyform::importers
