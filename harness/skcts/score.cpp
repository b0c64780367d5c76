// skcts score: how soon the suites see each seeded defect of the emulator.
#include "harness/campaign/score.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "generators/generate.h"
#include "harness/campaign/control.h"
#include "harness/emulator/defects.h"
#include "harness/emulator/emulator.h"
#include "harness/skcts/clock.h"
#include "harness/skcts/commands.h"
#include "harness/skcts/inputs.h"
#include "harness/skcts/interrupt.h"
#include "harness/skcts/pattern.h"
#include "harness/skcts/score_text.h"
#include "harness/skcts/terminal.h"
#include "suites/suites.h"

namespace skcts::program {
namespace {

/// Of five rounds four are of the default machine, one of the other architecture. Neither number
/// divides how often the generators turn to their whole range.
constexpr int default_rounds = 4;
constexpr std::string_view other_machine = "950-28";

Result<std::vector<const Profile*>> machines(const std::string& name) {
  Result<const Profile*> chosen = choose_profile(name);
  if (!chosen) return chosen.error();
  if (!name.empty()) return std::vector<const Profile*>{*chosen};
  std::vector<const Profile*> all(default_rounds, *chosen);
  const Profile* const other = find_profile(other_machine);
  if (other != nullptr) all.push_back(other);
  return all;
}

Result<std::vector<campaign::Mutant>> mutants_of(const std::string& pattern) {
  std::vector<campaign::Mutant> found;
  std::vector<std::string_view> names;
  for (const emulator::Defect& defect : emulator::defects()) {
    names.push_back(defect.name);
    if (!matches(pattern, defect.name)) continue;
    if (auto error = campaign::check_control(defect.feature)) return *std::move(error);
    auto target = emulator::make_emulator({.defect = std::string(defect.name)});
    if (!target) return target.error();
    found.push_back({.name = std::string(defect.name),
                     .rule = defect.rule,
                     .channel = std::string(defect.channel),
                     .target_name = fmt::format("emulator:defect={}", defect.name),
                     .target = std::move(target).value(),
                     .control = std::string(defect.feature)});
  }
  if (!found.empty()) return found;
  const std::string near = did_you_mean(pattern, names);
  return Error{
      .field = "--defects",
      .message = fmt::format("'{}' matches no seeded defect", pattern),
      .hint = near.empty() ? "'skcts list defects' prints them; * and ? stand for letters" : near};
}

/// One line on a terminal that moves.
class Moving {
 public:
  Moving() : terminal_(isatty(STDERR_FILENO) == 1) {}
  ~Moving() {
    if (shown_) print_err("\r\x1b[K");
  }
  Moving(const Moving&) = delete;
  Moving& operator=(const Moving&) = delete;

  void show(std::int64_t cases, std::int64_t killed, std::size_t all) {
    constexpr double redraw_seconds = 0.1;
    const double now = seconds_now();
    if (!terminal_ || now - shown_at_ < redraw_seconds) return;
    shown_at_ = now;
    shown_ = true;
    print_err(fmt::format("\r\x1b[K{} cases, killed {}/{}", cases, killed, all));
  }

 private:
  bool terminal_;
  bool shown_ = false;
  double shown_at_ = 0;
};

ExitCode code_of(const campaign::Score& score) {
  if (!score.own_faults.empty()) return ExitCode::own_error;
  return score.clean() ? ExitCode::pass : ExitCode::failure;
}

}  // namespace

ExitCode run_score(const ScoreArguments& arguments) {
  const Result<double> budget = parse_duration(arguments.budget);
  if (!budget) return complain(budget.error()), ExitCode::usage;
  const auto profiles = machines(arguments.profile);
  if (!profiles) return complain(profiles.error()), ExitCode::usage;
  auto mutants = mutants_of(arguments.defects);
  if (!mutants) return complain(mutants.error()), ExitCode::usage;
  auto healthy = emulator::make_emulator({});
  if (!healthy) return complain(healthy.error()), ExitCode::own_error;

  const Interrupt interrupt;
  Moving moving;
  campaign::ScoreSettings settings;
  settings.profiles = *profiles;
  settings.seed = arguments.seed;
  settings.search = arguments.search;
  settings.matrix_cases = arguments.cases;
  settings.out_folder = arguments.out;
  settings.now = seconds_now;
  const double end = seconds_now() + *budget;
  settings.stop = [end] { return seconds_now() > end || !Interrupt::noted().empty(); };
  settings.progress = [&](std::int64_t cases, std::int64_t killed) {
    moving.show(cases, killed, mutants->size());
  };
  const campaign::Score score =
      campaign::measure_score(settings, suites::properties(), **healthy, *mutants);
  const std::string text = arguments.json ? score_json(score) : score_table(score);
  if (!print_out(arguments.json ? text : printable_lines(text))) return ExitCode::own_error;
  return code_of(score);
}

}  // namespace skcts::program
