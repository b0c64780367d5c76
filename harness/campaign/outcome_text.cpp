// Prints outcomes.
#include "harness/campaign/outcome_text.h"

#include <cstddef>

#include <fmt/format.h>

#include "spec/case_id.h"

namespace skcts::campaign {
namespace {

constexpr int most_lines = 12;

std::string waiting_text(const Case& test_case, const Waiting& w) {
  const auto& all = test_case.mix.sub_kernels;
  const bool known = w.sub_kernel >= 0 && static_cast<std::size_t>(w.sub_kernel) < all.size();
  const std::string name =
      known ? all[static_cast<std::size_t>(w.sub_kernel)].name : std::string("the launch");
  const std::string place =
      w.instruction < 0 ? fmt::format("{}, inserted", name)
                        : fmt::format("{} {}[{}]", name, to_string(w.core.kind), w.instruction);
  return fmt::format("{} waits: {}{} at {} (launch {})", to_string(w.core), to_string(w.kind),
                     w.id < 0 ? "" : fmt::format(" {}", w.id), place, w.launch);
}

/// Collects lines and says how many were left out.
class Lines {
 public:
  /// `line` makes the text; it is not asked for lines that are left out.
  template <class Line>
  void add(const Line& line) {
    if (count_++ < most_lines) text_ += fmt::format("  {}\n", line());
  }
  std::string text() const {
    if (count_ <= most_lines) return text_;
    return text_ + fmt::format("  and {} more\n", count_ - most_lines);
  }

 private:
  std::string text_;
  int count_ = 0;
};

/// Words are many: no text of them is made, only their bytes, lowest first.
void add_bytes(std::string& text, std::uint32_t word) {
  for (int shift = 0; shift < 32; shift += 8) text += static_cast<char>(word >> shift & 0xFFU);
}

std::string words_of(const InsertedCounts& c) {
  return fmt::format("{} {} {} {} {} {} {} {}", c.sub_kernel, c.refresh_per_access,
                     c.refresh_before, c.refresh_after, c.refresh_debug, c.barrier_before,
                     c.barrier_debug, c.feed_joins);
}

}  // namespace

std::string outcome_text(const Case& test_case, const Outcome& outcome) {
  std::string text = fmt::format("{}", to_string(outcome.status));
  if (outcome.rule) text += fmt::format(" [{}]", to_string(*outcome.rule));
  if (!outcome.reason.empty()) text += ": " + outcome.reason;
  text += "\n";
  Lines waits;
  for (const Waiting& waiting : outcome.waiting) {
    waits.add([&] { return waiting_text(test_case, waiting); });
  }
  Lines memory;
  const GmLayout layout = layout_of(test_case.mix);
  const std::vector<std::uint32_t> initial = initial_memory(test_case.mix, layout);
  for (std::size_t i = 0; i < outcome.memory.size() && i < initial.size(); ++i) {
    if (outcome.memory[i] == initial[i]) continue;
    memory.add([&] {
      return fmt::format("{} = {} (was {})",
                         word_name(test_case.mix, layout, static_cast<std::int64_t>(i)),
                         outcome.memory[i], initial[i]);
    });
  }
  return text + waits.text() + memory.text();
}

std::string outcome_digest(const Outcome& outcome) {
  std::string all(to_string(outcome.status));
  for (const Waiting& w : outcome.waiting) {
    all += fmt::format("|w {} {} {} {} {} {}", to_string(w.core), w.launch, w.sub_kernel,
                       w.instruction, to_string(w.kind), w.id);
  }
  all += "|r " + outcome.reason;
  if (outcome.rule) all += fmt::format("|{}", to_string(*outcome.rule));
  all += fmt::format("|m {}:", outcome.memory.size());
  for (const std::uint32_t word : outcome.memory) add_bytes(all, word);
  for (const QueryRecord& q : outcome.queries) {
    all += fmt::format("|q {} {} {} {} {}", to_string(q.core), q.launch, q.sub_kernel,
                       q.instruction, q.value);
  }
  for (const LaunchCounts& launch : outcome.counts) {
    all += fmt::format("|c {} {} {}", to_string(launch.type), launch.blocks, launch.fused);
    for (const InsertedCounts& counts : launch.inserted) all += "," + words_of(counts);
  }
  return fmt::format("{:016x}", text_hash(all));
}

}  // namespace skcts::campaign
