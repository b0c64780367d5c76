// A recorded composition, step by step as it stands. Nothing of it is derived from the rules.
#include <algorithm>
#include <charconv>
#include <string_view>

#include "reference_model/explorer/composer.h"
#include "reference_model/explorer/recorded_pair.h"

namespace skcts::explorer {

namespace {

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

/// The number at the end of a word, after what is not a digit; -1: none.
int number_in(std::string_view word) {
  const std::size_t at = word.find_first_of("0123456789");
  int value = -1;
  if (at != word.npos) std::from_chars(word.data() + at, word.data() + word.size(), value);
  return value;
}

bool of_kind(std::string_view word, CoreKind kind) {
  return word == "all" || word == "both" || word == (kind == CoreKind::aic ? "AIC" : "AIV");
}

/// "all", "block_idx<4", "aiv_linear_idx>=6".
bool guarded(std::string_view guard, const LaunchCore& core) {
  if (guard == "all") return true;
  const int index = guard.starts_with("block_idx") ? core.block : core.id.index;
  const int bound = number_in(guard);
  return guard.find(">=") != guard.npos ? index >= bound : index < bound;
}

/// PIPE_ALL: another one.
Pipe pipe_named(std::string_view name) {
  return name == "FIX" ? Pipe::fix : name == "MTE3" ? Pipe::mte3 : Pipe::all;
}

}  // namespace

std::vector<std::pair<bool, int>> recorded_pair(int configuration, CoreKind kind) {
  const bool aic = kind == CoreKind::aic;
  constexpr bool wait = true, set = false;
  switch (configuration) {
    case 0: return aic ? WaitList{{wait, 11}} : WaitList{};
    case 1:
    case 2: return aic ? WaitList{{wait, 11}, {set, 13}} : WaitList{{wait, 13}};
    case 4:
    case 6: return aic ? WaitList{{wait, 12}} : WaitList{{wait, 14}, {set, 12}};
    case 5: return aic ? WaitList{} : WaitList{{wait, 14}};
    case 8: return aic ? WaitList{{wait, 11}, {wait, 12}} : WaitList{{wait, 14}, {set, 12}};
    case 9: return aic ? WaitList{{wait, 11}, {set, 13}} : WaitList{{wait, 14}, {wait, 13}};
    default:
      return aic ? WaitList{{wait, 11}, {set, 13}, {wait, 12}}
                 : WaitList{{wait, 14}, {set, 12}, {wait, 13}};
  }
}

bool Composer::replay(const Recording& recording) {
  for (std::size_t m = 0; m < members_.size(); ++m) {
    members_[m].own_set = recording.own_set.at(m);
    members_[m].own_wait = recording.own_wait.at(m);
    members_[m].fed = false;
  }
  // Which sub kernels are fed, and the pair that each stands in, is said before its call.
  bool fed = false;
  int pair = -1;
  for (const std::string& step : recording.steps) {
    const std::vector<std::string_view> words = words_of(step);
    if (step == "feed on" || step == "feed off") fed = step == "feed on";
    if (words[0] == "early_cfg") pair = number_in(words.at(1));
    if (words[0] != "run") continue;
    Member& called = members_.at(static_cast<std::size_t>(number_in(words.at(1))));
    called.fed = fed;
    called.pair = pair;
  }
  number_records();
  for (const std::string& step : recording.steps) {
    if (recorded(step)) continue;
    launch_.not_understood = step;
    return false;
  }
  for (CoreBuilder& builder : builders_) launch_.cores.push_back(builder.take());
  return true;
}

bool Composer::recorded(const std::string& step) {
  const std::vector<std::string_view> words = words_of(step);
  const std::string_view first = words[0];
  // Kept apart from the memory of the machine: records start at zero, their places are their own.
  if (first == "early_cfg" || first == "feed" || first == "feed_slot" || first == "feed_ws_clear" ||
      first == "prof") {
    return true;
  }
  if (first == "flag_set" || first == "flag_wait") return recorded_flag(words);
  if (first == "run" || first == "feed_end" || first == "feed_complement") {
    return recorded_call(words);
  }
  const int place = members_[std::min(next_, members_.size() - 1)].place;
  for (std::size_t c = 0; c < cores_.size(); ++c) {
    CoreBuilder& builder = builders_[c];
    const CoreKind kind = cores_[c].id.kind;
    const bool aic = kind == CoreKind::aic;
    if (first == "early_set") {
      if (!of_kind(words.at(1), kind) || !guarded(words.at(2), cores_[c])) continue;
      builder.boundary_raise(aic ? Pipe::fix : Pipe::mte3, aic ? 11 : 14, place, -1);
    } else if (first.starts_with("early_wait(")) {
      if (!of_kind(words.at(1), kind) || !guarded(words.at(2), cores_[c])) continue;
      builder.boundary_list(recorded_pair(number_in(first), kind), place, -1);
    } else if (first == "sync_all" && (words.at(1) == "mix" || words[1] == "aiv_only")) {
      if (words[1] == "aiv_only" && aic) continue;
      builder.settle();
      builder.sync_all(words[1] == "aiv_only", place, -1);
    } else if (first == "pipe_all") {
      builder.pipe_all();
    } else if (first == "dcci_all") {
      if (of_kind(words.at(1).substr(1), kind)) builder.refresh_all();
    } else {
      return false;
    }
  }
  return true;
}

/// "flag_set 11 mode0 pipe FIX @all", "flag_wait 11 @AIC"
bool Composer::recorded_flag(const std::vector<std::string_view>& words) {
  const int id = number_in(words.at(1));
  const int place = members_[std::min(next_, members_.size() - 1)].place;
  const bool sets = words[0] == "flag_set";
  const Pipe pipe = sets ? pipe_named(words.at(4)) : Pipe::all;
  if (sets && pipe == Pipe::all) return false;
  for (std::size_t c = 0; c < cores_.size(); ++c) {
    if (!of_kind(words.back().substr(1), cores_[c].id.kind)) continue;
    if (!sets) {
      builders_[c].wait(id, WaitKind::full_core, place, -1);
    } else if (words.at(2) == "mode0") {
      builders_[c].boundary_raise(pipe, id, place, -1);
    } else {
      if (pipe != Pipe::mte3) return false;
      builders_[c].boundary_list({{false, id}}, place, -1);
    }
  }
  return true;
}

/// "run op0 AIC block_idx<4", "feed_end AIV aiv_linear_idx<6", "feed_complement AIV not-active"
bool Composer::recorded_call(const std::vector<std::string_view>& words) {
  const bool calls = words[0] == "run";
  const auto m = calls ? static_cast<std::size_t>(number_in(words.at(1))) : next_ - 1;
  if (calls) next_ = m + 1;
  const std::string_view kind = words.at(calls ? 2 : 1);
  for (std::size_t c = 0; c < cores_.size(); ++c) {
    if (!of_kind(kind, cores_[c].id.kind)) continue;
    if (words[0] == "feed_complement") {
      if (!runs(*members_[m].kernel, cores_[c])) complement(c, members_[m]);
    } else if (guarded(words.back(), cores_[c])) {
      if (calls) {
        call(c, m, false);
      } else if (cores_[c].id.index == 0) {
        builders_[c].publish();
      }
    }
  }
  return true;
}

}  // namespace skcts::explorer
