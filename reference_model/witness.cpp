// What a search found on its way to one memory, move by move.
#include "reference_model/witness.h"

#include <algorithm>

#include <fmt/format.h>

#include "reference_model/racy_search.h"
#include "spec/program.h"

namespace skcts::model {
namespace {

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

/// Moves of one part as sentences.
class WitnessWriter {
 public:
  WitnessWriter(const WitnessNotes& notes, const WitnessNotes::Launch& launch, const RacyPart& part)
      : notes_(notes), launch_(launch), part_(part) {}

  std::vector<std::string> lines(const SearchMove& move) const {
    std::vector<std::string> result;
    if (move.kind == SearchMove::Kind::write_back || move.kind == SearchMove::Kind::fetch) {
      const RacyCache& cache = part_.caches[at(move.number)];
      const bool back = move.kind == SearchMove::Kind::write_back;
      result.push_back(fmt::format("{} {} {}", notes_.core(launch_, cache.thread),
                                   back ? "writes back, of its own accord," : "fetches unasked",
                                   line_of(cache)));
      return result;
    }
    for (const std::int32_t earlier : move.before) {
      result.push_back(notes_.who(launch_, part_.events[at(earlier)].step) +
                       " writes the same words before that");
    }
    std::string text = event(move);
    if (!text.empty()) result.insert(result.begin(), std::move(text));
    if (result.size() > 1) std::rotate(result.begin(), result.begin() + 1, result.end());
    return result;
  }

 private:
  std::string line_of(const RacyCache& cache) const {
    return "the line of " + word_name(notes_.mix_, notes_.layout_, cache.line * 16);
  }

  std::string words(const RacyEvent& event, const SearchMove& move) const {
    std::string text;
    for (std::size_t i = 0; i < event.accesses.size() && i < move.values.size(); ++i) {
      std::int32_t word = event.accesses[i].word;
      if (event.cache >= 0) word = part_.caches[at(event.cache)].words[at(word)];
      text += fmt::format("{}{} = {}", i == 0 ? "" : ", ",
                          notes_.place(launch_, part_.words[at(word)]), move.values[i]);
    }
    return text;
  }

  std::string event(const SearchMove& move) const {
    const RacyEvent& event = part_.events[at(move.number)];
    const std::string who = notes_.who(launch_, event.step);
    const std::string core = notes_.core(launch_, event.thread);
    const std::string what = words(event, move);
    switch (event.kind) {
      case EventKind::read: return fmt::format("{} reads {}", who, what);
      case EventKind::poll: return fmt::format("{} passes: it sees {}", who, what);
      case EventKind::write:
        return fmt::format("{} {} {}", who, event.atomic_add ? "adds" : "writes", what);
      case EventKind::load:
      case EventKind::store: {
        std::string text = who;
        if (move.kind == SearchMove::Kind::refetch) {
          text += " finds its line dropped, fetches it again";
        } else if (move.fetched) {
          text += " fetches its line";
        } else {
          text += " has its line";
        }
        const bool store = event.kind == EventKind::store;
        if (what.empty()) return text + (store ? " and stores next to these words" : " and looks");
        return fmt::format("{} and {} {}", text, store ? "stores, in the cache," : "reads", what);
      }
      case EventKind::refresh:
        return fmt::format("{} refreshes {}{}", who, line_of(part_.caches[at(event.cache)]),
                           move.was_dirty ? ", which is dirty" : "");
      case EventKind::land:
        return fmt::format("{}: the refreshed {} reaches GM", core,
                           line_of(part_.caches[at(event.cache)]).substr(4));
      case EventKind::flush:
        if (!move.was_dirty) return {};
        return fmt::format("{} ends, and {} is written back", core,
                           line_of(part_.caches[at(event.cache)]));
    }
    return {};
  }

  const WitnessNotes& notes_;
  const WitnessNotes::Launch& launch_;
  const RacyPart& part_;
};

std::string WitnessNotes::core(const Launch& launch, std::int32_t thread) const {
  const Thread& owner = launch.program.threads[at(thread)];
  return owner.outside >= 0 ? mix_.outside[at(owner.outside)].name : skcts::to_string(owner.core);
}

std::string WitnessNotes::who(const Launch& launch, std::int32_t flat) const {
  const std::string core_name = core(launch, launch.stall.thread_of(flat));
  return owner(launch, flat) + core_name + " " + operation(launch, flat);
}

std::string WitnessNotes::what(const Launch& launch, std::int32_t flat) const {
  return owner(launch, flat) + operation(launch, flat);
}

/// "k0 ", or nothing for what the SuperKernel does at the end.
std::string WitnessNotes::owner(const Launch& launch, std::int32_t flat) const {
  const Step& step = step_at(launch, flat);
  if (step.sub_kernel < 0) return {};
  return mix_.sub_kernels[at(launch.program.shape.sub_kernels[at(step.sub_kernel)])].name + " ";
}

/// "#3 RawStore", "the boundary".
std::string WitnessNotes::operation(const Launch& launch, std::int32_t flat) const {
  const Step& step = step_at(launch, flat);
  if (step.sub_kernel >= 0 && step.instruction >= 0) {
    const SubKernel& sub =
        mix_.sub_kernels[at(launch.program.shape.sub_kernels[at(step.sub_kernel)])];
    const CoreKind kind = launch.program.threads[at(launch.stall.thread_of(flat))].core.kind;
    const Instruction* in = instruction_at(sub.program(kind), step.instruction);
    if (in != nullptr) return fmt::format("#{} {}", step.instruction, skcts::to_string(in->op));
  }
  if (step.join >= 0) {
    const JoinKind kind = launch.program.joins[at(step.join)].kind;
    if (kind == JoinKind::event) return "an event";
    if (kind == JoinKind::launch_end) return "the end of a launch";
    return kind == JoinKind::boundary ? "the boundary" : "an inserted full-core wait";
  }
  if (launch.program.threads[at(launch.stall.thread_of(flat))].outside >= 0) return "DMA";
  return step.kind == StepKind::refresh ? "(inserted)" : "(step)";
}

const Step& WitnessNotes::step_at(const Launch& launch, std::int32_t flat) {
  const std::int32_t thread = launch.stall.thread_of(flat);
  return launch.program.threads[at(thread)].steps[at(flat - launch.stall.first_step[at(thread)])];
}

std::string WitnessNotes::place(const Launch& launch, std::int32_t address) const {
  if (!launch.footprint.is_local(address)) return word_name(mix_, layout_, address);
  const Footprint::LocalPlace local = launch.footprint.local_place(address);
  return fmt::format("{}[{}]", skcts::to_string(local.space), local.word);
}

void WitnessNotes::launch(std::int32_t number, const LaunchProgram& program, const Order& order,
                          const StallResult& stall, const Footprint& footprint,
                          const TightValues& tight) {
  std::erase_if(notes_, [&](const Note& note) {
    return std::none_of(
        tight.untouched().begin(), tight.untouched().end(), [&](const JointWords& group) {
          return std::binary_search(note.words.begin(), note.words.end(), group.words.front());
        });
  });
  const Launch here{program, order, stall, footprint};
  if (stall.stalled) stop(number, here);
  for (const SearchedPart& searched : tight.parts()) {
    if (searched.tuples.size() > 1) part(number, here, searched, tight.freedom());
  }
}

void WitnessNotes::part(std::int32_t number, const Launch& launch, const SearchedPart& searched,
                        const SearchFreedom& freedom) {
  Note note;
  std::vector<std::uint32_t> wanted;
  for (std::size_t w = 0; w < at(searched.part.gm_count); ++w) {
    const std::int32_t word = searched.part.words[w];
    note.words.push_back(word);
    const bool known = searched.anything[w] == 0 && at(word) < memory_.size();
    wanted.push_back(known ? memory_[at(word)] : 0);
  }
  if (!std::binary_search(searched.tuples.begin(), searched.tuples.end(), wanted)) return;
  RacySearch search(searched.part, freedom);
  search.run(freedom.states);
  std::vector<std::uint32_t> start;
  const std::vector<SearchMove> way = search.way_to(wanted, &start);
  std::string names;
  for (const std::int64_t word : note.words) {
    names += (names.empty() ? "" : ", ") + word_name(mix_, layout_, word);
  }
  note.lines.push_back(fmt::format("launch {}, {}:", number, names));
  if (searched.part.starts.size() > 1) {
    std::string at_first;
    for (std::size_t w = 0; w < note.words.size(); ++w) {
      at_first += fmt::format("{}{}", w == 0 ? "" : ", ", start[w]);
    }
    note.lines.push_back("they start as " + at_first);
  }
  const WitnessWriter writer(*this, launch, searched.part);
  for (const SearchMove& move : way) {
    for (std::string& line : writer.lines(move)) note.lines.push_back(std::move(line));
  }
  notes_.push_back(std::move(note));
}

/// For each core the last instruction that is over, and where it stands. Cores that come as far as
/// others are not told again.
void WitnessNotes::stop(std::int32_t number, const Launch& launch) {
  constexpr std::size_t most = 12;
  stops_.clear();
  std::vector<std::string> told;
  std::size_t more = 0;
  for (std::size_t t = 0; t < launch.program.threads.size(); ++t) {
    const auto thread = static_cast<std::int32_t>(t);
    const std::int32_t first = launch.stall.first_step[t];
    const std::int32_t end = launch.stall.first_step[t + 1];
    std::int32_t last = -1;
    for (std::int32_t flat = first; flat < end; ++flat) {
      const Step& step = launch.program.threads[t].steps[at(flat - first)];
      if (launch.stall.executed[at(flat)] != 0 && step.instruction >= 0) last = flat;
    }
    std::string text = last < 0 ? "carries out nothing" : "is through with " + what(launch, last);
    const auto stuck = std::find_if(launch.stall.stuck.begin(), launch.stall.stuck.end(),
                                    [&](const StuckStep& one) { return one.thread == thread; });
    if (stuck != launch.stall.stuck.end()) {
      text += " and stands at " + what(launch, first + stuck->step);
    } else if (launch.stall.issued[t] == end - first) {
      text = "comes to its end";
    }
    if (std::find(told.begin(), told.end(), text) != told.end() || stops_.size() == most) {
      ++more;
      continue;
    }
    told.push_back(text);
    stops_.push_back(fmt::format("launch {}: {} {}", number, core(launch, thread), text));
  }
  if (more > 0) stops_.push_back(fmt::format("launch {}: {} more stand alike", number, more));
}

std::vector<std::string> WitnessNotes::sentences() const {
  std::vector<std::string> all;
  for (const Note& note : notes_) all.insert(all.end(), note.lines.begin(), note.lines.end());
  return all;
}

}  // namespace skcts::model
