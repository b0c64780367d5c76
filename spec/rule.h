// The contract under test, as data: every rule with its kind, text, consequence and source.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>

namespace skcts {

/// What a broken rule means.
enum class RuleKind : std::uint8_t {
  guarantee,    ///< of the platform: a target that breaks it does not conform
  restriction,  ///< on the operator: it judges the operator, by its documented consequence
  advice,       ///< on speed: measured, never a failure
  permission,   ///< allowed to a platform: nobody can fail it, the emulator must show it
};

enum class Chapter : std::uint8_t { core, sync, ratio, cache, pipe, task, fuse, acl };

inline constexpr int chapter_count = 8;

/// The rules in the order of the contract. A number never changes its meaning.
// clang-format off
enum class RuleId : std::uint8_t {
    core_1, core_2, core_3, core_4, core_5, core_6, core_7, core_8,
    sync_1, sync_2, sync_3, sync_4, sync_5, sync_6, sync_7, sync_8,
    sync_9, sync_10, sync_11, sync_12, sync_13, sync_14, sync_15, sync_16,
    ratio_1, ratio_2, ratio_3, ratio_4,
    cache_1, cache_2, cache_3, cache_4, cache_5, cache_6, cache_7, cache_8,
    cache_9, cache_10, cache_11,
    pipe_1, pipe_2, pipe_3, pipe_4, pipe_5, pipe_6, pipe_7,
    task_1, task_2, task_3, task_4, task_5, task_6, task_7,
    fuse_1, fuse_2, fuse_3, fuse_4, fuse_5,
    acl_1, acl_2, acl_3, acl_4, acl_5, acl_6, acl_7, acl_8, acl_9,
};
// clang-format on

inline constexpr std::size_t rule_count = 67;

enum class RulePath : std::uint8_t { both, ge, aclgraph };

struct Rule {
  RuleId id;
  std::string_view name;  ///< "CORE-1"
  RuleKind kind;
  Chapter chapter;
  std::string_view title;        ///< at most 60 characters
  std::string_view text;         ///< the whole statement
  std::string_view consequence;  ///< what follows when it is broken; empty where it has none
  std::string_view source;
  RulePath path;           ///< on which paths it holds
  std::string_view needs;  ///< what the suites lack to exercise the rule at all, such as
                           ///< "generated mixes of the path aclgraph"; empty when they can
  std::string_view part_needs = {};  ///< the same for a part of the rule
};

/// All rules, indexed by RuleId.
std::span<const Rule> rules();

const Rule& rule(RuleId id);

/// The rule of a name such as "SYNC-1", in the spelling of the contract; nothing for another.
std::optional<RuleId> find_rule(std::string_view name);

std::string_view to_string(RuleId id);        ///< "SYNC-1"
std::string_view to_string(RuleKind kind);    ///< "guarantee", ...
std::string_view to_string(RulePath path);    ///< "both", "ge", "aclgraph"
std::string_view to_string(Chapter chapter);  ///< "CORE", ...
char kind_letter(RuleKind kind);              ///< 'G', 'R', 'A', 'P'

}  // namespace skcts

template <>
struct fmt::formatter<skcts::RuleId> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(skcts::RuleId id, Context& context) const {
    return fmt::formatter<std::string_view>::format(skcts::to_string(id), context);
  }
};

template <>
struct fmt::formatter<skcts::RuleKind> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(skcts::RuleKind kind, Context& context) const {
    return fmt::formatter<std::string_view>::format(skcts::to_string(kind), context);
  }
};

template <>
struct fmt::formatter<skcts::Chapter> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(skcts::Chapter chapter, Context& context) const {
    return fmt::formatter<std::string_view>::format(skcts::to_string(chapter), context);
  }
};
