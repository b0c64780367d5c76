// Two sweeps over the accesses in the order of their starts. The first keeps for each segment the
// last write and the reads since, and for each line with stores the last DMA writes and episodes;
// that finds every segment with a race, though not every pair (a race-free segment has none: what a
// later ordered write supersedes is before everything that is after the write). The second looks at
// all pairs of the segments and lines found, usually none.
#include "reference_model/hazards.h"

#include <algorithm>

#include "spec/check.h"

namespace skcts::model {
namespace {

constexpr std::size_t largest_group = 2048;  // of accesses to one segment or line, by pairs
constexpr std::size_t raw_conflicts = 1 << 16;

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

std::string_view to_string(Hazard hazard) {
  switch (hazard) {
    case Hazard::h1: return "H1";
    case Hazard::h2: return "H2";
    case Hazard::h3: return "H3";
    case Hazard::h4: return "H4";
    case Hazard::h5: return "H5";
    case Hazard::h6: return "H6";
    case Hazard::local: return "local";
  }
  return "";
}

void HazardAnalysis::run(const LaunchProgram& program, const StallResult& stall, const Order& order,
                         std::int64_t gm_words, HazardResult& result, bool prefetch) {
  program_ = &program;
  stall_ = &stall;
  order_ = &order;
  result_ = &result;
  result.conflicts.clear();
  result.poison.clear();
  result.undefined_base.clear();
  result.undefined_reads.clear();
  result.exact = true;
  footprint_.build(program, gm_words);
  pieces_.build(program, stall, gm_words, prefetch);
  cells_.assign(at(footprint_.segment_count()) + 1, Cell());
  line_cells_.assign(at(pieces_.line_count()), LineCell());
  nodes_.clear();
  found_ = gathering_ = false;
  sweep();
  if (found_) judge_groups();
  if (!result.undefined_reads.empty()) {
    result.poison.insert(result.poison.end(), result.undefined_reads.begin(),
                         result.undefined_reads.end());
  }
  std::sort(result.poison.begin(), result.poison.end());
  result.poison.erase(std::unique(result.poison.begin(), result.poison.end()), result.poison.end());
}

/// Visits every access in the order of starts.
void HazardAnalysis::sweep() {
  accesses_.clear();
  next_event_.clear();
  next_bypass_.clear();
  for (std::size_t t = 0; t < program_->threads.size(); ++t) {
    next_event_.push_back(pieces_.first_event(static_cast<std::int32_t>(t)));
    next_bypass_.push_back(pieces_.first_bypass(static_cast<std::int32_t>(t)));
  }
  for (const Run& run : order_->runs()) {
    const Step* step = program_->threads[at(run.thread)].steps.data() -
                       stall_->first_step[at(run.thread)] + run.first;
    for (std::int32_t flat = run.first; flat < run.last; ++flat, ++step) {
      switch (step->kind) {
        case StepKind::data:
        case StepKind::local_load:
        case StepKind::local_store:
        case StepKind::load_bypass:
          if (order_->executed(flat)) ranges(*step, flat, flat);
          break;
        case StepKind::store_bypass: {
          if (!order_->executed(flat)) break;
          const BypassStore& store = pieces_.bypass_stores()[at(next_bypass_[at(run.thread)]++)];
          SKCTS_CHECK(store.step == flat, "uncached store {} is not {}", store.step, flat);
          ranges(*step,
                 make({.step = flat, .start = flat, .end_step = store.end, .thread = run.thread}),
                 flat);
          break;
        }
        case StepKind::load:
        case StepKind::store:
        case StepKind::poll: {
          std::int32_t& next = next_event_[at(run.thread)];
          if (next < pieces_.first_event(run.thread + 1) &&
              pieces_.events()[at(next)].step == flat) {
            scalar_event(flat, next++);
          }
          break;
        }
        default: break;
      }
    }
  }
}

void HazardAnalysis::ranges(const Step& step, Ref ref, std::int32_t start) {
  known_ = none;
  for (std::int32_t r = step.reads_begin; r < step.reads_end; ++r) {
    if (!gathering_ && footprint_.is_local(footprint_.address(r))) {
      find_undefined(r, step, start);
    }
    touch(r, ref, start, Class::read, step.sub_kernel);
  }
  const Class kind = step.atomic_add ? Class::atomic : Class::write;
  for (std::int32_t r = step.writes_begin; r < step.writes_end; ++r) {
    touch(r, ref, start, kind, step.sub_kernel);
    if (!line_cells_.empty() && !footprint_.is_local(footprint_.address(r))) lines(r, ref, start);
  }
}

/// A scalar access through the cache: a piece speaks of itself at its first access, an episode's
/// word at its first store.
void HazardAnalysis::scalar_event(std::int32_t flat, std::int32_t number) {
  const CacheEvent& event = pieces_.events()[at(number)];
  const Piece& piece = pieces_.pieces()[at(event.piece)];
  Access access{.step = flat,
                .start = piece.first_access,
                .end_step = piece.land_step,
                .landing = piece.landing,
                .thread = piece.thread,
                .piece = event.piece,
                .cached = true};
  if (piece.first_event == number) {
    if (piece.stored != 0) {
      Access episode = access;
      for (std::int32_t e = number; e >= 0; e = pieces_.events()[at(e)].next) {
        if (pieces_.events()[at(e)].kind != CacheEvent::Kind::store) continue;
        episode.step = pieces_.events()[at(e)].step;
        break;
      }
      known_ = none;
      line(piece.line, make(episode), piece.first_access, true);
    }
    for (std::int32_t e = number; e >= 0; e = pieces_.events()[at(e)].next) {
      const CacheEvent& load = pieces_.events()[at(e)];
      if (load.kind != CacheEvent::Kind::load) continue;
      Access read = access;
      read.step = read.end_step = load.step;
      read.landing = -1;
      known_ = none;
      segment(footprint_.segment_of(load.word), make(read), piece.first_access, Class::cached_load);
    }
  }
  if (event.first_store) {
    access.start = flat;
    known_ = none;
    segment(footprint_.segment_of(event.word), make(access), flat, Class::episode);
  }
}

/// PIPE-7.
void HazardAnalysis::find_undefined(std::int32_t range, const Step& step, std::int32_t flat) {
  for (std::int32_t s = footprint_.first_segment(range); s < footprint_.last_segment(range); ++s) {
    if (cells_[at(s)].sub_kernel == step.sub_kernel) continue;
    const std::int32_t start = footprint_.segment_start(s);
    result_->undefined_reads.push_back({.step = flat,
                                        .first = start,
                                        .count = footprint_.segment_start(s + 1) - start,
                                        .undefined = true});
  }
}

void HazardAnalysis::touch(std::int32_t range, Ref ref, std::int32_t start, Class kind,
                           std::int32_t sub_kernel) {
  const std::int32_t last = footprint_.last_segment(range);
  for (std::int32_t s = footprint_.first_segment(range); s < last; ++s) {
    segment(s, ref, start, kind);
    if (kind != Class::read) cells_[at(s)].sub_kernel = sub_kernel;
  }
}

void HazardAnalysis::segment(std::int32_t number, Ref ref, std::int32_t start, Class kind) {
  Cell& cell = cells_[at(number)];
  if (gathering_) {
    if (cell.racy) entries_.push_back({.segment = number, .ref = ref, .kind = kind});
    return;
  }
  if (cell.racy) return;
  const bool after_write = cell.write == none || cell.write == ref || ordered(cell.write, start);
  bool fine = true;
  switch (kind) {
    case Class::read:
    case Class::cached_load:
      fine = after_write && all_ordered(cell.more, ref, start) &&
             all_ordered(cell.atomics, ref, start);
      push(cell.reads, ref);
      break;
    case Class::write:
      // Episodes in `more` are the business of the line.
      fine = after_write && all_ordered(cell.atomics, ref, start) &&
             all_ordered(cell.reads, ref, start);
      cell.write = ref;
      cell.more = cell.atomics = cell.reads = -1;
      break;
    case Class::atomic:
      fine = after_write && all_ordered(cell.reads, ref, start);
      push(cell.atomics, ref);
      break;
    case Class::episode:
      fine = all_ordered(cell.reads, ref, start);
      push(cell.more, ref);
      break;
  }
  if (!fine) cell.racy = found_ = true;
}

void HazardAnalysis::lines(std::int32_t range, Ref ref, std::int32_t start) {
  const std::int32_t first = footprint_.address(range);
  const std::int32_t end = first + program_->ranges[at(range)].count;
  for (std::int32_t l = first / line_words; l * line_words < end; ++l) {
    const std::int32_t place = pieces_.line_place(l);
    if (place < 0 || !pieces_.is_stored(place)) continue;
    if (gathering_) {
      if (!line_cells_[at(place)].racy) continue;
      const std::int32_t from = std::max(first, l * line_words);
      line_entries_.push_back({.segment = place,
                               .ref = ref,
                               .kind = Class::write,
                               .first = from,
                               .count = std::min(end, (l + 1) * line_words) - from});
    } else {
      line(place, ref, start, false);
    }
  }
}

/// H3 and H5: DMA writes to any word of a line against episodes, episodes of two cores.
void HazardAnalysis::line(std::int32_t place, Ref ref, std::int32_t start, bool episode) {
  LineCell& cell = line_cells_[at(place)];
  if (gathering_) {
    if (cell.racy && episode) {
      line_entries_.push_back({.segment = place, .ref = ref, .kind = Class::episode});
    }
    return;
  }
  if (cell.racy) return;
  bool fine = all_ordered(cell.episodes, ref, start);
  if (episode) {
    fine = fine && all_ordered(cell.writes, ref, start);
    cell.writes = -1;
    // Those of this core that have not landed still matter to others.
    std::int32_t kept = -1;
    for (std::int32_t n = cell.episodes; n >= 0;) {
      Node& node = nodes_[at(n)];
      const std::int32_t next = node.next;
      if (exempt(node.ref, ref) && !ordered(node.ref, start)) {
        node.next = kept;
        kept = n;
      }
      n = next;
    }
    cell.episodes = kept;
    push(cell.episodes, ref);
  } else {
    std::int32_t kept = -1;
    for (std::int32_t n = cell.writes; n >= 0;) {
      Node& node = nodes_[at(n)];
      const std::int32_t next = node.next;
      if (!ordered(node.ref, start)) {
        node.next = kept;
        kept = n;
      }
      n = next;
    }
    cell.writes = kept;
    push(cell.writes, ref);
  }
  if (!fine) cell.racy = found_ = true;
}

HazardAnalysis::Ref HazardAnalysis::make(const Access& access) {
  accesses_.push_back(access);
  return ~static_cast<Ref>(accesses_.size() - 1);
}

std::int32_t HazardAnalysis::step_of(Ref ref) const {
  return ref >= 0 ? ref : accesses_[at(~ref)].step;
}

std::int32_t HazardAnalysis::piece_of(Ref ref) const {
  return ref >= 0 ? -1 : accesses_[at(~ref)].piece;
}

void HazardAnalysis::push(std::int32_t& list, Ref ref) {
  nodes_.push_back({ref, list});
  list = static_cast<std::int32_t>(nodes_.size() - 1);
}

/// A step with itself, and cached accesses of one core: its cache keeps them in order.
bool HazardAnalysis::exempt(Ref a, Ref b) const {
  if (a == b) return true;
  if (a >= 0 || b >= 0) return false;
  const Access& x = accesses_[at(~a)];
  const Access& y = accesses_[at(~b)];
  return x.cached && y.cached && x.thread == y.thread;
}

/// Is the end of an access before the start of another?
bool HazardAnalysis::ordered(Ref earlier, std::int32_t start) {
  if (earlier == known_) return true;
  if (start < 0) return false;
  bool yes = false;
  if (earlier >= 0) {
    yes = order_->before(earlier, start);
  } else {
    const Access& access = accesses_[at(~earlier)];
    yes = (access.end_step >= 0 && order_->before(access.end_step, start)) ||
          (access.landing >= 0 && order_->landed(access.thread, access.landing, start));
  }
  if (yes) known_ = earlier;
  return yes;
}

bool HazardAnalysis::all_ordered(std::int32_t list, Ref ref, std::int32_t start) {
  for (std::int32_t n = list; n >= 0; n = nodes_[at(n)].next) {
    const Ref other = nodes_[at(n)].ref;
    if (!exempt(other, ref) && !ordered(other, start)) return false;
  }
  return true;
}

/// The second sweep and the pairs of what it gathered.
void HazardAnalysis::judge_groups() {
  for (std::int32_t l = 0; l < pieces_.line_count(); ++l) {
    if (!line_cells_[at(l)].racy) continue;
    const auto first = static_cast<std::int32_t>(pieces_.line_of(l)) * line_words;
    const std::int32_t last = footprint_.segment_of(first + line_words - 1);
    for (std::int32_t s = footprint_.segment_of(first); s <= last; ++s) cells_[at(s)].racy = true;
  }
  gathering_ = true;
  entries_.clear();
  line_entries_.clear();
  piece_poisoned_.assign(pieces_.pieces().size(), 0);
  sweep();
  known_ = none;
  const auto by_segment = [](const Entry& a, const Entry& b) { return a.segment < b.segment; };
  std::stable_sort(entries_.begin(), entries_.end(), by_segment);
  std::stable_sort(line_entries_.begin(), line_entries_.end(), by_segment);
  const auto groups = [](const std::vector<Entry>& entries, auto&& judge) {
    const Entry* first = entries.data();
    const Entry* const end = first + entries.size();
    while (first != end) {
      const Entry* last = first;
      while (last != end && last->segment == first->segment) ++last;
      judge(first, last);
      first = last;
    }
  };
  groups(entries_, [&](const Entry* a, const Entry* b) { judge_segment(a, b); });
  groups(line_entries_, [&](const Entry* a, const Entry* b) { judge_line(a, b); });
  std::vector<Conflict>& found = result_->conflicts;
  std::sort(found.begin(), found.end());
  const auto same = [](const Conflict& a, const Conflict& b) {
    return a.first == b.first && a.second == b.second && a.hazard == b.hazard;
  };
  found.erase(std::unique(found.begin(), found.end(), same), found.end());
  if (found.size() > HazardResult::max_conflicts) found.resize(HazardResult::max_conflicts);
}

void HazardAnalysis::judge_segment(const Entry* first, const Entry* last) {
  const auto writes = [](Class kind) { return kind >= Class::write; };
  const std::int32_t address = footprint_.segment_start(first->segment);
  const bool local = footprint_.is_local(address);
  const auto count = static_cast<std::size_t>(last - first);
  marked_.assign(count, count > largest_group ? 1 : 0);
  if (count > largest_group) result_->exact = false;
  const std::size_t looked_at = std::min(count, largest_group);
  std::size_t marked = 0;  // of those before b, as far as they are all marked
  for (std::size_t j = 1; j < looked_at; ++j) {
    const Entry& b = first[j];
    const std::int32_t start = b.ref >= 0 ? b.ref : accesses_[at(~b.ref)].start;
    while (marked < j && marked_[marked] != 0) ++marked;
    for (std::size_t i = 0; i < j; ++i) {
      // Nothing is left to be found out: no pair more is kept, and all of them race.
      if (marked_[j] != 0 && marked == j && result_->conflicts.size() >= raw_conflicts) break;
      const Entry& a = first[i];
      if (!writes(a.kind) && !writes(b.kind)) continue;
      if (a.kind == Class::atomic && b.kind == Class::atomic) continue;
      const bool episode = a.kind == Class::episode || b.kind == Class::episode;
      if (episode && writes(a.kind) && writes(b.kind)) continue;  // the line's business
      known_ = none;
      if (exempt(a.ref, b.ref) || ordered(a.ref, start)) continue;
      if (passed_by_poll(a.ref, start, first->segment)) continue;
      const bool cached = a.kind == Class::cached_load || b.kind == Class::cached_load;
      Hazard hazard = local ? Hazard::local : Hazard::h1;
      if (cached)
        hazard = episode ? Hazard::h6 : Hazard::h2;
      else if (episode)
        hazard = Hazard::h4;
      conflict(a.ref, b.ref, hazard, address);
      const bool two_writes = writes(a.kind) && writes(b.kind);
      if (two_writes || !writes(a.kind)) marked_[i] = 1;
      if (two_writes || !writes(b.kind)) marked_[j] = 1;
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (marked_[i] != 0) poison_segment(first[i]);
  }
  if (!local) return;
  // Does every read have a write that is over before it?
  for (const Entry* read = first; read != last; ++read) {
    if (writes(read->kind)) continue;
    known_ = none;
    const bool written = std::any_of(first, last, [&](const Entry& e) {
      return writes(e.kind) && e.ref != read->ref && ordered(e.ref, read->ref);
    });
    if (written) continue;
    result_->undefined_base.push_back(
        {.first = address, .count = footprint_.segment_start(first->segment + 1) - address});
    break;
  }
}

void HazardAnalysis::judge_line(const Entry* first, const Entry* last) {
  const auto line = static_cast<std::int32_t>(pieces_.line_of(first->segment)) * line_words;
  if (static_cast<std::size_t>(last - first) > largest_group) {
    // Too many to look at in pairs: all of them may race.
    result_->exact = false;
    for (const Entry* one = first; one != last; ++one) {
      if (one->kind == Class::write) {
        poison(step_of(one->ref), one->first, one->count, true);
      } else {
        poison_piece(piece_of(one->ref));
      }
    }
    last = first + largest_group;
  }
  const auto is_known = [&](const Entry& entry) {
    return entry.kind == Class::episode && piece_poisoned_[at(piece_of(entry.ref))] != 0;
  };
  const Entry* known = first;  // up to there all are episodes whose stores are known to race
  for (const Entry* b = first; b != last; ++b) {
    const std::int32_t start = b->ref >= 0 ? b->ref : accesses_[at(~b->ref)].start;
    while (known != b && is_known(*known)) ++known;
    for (const Entry* a = first; a != b; ++a) {
      // Nothing is left to be found out: no pair more is kept.
      if (known == b && is_known(*b) && result_->conflicts.size() >= raw_conflicts) break;
      if (a->kind == Class::write && b->kind == Class::write) continue;
      known_ = none;
      if (exempt(a->ref, b->ref) || ordered(a->ref, start)) continue;
      if (a->kind == Class::episode && b->kind == Class::episode) {
        conflict(a->ref, b->ref, Hazard::h5, line);
        poison_piece(piece_of(a->ref));
        poison_piece(piece_of(b->ref));
        continue;
      }
      const Entry& write = a->kind == Class::write ? *a : *b;
      conflict(a->ref, b->ref, Hazard::h3, write.first);
      poison(step_of(write.ref), write.first, write.count, true);
      // Of a word that both write, either may be the last.
      poison_stores(piece_of(a->kind == Class::write ? b->ref : a->ref), write.first, write.count);
    }
  }
}

/// Has a poll before the start seen the segment as the earlier access wrote it?
bool HazardAnalysis::passed_by_poll(Ref earlier, std::int32_t start, std::int32_t segment) const {
  constexpr std::int32_t block_words = 8;
  if (start < 0 || piece_of(earlier) >= 0) return false;
  const std::int32_t first = footprint_.segment_start(segment);
  const std::int32_t last = footprint_.segment_start(segment + 1) - 1;
  return !footprint_.is_local(first) && first / block_words == last / block_words &&
         order_->block_polled(step_of(earlier), first, start);
}

void HazardAnalysis::poison(std::int32_t step, std::int32_t first, std::int32_t count, bool write) {
  if (!result_->poison.empty()) {
    Poison& last = result_->poison.back();
    if (last.step == step && last.write == write && last.first == first && last.count == count) {
      return;
    }
  }
  result_->poison.push_back({.step = step, .first = first, .count = count, .write = write});
}

void HazardAnalysis::poison_segment(const Entry& entry) {
  const std::int32_t start = footprint_.segment_start(entry.segment);
  poison(step_of(entry.ref), start, footprint_.segment_start(entry.segment + 1) - start,
         entry.kind >= Class::write);
}

/// The stores of an episode to words in [first, first + count).
void HazardAnalysis::poison_stores(std::int32_t piece, std::int32_t first, std::int32_t count) {
  for (std::int32_t e = pieces_.pieces()[at(piece)].first_event; e >= 0;
       e = pieces_.events()[at(e)].next) {
    const CacheEvent& event = pieces_.events()[at(e)];
    if (event.kind != CacheEvent::Kind::store) continue;
    if (first <= event.word && event.word < first + count) poison(event.step, event.word, 1, true);
  }
}

/// All stores of an episode.
void HazardAnalysis::poison_piece(std::int32_t piece) {
  if (piece_poisoned_[at(piece)] != 0) return;
  piece_poisoned_[at(piece)] = 1;
  const std::int64_t line = pieces_.line_of(pieces_.pieces()[at(piece)].line);
  poison_stores(piece, static_cast<std::int32_t>(line) * line_words, line_words);
}

void HazardAnalysis::conflict(Ref first, Ref second, Hazard hazard, std::int32_t address) {
  if (result_->conflicts.size() >= raw_conflicts) return;
  const Conflict made{step_of(first), step_of(second), hazard,
                      address,        piece_of(first), piece_of(second)};
  if (!result_->conflicts.empty()) {
    const Conflict& last = result_->conflicts.back();
    if (last.first == made.first && last.second == made.second && last.hazard == made.hazard) {
      return;
    }
  }
  result_->conflicts.push_back(made);
}

}  // namespace skcts::model
