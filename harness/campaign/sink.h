// Who is told how a run goes.
#pragma once

#include <cstdint>
#include <vector>

#include "spec/journal.h"
#include "spec/rule.h"

namespace skcts::campaign {

/// How far the property of a rule has come.
struct Progress {
  RuleId rule = RuleId::core_1;
  std::int64_t done = 0;
  std::int64_t total = 0;
  std::int64_t findings = 0;
};

class Sink {
 public:
  virtual ~Sink() = default;
  /// A record of the journal, once each, in order.
  virtual void record(const JournalRecord& record) = 0;
  /// Called often; cheap unless the sink chooses to show it.
  virtual void progress(const Progress& progress) = 0;
};

/// Passes everything on to several sinks.
class Tee : public Sink {
 public:
  void add(Sink& sink) { sinks_.push_back(&sink); }
  void record(const JournalRecord& record) override {
    for (Sink* const sink : sinks_) sink->record(record);
  }
  void progress(const Progress& progress) override {
    for (Sink* const sink : sinks_) sink->progress(progress);
  }

 private:
  std::vector<Sink*> sinks_;
};

/// Keeps everything in memory as a journal.
class JournalKeeper : public Sink {
 public:
  void record(const JournalRecord& record) override { append(journal_, record); }
  void progress(const Progress&) override {}
  [[nodiscard]] const Journal& journal() const { return journal_; }

 private:
  Journal journal_;
};

}  // namespace skcts::campaign
