#include "framework/host/results/hdf5_handle.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace polyform::host::inline results::hdf5 {

namespace {

constexpr hsize_t texts_in_chunk = 8192;

herr_t take_innermost(unsigned, const H5E_error2_t* entry, void* reason) {
  *static_cast<std::string*>(reason) = entry->desc ? entry->desc : "";
  return 1;  // ends the walk
}

Handle text_type(std::size_t length) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  check(H5Tset_size(type, length));
  check(H5Tset_cset(type, H5T_CSET_UTF8));
  if (length != H5T_VARIABLE) check(H5Tset_strpad(type, H5T_STR_NULLPAD));
  return type;
}

void write(hid_t object, const std::string& name, hid_t type, hid_t space, const void* data) {
  if (check(H5Aexists(object, name.c_str())) > 0) check(H5Adelete(object, name.c_str()));
  const Handle attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  check(H5Awrite(attribute, type, data));
}

void write_scalar(hid_t object, const std::string& name, hid_t type, const void* data) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  write(object, name, type, space, data);
}

std::string read_variable_text(hid_t attribute) {
  const Handle type = text_type(H5T_VARIABLE);
  char* text = nullptr;
  check(H5Aread(attribute, type, &text));
  std::string copy = text ? text : "";
  H5free_memory(text);
  return copy;
}

herr_t read_field(hid_t object, const char* name, const H5A_info_t*, void* fields) {
  try {
    const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
    const Handle type(H5Aget_type(attribute), H5Tclose);
    RecordField field{name, {}};
    switch (H5Tget_class(type)) {
      case H5T_STRING: field.value = read_variable_text(attribute); break;
      case H5T_FLOAT: check(H5Aread(attribute, H5T_NATIVE_DOUBLE, &field.value.emplace<double>())); break;
      case H5T_INTEGER: check(H5Aread(attribute, H5T_NATIVE_INT64, &field.value.emplace<std::int64_t>())); break;
      default: return 0;
    }
    static_cast<RecordFields*>(fields)->push_back(std::move(field));
    return 0;
  } catch (const std::exception&) {
    return -1;
  }
}

}  // namespace

Error::Error() {
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_innermost, &reason_);
  // The library mentions the system's error in its text only.
  constexpr std::string_view mark = "errno = ";
  const std::size_t found = reason_.find(mark);
  if (found != std::string::npos)
    std::from_chars(reason_.data() + found + mark.size(), reason_.data() + reason_.size(), number_);
}

void set_up() {
  [[maybe_unused]] static const herr_t done = (H5dont_atexit(), H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr));
}

void write_attribute(hid_t object, const std::string& name, const std::string& text) {
  const char* characters = text.c_str();
  write_scalar(object, name, text_type(H5T_VARIABLE), &characters);
}

void write_attribute(hid_t object, const std::string& name, double number) {
  write_scalar(object, name, H5T_NATIVE_DOUBLE, &number);
}

void write_attribute(hid_t object, const std::string& name, std::int64_t number) {
  write_scalar(object, name, H5T_NATIVE_INT64, &number);
}

std::string read_text(hid_t object, const std::string& name) {
  return read_variable_text(Handle(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose));
}

RecordFields read_fields(hid_t object) {
  RecordFields fields;
  check(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, read_field, &fields));
  return fields;
}

Handle chunked(int rank, const hsize_t* chunk) {
  Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  check(H5Pset_obj_track_times(creation, false));
  if (std::find(chunk, chunk + rank, 0) != chunk + rank) return creation;  // of a table without rows
  check(H5Pset_chunk(creation, rank, chunk));
  check(H5Pset_shuffle(creation));
  check(H5Pset_deflate(creation, 1));
  check(H5Pset_fletcher32(creation));  // of what stands in the file: numbers that something wrote over are not read
  return creation;
}

Handle with_groups() {
  Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  check(H5Pset_create_intermediate_group(links, 1));
  check(H5Pset_char_encoding(links, H5T_CSET_UTF8));
  return links;
}

void write_texts(hid_t file, const std::string& path, const std::vector<std::string>& texts) {
  std::size_t length = 1;
  for (const std::string& text : texts) length = std::max(length, text.size());
  std::string all(length * texts.size(), '\0');
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i].copy(all.data() + i * length, length);
  const hsize_t count = texts.size(), chunk = std::min<hsize_t>(count, texts_in_chunk);
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose), type = text_type(length);
  const Handle dataset(H5Dcreate2(file, path.c_str(), type, space, with_groups(), chunked(1, &chunk), H5P_DEFAULT),
                       H5Dclose);
  check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()));
}

std::vector<std::string> read_texts(hid_t file, const std::string& path) {
  const Handle dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose);
  const Handle type(H5Dget_type(dataset), H5Tclose);
  const Handle space(H5Dget_space(dataset), H5Sclose);
  const auto count = static_cast<std::size_t>(check(H5Sget_simple_extent_npoints(space)));
  const std::size_t length = H5Tget_size(type);
  std::string all(length * count, '\0');
  check(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()));
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string text = all.substr(i * length, length);
    texts.push_back(text.substr(0, text.find('\0')));
  }
  return texts;
}

}  // namespace polyform::host::results::hdf5
