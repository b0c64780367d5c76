#include "reference_model/cache_pieces.h"

#include <algorithm>

namespace skcts::model {
namespace {

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

/// Is it carried out by the scalar unit, one after the other?
bool is_scalar(StepKind kind) {
  switch (kind) {
    case StepKind::data:
    case StepKind::set_event:
    case StepKind::wait_event:
    case StepKind::barrier:
    case StepKind::raise:
    case StepKind::arrive: return false;
    default: return true;
  }
}

bool is_cached_poll(const Step& step) {
  return step.kind == StepKind::poll &&
         (step.via == PollVia::get_value || step.via == PollVia::raw_load);
}

}  // namespace

void CachePieces::build(const LaunchProgram& program, const StallResult& stall,
                        std::int64_t gm_words, bool prefetch) {
  prefetch_ = prefetch;
  pieces_.clear();
  events_.clear();
  bypass_.clear();
  lines_.clear();
  stored_.clear();
  open_.clear();
  refreshed_.clear();
  line_place_.clear();
  line_count_ = 0;
  gm_words_ = gm_words;
  const std::size_t threads = program.threads.size();
  first_event_.assign(threads + 1, 0);
  first_bypass_.assign(threads + 1, 0);
  for (std::size_t t = 0; t < threads; ++t) {
    thread(program, stall, static_cast<std::int32_t>(t));
    first_event_[t + 1] = static_cast<std::int32_t>(events_.size());
    first_bypass_[t + 1] = static_cast<std::int32_t>(bypass_.size());
  }
}

void CachePieces::thread(const LaunchProgram& program, const StallResult& stall,
                         std::int32_t number) {
  thread_ = number;
  refreshed_all_ = -1;
  if (prefetch_) find_refreshed_lines(program);
  std::fill(refreshed_.begin(), refreshed_.end(), -1);
  open_lines_.clear();
  closed_.clear();
  first_closed_unlanded_ = 0;
  std::size_t unended = bypass_.size();
  std::int32_t landings = 0;
  std::int32_t before = -1;  // the executed scalar step before this one
  std::int32_t flat = stall.first_step[at(number)] - 1;
  for (const Step& step : program.threads[at(number)].steps) {
    ++flat;
    if (stall.executed[at(flat)] == 0) continue;
    switch (step.kind) {
      case StepKind::load:
        access(flat, program.ranges[at(step.reads_begin)].first, CacheEvent::Kind::load, flat);
        break;
      case StepKind::store:
        access(flat, program.ranges[at(step.writes_begin)].first, CacheEvent::Kind::store, flat);
        break;
      case StepKind::poll: {
        if (!is_cached_poll(step)) break;
        const std::int64_t word = program.ranges[at(step.reads_begin)].first;
        const std::int32_t place = line_place(word / line_words);
        // A refreshing poll leaves what its last read fetched; another one what its first did.
        if (step.refresh_each_read && place >= 0) {
          close_line(place, flat);
          refreshed_[at(place)] = flat;
        }
        access(flat, word, CacheEvent::Kind::touch, step.refresh_each_read ? flat : before);
        break;
      }
      case StepKind::store_bypass: bypass_.push_back({flat, -1}); break;
      case StepKind::refresh:
        if (step.line >= 0) {
          const std::int32_t place = line_place(step.line);
          if (place >= 0) {
            close_line(place, flat);
            refreshed_[at(place)] = flat;
          }
        } else {
          refreshed_all_ = flat;
          for (const std::int32_t place : open_lines_) close(place, flat);
          open_lines_.clear();
        }
        break;
      case StepKind::dsb:
        for (; unended < bypass_.size(); ++unended) bypass_[unended].end = flat;
        for (const std::int32_t piece : closed_) pieces_[at(piece)].land_step = flat;
        closed_.clear();
        first_closed_unlanded_ = 0;
        break;
      case StepKind::arrive:
        if (!lands_at(program.joins[at(step.join)].kind)) break;
        for (; first_closed_unlanded_ < closed_.size(); ++first_closed_unlanded_) {
          pieces_[at(closed_[first_closed_unlanded_])].landing = landings;
        }
        ++landings;
        break;
      default: break;
    }
    if (is_scalar(step.kind)) before = flat;
  }
  for (const std::int32_t place : open_lines_) open_[at(place)] = -1;
}

/// Under prefetch a refresh counts although the line is touched only later.
void CachePieces::find_refreshed_lines(const LaunchProgram& program) {
  for (const Step& step : program.threads[at(thread_)].steps) {
    if (step.kind == StepKind::refresh && step.line >= 0) place_line(step.line, gm_words_);
    if (step.kind == StepKind::poll && is_cached_poll(step)) {
      place_line(program.ranges[at(step.reads_begin)].first / line_words, gm_words_);
    }
  }
}

std::int32_t CachePieces::place_line(std::int64_t line, std::int64_t gm_words) {
  if (line_place_.empty()) line_place_.assign(at(gm_words / line_words) + 1, -1);
  std::int32_t& place = line_place_[at(line)];
  if (place < 0) {
    place = line_count_++;
    lines_.push_back(line);
    stored_.push_back(0);
    open_.push_back(-1);
    refreshed_.push_back(-1);
  }
  return place;
}

void CachePieces::access(std::int32_t flat, std::int64_t word, CacheEvent::Kind kind,
                         std::int32_t fill) {
  const std::int32_t place = place_line(word / line_words, gm_words_);
  std::int32_t& open = open_[at(place)];
  if (open < 0) {
    open = static_cast<std::int32_t>(pieces_.size());
    open_lines_.push_back(place);
    Piece& made = pieces_.emplace_back();
    made.thread = thread_;
    made.line = place;
    made.first_access = prefetch_ ? std::max(refreshed_[at(place)], refreshed_all_) : fill;
  }
  Piece& piece = pieces_[at(open)];
  CacheEvent event{flat, open, static_cast<std::int32_t>(word), kind};
  if (kind == CacheEvent::Kind::store) {
    const std::uint32_t bit = 1u << (word % line_words);
    event.first_store = (piece.stored & bit) == 0;
    piece.stored |= bit;
    stored_[at(place)] = 1;
  }
  const auto number = static_cast<std::int32_t>(events_.size());
  if (piece.first_event < 0) {
    piece.first_event = number;
  } else {
    events_[at(piece.last_event)].next = number;
  }
  piece.last_event = number;
  events_.push_back(event);
}

/// Ends the open piece of a line; the caller takes the line off open_lines_.
void CachePieces::close(std::int32_t place, std::int32_t flat) {
  const std::int32_t piece = open_[at(place)];
  open_[at(place)] = -1;
  pieces_[at(piece)].close = flat;
  if (pieces_[at(piece)].stored != 0) closed_.push_back(piece);
}

void CachePieces::close_line(std::int32_t place, std::int32_t flat) {
  if (open_[at(place)] < 0) return;
  close(place, flat);
  const auto found = std::find(open_lines_.begin(), open_lines_.end(), place);
  *found = open_lines_.back();
  open_lines_.pop_back();
}

}  // namespace skcts::model
