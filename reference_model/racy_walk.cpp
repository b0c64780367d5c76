// From the steps of a launch to the events that a search needs: one walk in a linear order finds
// the words that poison reaches, a second one writes down who touches them, with the values of
// everything else.
#include <algorithm>
#include <cstring>

#include "reference_model/racy_events.h"
#include "reference_model/racy_formula.h"

namespace skcts::model {
namespace {

constexpr std::int32_t block_words = 8;

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

void RacyEvents::walk(bool make) {
  memory_ = start_;
  taint_ = start_taint_;
  registers_.assign(program_.threads.size() * register_count, Register());
  next_bypass_.clear();
  for (std::size_t t = 0; t < program_.threads.size(); ++t) {
    next_bypass_.push_back(pieces_.first_bypass(static_cast<std::int32_t>(t)));
  }
  for (const Run& run : order_.runs()) {
    const Step* step = program_.threads[at(run.thread)].steps.data() -
                       stall_.first_step[at(run.thread)] + run.first;
    for (std::int32_t flat = run.first; flat < run.last; ++flat, ++step) {
      if (stall_.executed[at(flat)] != 0) walk_step(run.thread, flat, *step, make);
    }
  }
}

void RacyEvents::walk_step(std::int32_t thread, std::int32_t flat, const Step& step, bool make) {
  switch (step.kind) {
    case StepKind::data: data(thread, flat, step, make); break;
    case StepKind::load:
    case StepKind::load_bypass:
    case StepKind::local_load: scalar_read(thread, flat, step, make); break;
    case StepKind::store:
    case StepKind::store_bypass:
    case StepKind::local_store: scalar_write(thread, flat, step, make); break;
    case StepKind::poll: poll(thread, flat, step, make); break;
    case StepKind::mark:
      if (step.mark != MarkKind::sub_kernel_begin) break;
      std::fill_n(registers_.begin() + thread * register_count, register_count, Register());
      break;
    default: break;
  }
}

RacyEvent& RacyEvents::add_event(EventKind kind, std::int32_t thread, std::int32_t flat) {
  RacyEvent& event = events_.emplace_back();
  event.kind = kind;
  event.thread = thread;
  event.step = event.start = flat;
  event.ends.push_back(flat);
  return event;
}

std::int32_t RacyEvents::new_variable(std::int32_t address) {
  variable_address_.push_back(address);
  return static_cast<std::int32_t>(variable_address_.size() - 1);
}

Source RacyEvents::register_source(std::int32_t thread, const Step& step) const {
  if (step.reg_in < 0) return {-1, step.value};
  return registers_[at(thread * register_count + step.reg_in)].source;
}

std::uint8_t RacyEvents::poison_of(std::int32_t flat, std::int32_t address, bool write) const {
  if (first_poison_[at(flat)] < 0) return 0;
  std::uint8_t taint = 0;
  for (std::size_t i = at(first_poison_[at(flat)]); i < hazards_.poison.size(); ++i) {
    const Poison& poison = hazards_.poison[i];
    if (poison.step != flat) break;
    if (poison.write != write || address < poison.first || address >= poison.first + poison.count) {
      continue;
    }
    taint |= poison.undefined ? undefined : racy;
  }
  return taint;
}

/// Of a word that a step reads; the address becomes one that is searched.
std::uint8_t RacyEvents::read_taint(std::int32_t flat, std::int32_t address) {
  const auto taint =
      static_cast<std::uint8_t>(poison_of(flat, address, false) | taint_[at(address)]);
  hot_[at(address)] |= taint;
  return taint;
}

void RacyEvents::write_taint(std::int32_t flat, std::int32_t address, std::uint8_t taint,
                             bool atomic) {
  taint |= poison_of(flat, address, true);
  if (atomic) taint |= taint_[at(address)];
  taint_[at(address)] = taint;
  hot_[at(address)] |= taint | start_taint_[at(address)];
}

bool RacyEvents::is_searched_line(std::int32_t address) const {
  if (address >= footprint_.gm_words()) return false;
  const std::int32_t line = address / line_words;
  if (pieces_.line_place(line) < 0) return false;
  const auto first = hot_.begin() + line * line_words;
  return std::any_of(first, first + line_words, [](std::uint8_t taint) { return taint != 0; });
}

std::int32_t RacyEvents::cache_of(std::int32_t thread, std::int32_t address) {
  const std::int64_t line = address / line_words;
  const std::uint64_t key =
      static_cast<std::uint64_t>(thread) << 40 | static_cast<std::uint64_t>(line);
  const auto [place, fresh] = cache_place_.emplace(key, static_cast<std::int32_t>(caches_.size()));
  if (fresh) {
    RacyCache& cache = caches_.emplace_back();
    cache.thread = thread;
    cache.line = line;
    for (std::int32_t w = 0; w < line_words; ++w) {
      const auto word = static_cast<std::int32_t>(line * line_words + w);
      if (hot_[at(word)] != 0) cache.words.push_back(word);
    }
  }
  return place->second;
}

void RacyEvents::scalar_read(std::int32_t thread, std::int32_t flat, const Step& step, bool make) {
  const std::int32_t from = address(step.reads_begin);
  Register result;
  result.taint = read_taint(flat, from);
  result.source.value = memory_[at(from)];
  result.source.undefined = (poison_of(flat, from, false) & undefined) != 0;
  const bool cached = step.kind == StepKind::load;
  const bool followed = result.taint != 0 && !result.source.undefined;
  if (make && (followed || (cached && is_searched_line(from)))) {
    const std::int32_t cache = cached ? cache_of(thread, from) : -1;
    RacyEvent& event = add_event(cached ? EventKind::load : EventKind::read, thread, flat);
    event.cache = cache;
    event.by_object = step.object >= 0;
    if (followed) {
      result.source.variable = new_variable(from);
      event.accesses.push_back({from, result.source.variable, {}});
    }
  }
  if (step.reg_out >= 0) registers_[at(thread * register_count + step.reg_out)] = result;
}

void RacyEvents::scalar_write(std::int32_t thread, std::int32_t flat, const Step& step, bool make) {
  const std::int32_t to = address(step.writes_begin);
  const Source operand = register_source(thread, step);
  const std::uint8_t taint =
      step.reg_in < 0 ? 0 : registers_[at(thread * register_count + step.reg_in)].taint;
  write_taint(flat, to, taint, false);
  memory_[at(to)] = operand.value;
  std::int32_t end = flat;
  if (step.kind == StepKind::store_bypass) {
    end = pieces_.bypass_stores()[at(next_bypass_[at(thread)]++)].end;
  }
  if (!make) return;
  const bool cached = step.kind == StepKind::store;
  if (hot_[at(to)] == 0 && !(cached && is_searched_line(to))) return;
  const std::int32_t cache = cached ? cache_of(thread, to) : -1;
  RacyEvent& event = add_event(cached ? EventKind::store : EventKind::write, thread, flat);
  event.cache = cache;
  event.by_object = step.object >= 0;
  event.ends.clear();
  if (end >= 0) event.ends.push_back(end);
  if (hot_[at(to)] == 0) return;
  Formula formula;
  formula.operand = operand;
  event.accesses.push_back({to, -1, std::move(formula)});
}

/// A poll knows its word when it passes; what at_least lets through is not said.
void RacyEvents::poll(std::int32_t thread, std::int32_t flat, const Step& step, bool make) {
  const std::int32_t from = address(step.reads_begin);
  const bool cached = step.via == PollVia::get_value || step.via == PollVia::raw_load;
  const Source operand = register_source(thread, step);
  const std::uint8_t taint =
      step.reg_in < 0 ? 0 : registers_[at(thread * register_count + step.reg_in)].taint;
  if (start_taint_[at(from)] != 0) hot_[at(from)] |= start_taint_[at(from)];
  if (make && cached && is_searched_line(from)) {
    // What such a poll leaves in its cache is not followed.
    for (const std::int32_t word : caches_[at(cache_of(thread, from))].words) {
      hot_[at(word)] |= unfollowed;
    }
  }
  if (make && !cached && hot_[at(from)] != 0) {
    RacyEvent& event = add_event(EventKind::poll, thread, flat);
    event.until = step.until;
    Formula formula;
    formula.operand = operand;
    event.accesses.push_back({from, -1, std::move(formula)});
  }
  if (step.reg_out < 0) return;
  Register& result = registers_[at(thread * register_count + step.reg_out)];
  result = {taint, operand};
  if (step.until == Compare::at_least) result = {undefined, {.undefined = true}};
}

// Steps of the pipes.

/// Does nothing about it race?
bool RacyEvents::is_plain(std::int32_t flat, const Step& step, std::uint8_t operand_taint) const {
  if (first_poison_[at(flat)] >= 0 || operand_taint != 0 || step.function == Function::none) {
    return false;
  }
  const auto none = [&](const std::vector<std::uint8_t>& marks, std::int32_t range) {
    const auto first = marks.begin() + address(range);
    return std::all_of(first, first + count(range), [](std::uint8_t mark) { return mark == 0; });
  };
  for (std::int32_t r = step.reads_begin; r < step.reads_end; ++r) {
    if (!none(taint_, r)) return false;
  }
  for (std::int32_t r = step.writes_begin; r < step.writes_end; ++r) {
    if (!none(hot_, r) || !none(taint_, r) || !none(start_taint_, r)) return false;
  }
  return true;
}

void RacyEvents::data(std::int32_t thread, std::int32_t flat, const Step& step, bool make) {
  const std::uint8_t operand_taint =
      step.reg_in < 0 ? 0 : registers_[at(thread * register_count + step.reg_in)].taint;
  if (is_plain(flat, step, operand_taint)) return plain(step, register_source(thread, step).value);
  read_data(thread, flat, step, make);
  write_data(thread, flat, step, make);
}

/// One value each: no formulas.
void RacyEvents::plain(const Step& step, std::uint32_t operand) {
  if (step.writes_begin == step.writes_end) return;
  std::vector<std::uint32_t> in;
  for (std::int32_t r = step.reads_begin; r < step.reads_end; ++r) {
    const auto first = memory_.begin() + address(r);
    in.insert(in.end(), first, first + count(r));
  }
  std::uint32_t state = opaque_start;
  if (step.function == Function::opaque) {
    for (const std::uint32_t word : in) state = opaque_fold(state, word);
  }
  const std::size_t second = step.reads_begin < step.reads_end ? at(count(step.reads_begin)) : 0;
  std::uint32_t index = 0;
  for (std::int32_t w = step.writes_begin; w < step.writes_end; ++w) {
    for (std::int32_t i = 0; i < count(w); ++i, ++index) {
      std::uint32_t value = operand;
      switch (step.function) {
        case Function::copy: value = in[index]; break;
        case Function::adds: value = in[index] + operand; break;
        case Function::add: value = in[index] + in[second + index]; break;
        case Function::mmad: value = mmad_word(in[index], in[second + index]); break;
        case Function::opaque: value = opaque_word(state, operand, index); break;
        default: break;
      }
      std::uint32_t& to = memory_[at(address(w) + i)];
      to = step.atomic_add ? to + value : value;
    }
  }
}

void RacyEvents::read_data(std::int32_t thread, std::int32_t flat, const Step& step, bool make) {
  inputs_.clear();
  input_taints_.clear();
  std::int32_t block = -1;  // of the read event that is open
  for (std::int32_t r = step.reads_begin; r < step.reads_end; ++r) {
    for (std::int32_t i = 0; i < count(r); ++i) {
      const std::int32_t from = address(r) + i;
      const std::uint8_t taint = read_taint(flat, from);
      input_taints_.push_back(taint);
      Source& input = inputs_.emplace_back();
      input.value = memory_[at(from)];
      input.undefined = (poison_of(flat, from, false) & undefined) != 0;
      if (!make || taint == 0 || input.undefined) continue;
      input.variable = new_variable(from);
      const std::int32_t own = block_of(step, from);
      if (own < 0 || block != own) add_event(EventKind::read, thread, flat);
      block = own;
      events_.back().accesses.push_back({from, input.variable, {}});
    }
    block = -1;
  }
}

/// The block of 32 bytes that a transfer moves in one piece with this word; -1: it moves alone
/// (L-30).
std::int32_t RacyEvents::block_of(const Step& step, std::int32_t address) const {
  if (freedom_.torn || step.pipe == Pipe::v || step.pipe == Pipe::m) return -1;
  if (!footprint_.is_local(address)) return address / block_words;
  return static_cast<std::int32_t>(footprint_.local_place(address).word / block_words);
}

/// An opaque step with too many inputs for the words that it writes: not followed.
bool RacyEvents::is_wide(const Step& step) const {
  std::size_t written = 0;
  for (std::int32_t w = step.writes_begin; w < step.writes_end; ++w) written += at(count(w));
  return inputs_.size() * written > most_opaque_inputs;
}

/// How the word with this number, counted over all written ranges, is made.
Formula RacyEvents::formula(const Step& step, const Source& operand, std::size_t index) const {
  Formula result;
  result.function = step.function;
  result.index = static_cast<std::uint32_t>(index);
  result.operand = operand;
  switch (step.function) {
    case Function::copy:
    case Function::adds: result.inputs = {inputs_[index]}; break;
    case Function::add:
    case Function::mmad:
      result.inputs = {inputs_[index], inputs_[at(count(step.reads_begin)) + index]};
      break;
    case Function::opaque:
      if (is_wide(step)) {
        result.function = Function::fill;
        result.operand.value = opaque_word(wide_state_, operand.value, result.index);
      } else {
        result.inputs = inputs_;
      }
      break;
    default: break;
  }
  return result;
}

void RacyEvents::write_data(std::int32_t thread, std::int32_t flat, const Step& step, bool make) {
  const Source operand = register_source(thread, step);
  std::uint8_t common =
      step.reg_in < 0 ? 0 : registers_[at(thread * register_count + step.reg_in)].taint;
  if (step.function == Function::none) common |= undefined;
  if (step.function == Function::opaque) {
    for (const std::uint8_t taint : input_taints_) common |= taint;
    if (common != 0 && is_wide(step)) common |= unfollowed;
    wide_state_ = opaque_start;
    for (const Source& input : inputs_) wide_state_ = opaque_fold(wide_state_, input.value);
  }
  bool overlaps = false;
  for (std::int32_t w = step.writes_begin; w < step.writes_end; ++w) {
    for (std::int32_t r = step.reads_begin; r < step.reads_end; ++r) {
      overlaps =
          overlaps || (address(r) < address(w) + count(w) && address(w) < address(r) + count(r));
    }
  }
  std::size_t index = 0;
  std::int32_t block = -1;
  for (std::int32_t w = step.writes_begin; w < step.writes_end; ++w, block = -1) {
    for (std::int32_t i = 0; i < count(w); ++i, ++index) {
      const std::int32_t to = address(w) + i;
      Formula made = formula(step, operand, index);
      std::uint8_t taint = common;
      if (step.function == Function::copy || step.function == Function::adds) {
        taint |= input_taints_[index];
      } else if (step.function == Function::add || step.function == Function::mmad) {
        taint |= input_taints_[index] | input_taints_[at(count(step.reads_begin)) + index];
      }
      write_taint(flat, to, taint, step.atomic_add);
      const std::uint32_t value = evaluate(made, [](const Source& s) { return s.value; });
      memory_[at(to)] = step.atomic_add ? memory_[at(to)] + value : value;
      if (!make || hot_[at(to)] == 0) continue;
      const std::int32_t own = block_of(step, to);
      if (own < 0 || block != own) {
        RacyEvent& event = add_event(EventKind::write, thread, flat);
        event.atomic_add = step.atomic_add;
        event.reads_first = overlaps;
      }
      block = own;
      events_.back().accesses.push_back({to, -1, std::move(made)});
    }
  }
}

// What caches do besides.

void RacyEvents::refreshes_and_landings() {
  std::vector<std::vector<std::int32_t>> by_thread(program_.threads.size());
  for (std::size_t c = 0; c < caches_.size(); ++c) {
    by_thread[at(caches_[c].thread)].push_back(static_cast<std::int32_t>(c));
  }
  for (std::size_t t = 0; t < by_thread.size(); ++t) {
    if (!by_thread[t].empty()) refresh_events(static_cast<std::int32_t>(t), by_thread[t]);
  }
  for (std::size_t p = 0; p < pieces_.pieces().size(); ++p) {
    const Piece& piece = pieces_.pieces()[p];
    if (piece.stored == 0) continue;
    const auto line = static_cast<std::uint64_t>(pieces_.line_of(piece.line));
    const auto found = cache_place_.find(static_cast<std::uint64_t>(piece.thread) << 40 | line);
    if (found != cache_place_.end()) piece_events(piece, found->second);
  }
}

void RacyEvents::refresh_events(std::int32_t thread, const std::vector<std::int32_t>& caches) {
  std::int32_t flat = stall_.first_step[at(thread)] - 1;
  for (const Step& step : program_.threads[at(thread)].steps) {
    ++flat;
    if (step.kind != StepKind::refresh || stall_.executed[at(flat)] == 0) continue;
    for (const std::int32_t cache : caches) {
      if (step.line >= 0 && step.line != caches_[at(cache)].line) continue;
      add_event(EventKind::refresh, thread, flat).cache = cache;
    }
  }
}

/// The landing of a piece that was stored in.
void RacyEvents::piece_events(const Piece& piece, std::int32_t cache) {
  if (piece.close < 0) {
    const std::int32_t last = pieces_.events()[at(piece.last_event)].step;
    RacyEvent& flush = add_event(EventKind::flush, piece.thread, last);
    flush.ends.clear();
    flush.cache = cache;
    return;
  }
  if (!freedom_.land_late) return;  // the refresh itself writes
  RacyEvent& land = add_event(EventKind::land, piece.thread, piece.close);
  land.ends.clear();
  if (piece.land_step >= 0) land.ends.push_back(piece.land_step);
  land.landing = piece.landing;
  land.cache = cache;
}

/// What pinned latitudes order besides, and what follows a landing in its own cache.
void RacyEvents::add_pinned_ends() {
  const auto next_step = [&](const RacyEvent& event, auto&& fits) {
    const std::vector<Step>& steps = program_.threads[at(event.thread)].steps;
    const std::int32_t first = stall_.first_step[at(event.thread)];
    for (std::int32_t flat = event.step + 1; at(flat - first) < steps.size(); ++flat) {
      if (stall_.executed[at(flat)] != 0 && fits(steps[at(flat - first)])) return flat;
    }
    return -1;
  };
  const auto also = [](RacyEvent& event, std::int32_t end) {
    if (end >= 0) event.ends.push_back(end);
  };
  std::vector<std::vector<std::int32_t>> accesses(caches_.size());
  for (const RacyEvent& event : events_) {
    if (event.kind != EventKind::load && event.kind != EventKind::store) continue;
    accesses[at(event.cache)].push_back(event.step);
  }
  for (auto& steps : accesses) std::sort(steps.begin(), steps.end());
  for (RacyEvent& event : events_) {
    const Step& own = step_at(event.step);
    const bool piped = own.kind == StepKind::data;
    if (event.kind == EventKind::land) {
      // The next access of the line waits for it.
      const std::vector<std::int32_t>& steps = accesses[at(event.cache)];
      const auto next = std::upper_bound(steps.begin(), steps.end(), event.step);
      if (next != steps.end()) event.ends.push_back(*next);
    }
    if (!freedom_.overlap && piped) {
      also(event, next_step(event, [&](const Step& step) {
             return step.kind == StepKind::data && step.pipe == own.pipe;
           }));
    }
    if (freedom_.own_kind) continue;
    if (piped) also(event, next_step(event, [](const Step& s) { return s.kind == StepKind::dsb; }));
    if (event.kind == EventKind::land || own.kind == StepKind::store_bypass) {
      also(event, next_step(event, [](const Step& step) {
             return step.kind == StepKind::barrier && step.pipe == Pipe::all;
           }));
    }
  }
}

}  // namespace skcts::model
