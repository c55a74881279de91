// Importers: the interface between the host and a reader of another program's model files.
//
// The host reads the file's bytes and hands them over. The importer gives back a model as text in the format of model
// files, which the host then reads and checks as it does any other, and one finding for every kind of thing in the
// file: nothing of a file is passed over without a word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "polyform/contract/diagnostic.hpp"
#include "polyform/contract/field.hpp"
#include "polyform/contract/formulation.hpp"
#include "polyform/contract/growth.hpp"

namespace polyform {

/// What the importer did with something.
enum class Treatment : std::int32_t {
  honoured,      ///< the result says the same
  converted,     ///< the result says the same in another way, or says what comes nearest; the remark tells which
  not_honoured,  ///< the result says nothing of it
  kept_back      ///< it belongs to something that is not honoured
};

/// What the importer did with one kind of thing.
struct Finding {
  Size<Finding> size{};
  Treatment treatment = Treatment::not_honoured;
  std::string_view what{};            ///< such as joint/limit@effort: an element by its path, an attribute after the @
  std::string_view remark{};          ///< what it became, or why it is not honoured; may be empty
  std::size_t count = 1;              ///< how many of them
  std::int32_t line = 0, column = 0;  ///< of the first one in the file, from 1; 0 if not known
};

/// A file whose bytes the host has read. The views live as long as the call that gets them.
struct ForeignFile {
  Size<ForeignFile> size{};
  std::string_view name{};  ///< as the user gave it; files that it names are found from its folder
  std::string_view bytes{};
};

/// Takes what a conversion gives. Implemented by the host; never throws.
class ConversionSink {
 public:
  /// The result, as a whole or piece after piece: of an import the text of a model, of an export the file's bytes.
  virtual void text(std::string_view) noexcept = 0;
  virtual void finding(const Finding&) noexcept = 0;
  /// Takes what keeps the file from being converted, with its place in the file.
  virtual DiagnosticSink& diagnostics() noexcept = 0;
  /// A further ability by name, or nullptr: a new ability is a new interface, never a new virtual function here.
  virtual void* query(std::string_view interface_name) noexcept {
    (void)interface_name;
    return nullptr;
  }

 protected:
  ~ConversionSink() = default;
};

/// A format of model files. One object per type, constant, living as long as its plugin; called from several threads at
/// once. No content of a file ends the program or takes memory or time without bounds.
class ImporterType {
 public:
  virtual std::string_view name() const noexcept = 0;            ///< of the format, in lower case
  virtual std::string_view meaning() const noexcept = 0;         ///< one line
  virtual std::string_view source() const noexcept = 0;          ///< the specification of the format
  virtual std::string_view extensions() const noexcept = 0;      ///< usual endings of its files, ".a .b"
  virtual Strided<const FieldSpec> fields() const noexcept = 0;  ///< its options
  /// Whether the bytes begin like a file of this format; false if they could be of another.
  virtual bool recognises(std::string_view bytes) const noexcept = 0;
  /// A small file of the format, which import_model converts: the conformance checks begin with it.
  virtual std::string_view example() const noexcept = 0;
  /// Gives the model and the findings to the sink; failed after an error in its diagnostics. options: one value per
  /// fields().
  virtual Status import_model(const ForeignFile&, Strided<const FieldValue> options,
                              ConversionSink&) const noexcept = 0;
  /// A further ability by name, or nullptr: a new ability is a new interface, never a new virtual function here.
  virtual const void* query(std::string_view interface_name) const noexcept {
    (void)interface_name;
    return nullptr;
  }

 protected:
  ~ImporterType() = default;
};

/// What ImporterType::query gives if the type also writes files of its format.
class Exporter {
 public:
  static constexpr std::string_view interface_name = "polyform.exporter.1";
  /// Gives the file to the sink, with one finding for every kind of thing in the model; failed after an error in its
  /// diagnostics. model: JSON text in the format of model files, without parts, chains and left-out fields: every body
  /// and joint stands in it with all its fields.
  virtual Status export_model(std::string_view model, ConversionSink&) const noexcept = 0;
  /// A further ability by name, or nullptr: a new ability is a new interface, never a new virtual function here.
  virtual const void* query(std::string_view asked) const noexcept {
    (void)asked;
    return nullptr;
  }

 protected:
  ~Exporter() = default;
};

}  // namespace polyform
