// The folder of a run: its journal, and what is saved beside it.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "harness/campaign/sink.h"
#include "spec/error.h"

namespace skcts::campaign {

/// Makes the folder (and its parents); an error names what stands in the way.
Result<void> make_folder(const std::string& path);

/// Writes a file whole: into a neighbour first, then renamed, so that no torn file stays.
Result<void> write_file(const std::string& path, std::string_view text);

/// Removes a file, if there is one; an error where something else stands there or it has to stay.
Result<void> remove_file(const std::string& path);

/// Appends each record as a line to FOLDER/journal.jsonl and flushes it.
class JournalFile : public Sink {
 public:
  /// Starts a new journal in the folder, replacing one that is there, and holds it: as long as the
  /// object lives another create() for the folder is an error, from other processes too.
  static Result<std::unique_ptr<JournalFile>> create(const std::string& folder);

  void record(const JournalRecord& record) override;
  void progress(const Progress&) override {}
  /// The first error in writing, or success.
  [[nodiscard]] const Result<void>& state() const { return state_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  JournalFile(std::string path, std::FILE* file) : path_(std::move(path)), file_(file) {}

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  Result<void> state_;
};

}  // namespace skcts::campaign
