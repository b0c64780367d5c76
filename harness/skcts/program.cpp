// The command line, described to CLI11 in one place.
#include "harness/skcts/program.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "harness/skcts/commands.h"
#include "harness/skcts/inputs.h"
#include "harness/skcts/pattern.h"

namespace skcts::program {
namespace {

/// What the arguments chose; unset: nothing but help or version was asked for.
using Chosen = std::function<ExitCode()>;

/// A check of the words themselves: what CLI11 reads as a number saturates.
template <class Number>
CLI::Validator number_check(Number low, Number high, std::string expected) {
  return CLI::Validator(
      [low, high, expected = std::move(expected)](std::string& text) {
        Number value{};
        const char* const end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, value);
        const bool good = error == std::errc() && stop == end && value >= low && value <= high;
        return good ? std::string() : fmt::format("'{}': expected {}", text, expected);
      },
      "");
}

CLI::Validator whole_number() {
  return number_check<std::uint64_t>(0, UINT64_MAX, "a whole number from 0 to 2^64-1");
}

CLI::Validator whole_number(std::int64_t low, std::int64_t high) {
  return number_check(low, high, fmt::format("a whole number from {} to {}", low, high));
}

constexpr std::int64_t most_cases = 1'000'000'000;
constexpr std::int64_t most_deadline_ms = 1'000'000'000;
constexpr std::int64_t most_runs = 1'000'000;
constexpr std::int64_t most_reach_runs = 100'000'000;
constexpr std::int64_t most_states = 100'000'000;

CLI::Validator seconds() {
  return number_check<double>(0.01, 600.0, "seconds from 0.01 to 600");
}

/// An option that is given says something.
CLI::Validator not_empty() {
  return CLI::Validator(
      [](std::string& text) { return text.empty() ? "'': expected a value" : std::string(); }, "");
}

CLI::Validator one_of(std::vector<std::string_view> names) {
  return CLI::Validator(
      [names = std::move(names)](std::string& text) {
        if (std::ranges::find(names, text) != names.end()) return std::string();
        const std::string near = did_you_mean(text, names);
        return fmt::format("'{}': expected one of {}{}{}", text, join_names(names),
                           near.empty() ? "" : "; ", near);
      },
      "");
}

void add_target(CLI::App& command, std::string& target) {
  command
      .add_option("--target", target,
                  "What is tested: emulator, emulator:defect=NAME, emulator:positions=SEED,\n"
                  "unix:PATH, tcp:HOST:PORT, tls:HOST:PORT, exec:COMMAND")
      ->capture_default_str();
}

void add_deadlines(CLI::App& command, wire::Deadlines& deadlines) {
  command
      .add_option("--case-deadline", deadlines.case_ms,
                  "Milliseconds that a target behind a connection has for a case")
      ->check(whole_number(1, most_deadline_ms))
      ->capture_default_str();
  command
      .add_option("--session-deadline", deadlines.session_ms,
                  "Milliseconds for a case with restart and probe; more than ten case deadlines")
      ->check(whole_number(1, most_deadline_ms))
      ->capture_default_str();
}

void add_tls(CLI::App& command, wire::TlsFiles& files) {
  command.add_option("--tls-cert", files.certificate, "For tls: addresses: our certificate, PEM");
  command.add_option("--tls-key", files.key, "Its private key, PEM");
  command.add_option("--tls-ca", files.authority, "Who signs the other side's certificate, PEM");
}

void add_profile(CLI::App& command, std::string& profile) {
  command
      .add_option("--profile", profile,
                  "Machine (see 'skcts list profiles'); the default one if not given")
      ->check(not_empty());
}

/// One value an occurrence: what follows is the next argument.
void add_latitudes(CLI::App& command, std::vector<std::string>& latitudes, const char* text) {
  command.add_option("--latitude", latitudes, text)->allow_extra_args(false)->check(not_empty());
}

void add_run(CLI::App& app, RunArguments& arguments, Chosen& chosen) {
  CLI::App& run = *app.add_subcommand("run", "Run the suites and print the rule table");
  add_target(run, arguments.target);
  add_profile(run, arguments.profile);
  run.add_option("--cases", arguments.cases, "Most mixes a rule")
      ->check(whole_number(1, most_cases))
      ->capture_default_str();
  run.add_option("--seed", arguments.seed, "Campaign seed")
      ->check(whole_number())
      ->capture_default_str();
  run.add_option("--repeat", arguments.repeat,
                 "Runs of a case on a target that honours no schedules; three times that where\n"
                 "the outcome hangs on timing")
      ->check(whole_number(1, most_runs))
      ->capture_default_str();
  add_deadlines(run, arguments.deadlines);
  add_tls(run, arguments.tls);
  run.add_option("--out", arguments.out, "Folder for journal, JUnit XML and findings")
      ->check(not_empty())
      ->capture_default_str();
  run.footer(
      "GoogleTest's flags work too: --gtest_filter=Core.*, --gtest_list_tests, ...\n"
      "Tests split by GTEST_TOTAL_SHARDS and GTEST_SHARD_INDEX. The printer is ours:\n"
      "--gtest_color, --gtest_brief and --gtest_print_time change nothing.\n"
      "SIGINT, SIGTERM and SIGHUP end the run after the running case, with its report and exit\n"
      "code 6 if nothing failed; a second one ends it at once.\n"
      "Example: skcts run --target emulator:defect=feed-missing --gtest_filter=Sync.*");
  run.callback([&] { chosen = [&] { return run_suites(arguments); }; });
}

void add_serve(CLI::App& app, ServeArguments& arguments, Chosen& chosen) {
  CLI::App& serve = *app.add_subcommand("serve", "Offer a target to other processes");
  serve
      .add_option("--listen", arguments.listen,
                  "unix:PATH, tcp:HOST:PORT, tls:HOST:PORT (port 0: any free one) or stdio")
      ->required();
  serve.add_option("--target", arguments.target, "What is offered: emulator, ...")
      ->capture_default_str();
  add_tls(serve, arguments.tls);
  serve.footer(
      "Each connection's cases run in a worker process: one that dies or hangs costs one case.\n"
      "Ends with SIGINT or SIGTERM; on stdio with its input.\n"
      "Example: skcts serve --listen unix:/tmp/skcts.sock\n"
      "         skcts run --target unix:/tmp/skcts.sock");
  serve.callback([&] { chosen = [&] { return serve_target(arguments); }; });
}

void add_check_target(CLI::App& app, CheckTargetArguments& arguments, Chosen& chosen) {
  CLI::App& check = *app.add_subcommand(
      "check-target", "Does a target speak the protocol, and is it of one mind with itself?");
  check
      .add_option("TARGET", arguments.target,
                  "unix:PATH, tcp:HOST:PORT, tls:HOST:PORT or exec:COMMAND")
      ->required();
  check.add_option("--case-deadline", arguments.deadline_ms, "Milliseconds that it has for a case")
      ->check(whole_number(1, most_deadline_ms))
      ->capture_default_str();
  add_tls(check, arguments.tls);
  check.footer(
      "Tells a broken adapter from a broken machine: no rule is looked at. A line a check, 'NO'\n"
      "with what is wrong, '--' where the target does not claim what would be checked.\n"
      "Example: skcts check-target exec:./my-adapter");
  check.callback([&] { chosen = [&] { return check_target(arguments); }; });
}

void add_judge(CLI::App& app, JudgeArguments& arguments, Chosen& chosen) {
  CLI::App& judge = *app.add_subcommand("judge", "Hold model and target against given cases");
  judge.add_option("FILE", arguments.files, "Case files")->required();
  add_target(judge, arguments.target);
  judge.add_option("--runs", arguments.runs, "Strategies each case is run under")
      ->check(whole_number(1, most_runs))
      ->capture_default_str();
  judge.add_flag("--json", arguments.json, "One JSON object a case");
  judge.add_flag("--witness", arguments.witness,
                 "How each outcome comes about: order, fetches and write-backs of racing words");
  judge.footer("Exit code 0: as it must be; 1: not; 2: bad input.");
  judge.callback([&] { chosen = [&] { return judge_cases(arguments); }; });
}

void add_explain(CLI::App& app, ExplainArguments& arguments, Chosen& chosen) {
  CLI::App& explain = *app.add_subcommand("explain", "What the contract says of a case, in words");
  explain.add_option("FILE", arguments.file, "Case file")->required();
  explain.add_flag("--json", arguments.json, "As a JSON object");
  add_latitudes(explain, arguments.latitudes, "Hold a latitude, e.g. L-14=drained");
  explain
      .add_option("--trace", arguments.trace,
                  "Write the analysis' schedule there as a Chrome trace (Perfetto)")
      ->check(not_empty());
  explain.add_option("--dot", arguments.dot, "Write who waits for whom there, for Graphviz")
      ->check(not_empty());
  explain.add_option("--repair", arguments.repair, "Write the case with the smallest repair there")
      ->check(not_empty());
  CLI::Option* const cost = explain.add_flag(
      "--cost", arguments.cost,
      "Inserted refreshes by option set and the critical path instead (CACHE-9, TASK-6)");
  for (const char* const other : {"--json", "--trace", "--dot", "--repair"}) cost->excludes(other);
  explain.footer(
      "Exit code 0: told; 2: bad input, or a file that cannot be written; 5: no repair to write.\n"
      "Example: skcts explain case.json --latitude L-14=drained");
  explain.callback([&] { chosen = [&] { return explain_case(arguments); }; });
}

void add_compose(CLI::App& app, ComposeArguments& arguments, Chosen& chosen) {
  CLI::App& compose = *app.add_subcommand(
      "compose", "What each core executes, with what was inserted and by which rule");
  compose.add_option("FILE", arguments.file, "Case file")->required();
  CLI::Option* const core =
      compose.add_option("--core", arguments.core, "One core only, e.g. aic:3")->check(not_empty());
  compose.add_flag("--sequence", arguments.sequence, "The whole launch, one line a step")
      ->excludes(core);
  compose.footer(
      "A launch that has to be refused is printed as refused, with the rule: exit code 0 as for\n"
      "any other. 2: bad input.\n"
      "Example: skcts compose case.json --core aiv:0");
  compose.callback([&] { chosen = [&] { return compose_case(arguments); }; });
}

void add_replay(CLI::App& app, ReplayArguments& arguments, Chosen& chosen) {
  CLI::App& replay = *app.add_subcommand("replay", "Run a saved case on its recorded schedule");
  replay.add_option("FILE", arguments.file, "Case file with a schedule")->required();
  replay
      .add_option("--target", arguments.target,
                  "What is tested; the target that the case was saved from if not given")
      ->check(not_empty());
  replay.footer(
      "Exit code 0: the outcome is allowed; 1: it is not, or it is although the case was saved as\n"
      "a failure of this very target; 2: bad input, or a schedule that does not fit the target "
      "that\n"
      "it was saved from. With --target a failure that does not come back gives 0.");
  replay.callback([&] { chosen = [&] { return replay_case(arguments); }; });
}

void add_generate(CLI::App& app, GenerateArguments& arguments, Chosen& chosen) {
  CLI::App& generate =
      *app.add_subcommand("generate", "Print one generated case, or what many of them hold");
  generate.add_option("--seed", arguments.seed, "Campaign seed")->check(whole_number())->required();
  CLI::Option* const index =
      generate.add_option("--index", arguments.index, "Number of the case")->check(whole_number());
  CLI::Option* const shares =
      generate
          .add_option("--shares", arguments.shares,
                      "How often each feature occurs in the first so many cases")
          ->check(whole_number(1, most_cases))
          ->excludes(index);
  add_profile(generate, arguments.profile);
  generate.add_option("--rule", arguments.rule, "A mix that exercises this rule")
      ->check(not_empty());
  generate
      .add_option("--operator-defect", arguments.defect,
                  "The mix with this edit (see 'skcts list defects')")
      ->check(not_empty())
      ->excludes(shares);
  generate.footer(
      "Examples: skcts generate --seed 1 --index 17 > case.json\n"
      "          skcts generate --seed 1 --shares 200000");
  generate.callback([&] { chosen = [&] { return generate_case(arguments); }; });
}

void add_coverage(CLI::App& app, CoverageArguments& arguments, Chosen& chosen) {
  CLI::App& coverage = *app.add_subcommand(
      "coverage", "Which pairs of rules, types, syncs, accesses and options generated mixes meet");
  coverage.add_option("--seed", arguments.seed, "Campaign seed")->check(whole_number());
  coverage.add_option("--cases", arguments.cases, "Mixes that are looked at")
      ->check(whole_number(1, most_cases))
      ->capture_default_str();
  add_profile(coverage, arguments.profile);
  coverage.add_flag("--infeasible", arguments.infeasible,
                    "List the pairs that no mix has, with the reason of each");
  coverage.add_flag("--json", arguments.json, "As one JSON object");
  coverage.footer(
      "Example: skcts coverage --cases 5000 --profile 950-28\n"
      "Exit code: 0 when every feasible pair and every mark was met, 5 when one was not.");
  coverage.callback([&] { chosen = [&] { return measure_coverage(arguments); }; });
}

void add_list(CLI::App& app, ListArguments& arguments, Chosen& chosen) {
  CLI::App& list = *app.add_subcommand("list", "List rules, latitudes, profiles, suites, defects");
  list.add_option("WHAT", arguments.what, "What to list")
      ->required()
      ->check(one_of({"rules", "latitudes", "profiles", "suites", "defects"}));
  list.add_flag("--json", arguments.json, "As a JSON list");
  list.callback([&] { chosen = [&] { return list_things(arguments); }; });
}

void add_litmus(CLI::App& app, LitmusArguments& arguments, Chosen& chosen) {
  CLI::App& litmus =
      *app.add_subcommand("litmus", "The number of outcomes of each litmus mix, by exploration");
  litmus.add_option("--filter", arguments.filter, "Only mixes with this in their name")
      ->check(not_empty());
  litmus.add_flag("--all", arguments.all, "Print the mixes that hold, too");
  litmus.footer("Exit code: 0 when every number is as pinned, 1 when one is not.");
  litmus.callback([&] { chosen = [&] { return run_litmus(arguments); }; });
}

void add_crosscheck(CLI::App& app, CrosscheckArguments& arguments, Chosen& chosen) {
  CLI::App& check = *app.add_subcommand(
      "crosscheck", "Analysis, explorer and emulator on the same random tiny mixes");
  check.add_option("FILE", arguments.files, "Cases to check instead of random mixes");
  check.add_option("--cases", arguments.cases, "Mixes a group")
      ->check(whole_number(1, most_cases))
      ->capture_default_str();
  check.add_option("--seed", arguments.seed, "Seed of the mixes")
      ->check(whole_number())
      ->capture_default_str();
  check.add_option("--first", arguments.first, "Index of the first mix")
      ->check(whole_number())
      ->capture_default_str();
  check.add_option("--group", arguments.group, "One group of instructions only, e.g. flags")
      ->check(not_empty());
  check.add_option("--runs", arguments.runs, "Emulator runs a mix")
      ->check(whole_number(0, most_runs))
      ->capture_default_str();
  check
      .add_option("--reach", arguments.reach,
                  "Further runs of a mix, until all that is explored was shown")
      ->check(whole_number(0, most_reach_runs))
      ->capture_default_str();
  check.add_flag("--show-unreached", arguments.show_unreached,
                 "Print what is explored and was not shown, and save its mixes");
  add_latitudes(check, arguments.latitudes, "Hold a latitude in every mix, e.g. L-14=drained");
  check.add_option("--states", arguments.states, "Mixes with more states are skipped")
      ->check(whole_number(1, most_states))
      ->capture_default_str();
  check.add_option("--out", arguments.out, "Folder for the cases that differ, made small")
      ->check(not_empty());
  check.add_flag("!--no-shrink", arguments.shrink, "Leave the cases that differ as they are");
  check.footer("Exit code: 0 when nothing differs, 1 when something does, 5 when all was skipped.");
  check.callback([&] { chosen = [&] { return run_crosscheck(arguments); }; });
}

/// What parse_duration() reads.
CLI::Validator duration() {
  return CLI::Validator(
      [](std::string& text) {
        const Result<double> read = parse_duration(text);
        return read ? std::string() : read.error().message;
      },
      "");
}

void add_shrink(CLI::App& app, ShrinkArguments& arguments, Chosen& chosen) {
  CLI::App& shrink = *app.add_subcommand("shrink", "The smallest case that shows the same");
  shrink.add_option("FILE", arguments.file, "Case file")->required();
  shrink
      .add_option("--target", arguments.target,
                  "What fails it; the target that the case was saved from if not given")
      ->check(not_empty());
  shrink.add_option("--out", arguments.out, "Where it goes; FILE.small.json if not given")
      ->check(not_empty());
  shrink.add_option("--runs", arguments.runs, "Most candidates that are tried")
      ->check(whole_number(1, most_cases))
      ->capture_default_str();
  shrink.add_option("--budget", arguments.budget, "Time, in s, m or h")
      ->check(duration())
      ->capture_default_str();
  shrink.footer(
      "Kept is the key of the failure on the target; of a case that does not fail there, the rule\n"
      "and the behaviour that the model finds. The smallest case so far is on disk at any time.\n"
      "Exit code 0: nothing of it can go; 2: bad input; 5: the case conforms; 6: the budget "
      "ended.\n"
      "Example: skcts shrink case.json --target emulator:defect=feed-missing");
  shrink.callback([&] { chosen = [&] { return shrink_case(arguments); }; });
}

void add_score(CLI::App& app, ScoreArguments& arguments, Chosen& chosen) {
  CLI::App& score =
      *app.add_subcommand("score", "How soon the suites see each seeded defect: the kill matrix");
  score.add_option("--defects", arguments.defects, "Names; * and ? stand for letters")
      ->check(not_empty())
      ->capture_default_str();
  score.add_option("--budget", arguments.budget, "For all together, in s, m or h")
      ->check(duration())
      ->capture_default_str();
  score.add_option("--seed", arguments.seed, "Campaign seed")
      ->check(whole_number())
      ->capture_default_str();
  score.add_option("--search", arguments.search, "Mixes after which a defect has survived")
      ->check(whole_number(1, most_cases))
      ->capture_default_str();
  score.add_option("--cases", arguments.cases, "Mixes of each suite that fill the matrix")
      ->check(whole_number(0, most_cases))
      ->capture_default_str();
  add_profile(score, arguments.profile);
  score.add_flag("--json", arguments.json, "As a JSON object");
  score.add_option("--out", arguments.out, "Folder for the cases that kill")
      ->check(not_empty())
      ->capture_default_str();
  score.footer(
      "A kill counts when its case, made small, saved and read again, replays bit for bit, fails\n"
      "on the defective emulator and passes on the healthy one.\n"
      "Exit code 0: every defect is killed, and nothing without one; 1: not; 2: bad input;\n"
      "3: a generated mix is not what it was made to be.\n"
      "Example: skcts score --defects 'early-start-*' --budget 20s");
  score.callback([&] { chosen = [&] { return run_score(arguments); }; });
}

void add_certify(CLI::App& app, CertifyArguments& arguments, Chosen& chosen) {
  CLI::App& certify =
      *app.add_subcommand("certify", "Is an operator's result the same wherever it is fused?");
  certify.add_option("FILE", arguments.file, "Operator file (see docs/certifying.md)")->required();
  add_target(certify, arguments.target);
  add_profile(certify, arguments.profile);
  certify.add_option("--seed", arguments.seed, "Of the neighbours that are drawn")
      ->check(whole_number())
      ->capture_default_str();
  certify
      .add_option("--key", arguments.key, "Private Ed25519 key (PEM) that signs the certificate")
      ->check(not_empty());
  certify
      .add_option("--score", arguments.score,
                  "What 'skcts score --json' wrote, for the certificate")
      ->check(not_empty());
  certify.add_flag("--smoke", arguments.smoke, "A few mixes only; certifies nothing");
  certify.add_flag("--all", arguments.all, "Tell why pairs of levels have no mix, too");
  certify.add_option("--out", arguments.out, "Folder for the certificate and the smallest mixes")
      ->check(not_empty())
      ->capture_default_str();
  certify.footer(
      "Exit code 0: certified; 1: not; 2: bad input.\n"
      "Example: skcts certify operator.json --profile a3-24");
  certify.callback([&] { chosen = [&] { return certify_operator(arguments); }; });
}

void add_verify_certificate(CLI::App& app, VerifyArguments& arguments, Chosen& chosen) {
  CLI::App& verify = *app.add_subcommand(
      "verify-certificate", "Does a certificate hold: hashes, signature, mixes run again");
  verify.add_option("FILE", arguments.file, "Archive that 'skcts certify' wrote")->required();
  verify.add_option("--key", arguments.key, "Public key (PEM) that must have signed it")
      ->check(not_empty());
  CLI::Option* const all = verify.add_flag("--all", arguments.all, "Run all of its mixes again");
  verify.add_option("--sample", arguments.sample, "Mixes that are run again")
      ->check(whole_number(1, most_cases))
      ->excludes(all)
      ->capture_default_str();
  verify.add_option("--target", arguments.target, "Instead of the one that it names")
      ->check(not_empty());
  verify.footer(
      "Needs the archive alone, no network. Another version or build that judges a mix otherwise\n"
      "says so: 'judged differently by'.\n"
      "Exit code 0: it holds; 1: it does not, or is judged differently; 2: no certificate.\n"
      "Example: skcts verify-certificate skcts-out/copy.certificate.zip --key vendor.pub --all");
  verify.callback([&] { chosen = [&] { return verify_certificate(arguments); }; });
}

void add_compile(CLI::App& app, CompileArguments& arguments, Chosen& chosen) {
  CLI::App& compile =
      *app.add_subcommand("compile", "Compile an operator's Ascend C source for the emulator");
  compile.add_option("FILE", arguments.file, "Source, e.g. op.cpp")->required();
  compile
      .add_option("--description", arguments.description,
                  "Kernel, blocks, tiling and data; op.json beside op.cpp if not given")
      ->check(not_empty());
  compile.add_option("--out", arguments.out, "The object; op.so beside op.cpp if not given")
      ->check(not_empty());
  compile.add_option("--compiler", arguments.compiler, "A C++ compiler")->capture_default_str();
  compile.add_option("--include", arguments.includes, "One more folder for #include")
      ->allow_extra_args(false);
  compile.add_option("--define", arguments.defines, "NAME or NAME=VALUE")->allow_extra_args(false);
  compile.footer(
      "Exit code 0: compiled; 2: it is not, with the compiler's words.\n"
      "Example: skcts compile spec/operators/source/add_tque.cpp --out add_tque.so");
  compile.callback([&] { chosen = [&] { return compile_source(arguments); }; });
}

void add_record(CLI::App& app, RecordArguments& arguments, Chosen& chosen) {
  CLI::App& record =
      *app.add_subcommand("record", "Run a compiled operator alone and print it as an operator");
  record.add_option("FILE", arguments.file, "An object of 'skcts compile'")->required();
  record.add_option("--runs", arguments.runs, "Strategies that it runs alone under first")
      ->check(whole_number(1, most_runs))
      ->capture_default_str();
  record
      .add_option("--seconds", arguments.seconds,
                  "Of processor time that the operator's process gets")
      ->check(whole_number(1, 3600))
      ->capture_default_str();
  record.footer(
      "Exit code 0: recorded; 1: alone it does not do what its description says; 2: bad input.\n"
      "Example: skcts record add_tque.so > recorded.json; skcts certify recorded.json");
  record.callback([&] { chosen = [&] { return record_operator(arguments); }; });
}

void add_bench(CLI::App& app, BenchArguments& arguments, Chosen& chosen) {
  CLI::App& bench = *app.add_subcommand("bench", "Cases a second, part by part, beside the goals");
  bench.add_option("--seconds", arguments.seconds, "Of each measurement")
      ->check(seconds())
      ->capture_default_str();
  bench
      .add_option("--shrink", arguments.shrink,
                  "Shrink thirty planted failures for so many seeds instead, e.g. 20")
      ->check(whole_number(1, 1000));
  add_profile(bench, arguments.profile);
  bench.callback([&] { chosen = [&] { return run_benchmarks(arguments); }; });
}

/// The first word is a command, or an option of the program itself.
bool is_command_known(const CLI::App& app, const std::vector<std::string>& words) {
  if (words.empty()) return true;
  std::vector<std::string_view> names{"--help", "-h", "--version"};
  const std::size_t options = names.size();
  for (const CLI::App* const command : app.get_subcommands({})) {
    names.push_back(command->get_name());
  }
  if (std::ranges::find(names, words.front()) != names.end()) return true;
  const std::string near = did_you_mean(words.front(), names);
  if (words.front().starts_with('-')) {
    complain(Error{.message = fmt::format("'{}' is no option", words.front()),
                   .hint = near.empty() ? "see 'skcts --help'" : near});
    return false;
  }
  names.erase(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(options));
  complain(Error{
      .message = fmt::format("'{}' is no command; known: {}", words.front(), join_names(names)),
      .hint = near});
  return false;
}

/// What CLI11 found wrong with the arguments of a command, in words.
Error usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<CLI::App*> commands = app.get_subcommands();
  if (commands.empty()) return {.message = error.what(), .hint = "see 'skcts --help'"};
  const CLI::App& command = *commands.front();
  Error told{.field = command.get_name(),
             .message = error.what(),
             .hint = fmt::format("see 'skcts {} --help'", command.get_name())};
  const std::vector<std::string> left = command.remaining();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr || left.empty()) return told;
  const std::string word = left.front().substr(0, left.front().find('='));
  if (!word.starts_with("--")) {
    told.message = fmt::format("'{}' is not expected", left.front());
    return told;
  }
  told.message = fmt::format("'{}' is no option", word);
  std::vector<std::string> names;
  for (const CLI::Option* const option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string near = did_you_mean(word, views);
  if (!near.empty()) told.hint = near;
  return told;
}

/// `run` leaves GoogleTest's flags to GoogleTest: takes them out of the arguments.
std::vector<std::string> take_gtest_options(std::vector<std::string>& words) {
  std::vector<std::string> taken;
  std::erase_if(words, [&](const std::string& word) {
    if (!word.starts_with("--gtest_")) return false;
    taken.push_back(word);
    return true;
  });
  return taken;
}

}  // namespace

ExitCode run_program(int argc, const char* const* argv) {
  CLI::App app("Conformance test suite for SuperKernel", "skcts");
  app.set_version_flag("--version", fmt::format("skcts {}", version));
  app.require_subcommand(1);
  RunArguments run;
  ServeArguments serve;
  CheckTargetArguments check;
  JudgeArguments judge;
  ExplainArguments explain;
  ComposeArguments compose;
  ReplayArguments replay;
  GenerateArguments generate;
  CoverageArguments coverage;
  ListArguments list;
  LitmusArguments litmus;
  CrosscheckArguments crosscheck;
  ShrinkArguments shrink;
  ScoreArguments score;
  CertifyArguments certify;
  VerifyArguments verify;
  BenchArguments bench;
  CompileArguments compile;
  RecordArguments record;
  Chosen chosen;
  add_run(app, run, chosen);
  add_serve(app, serve, chosen);
  add_check_target(app, check, chosen);
  add_judge(app, judge, chosen);
  add_explain(app, explain, chosen);
  add_compose(app, compose, chosen);
  add_replay(app, replay, chosen);
  add_generate(app, generate, chosen);
  add_coverage(app, coverage, chosen);
  add_list(app, list, chosen);
  add_litmus(app, litmus, chosen);
  add_crosscheck(app, crosscheck, chosen);
  add_shrink(app, shrink, chosen);
  add_score(app, score, chosen);
  add_certify(app, certify, chosen);
  add_verify_certificate(app, verify, chosen);
  add_compile(app, compile, chosen);
  add_record(app, record, chosen);
  add_bench(app, bench, chosen);

  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (!words.empty() && words.front() == "run") run.gtest_options = take_gtest_options(words);
  if (!is_command_known(app, words)) return ExitCode::usage;
  std::ranges::reverse(words);  // CLI11 takes them from the back
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error), ExitCode::pass;  // help, version
    complain(usage_error(app, error));
    return ExitCode::usage;
  }
  return chosen();
}

}  // namespace skcts::program
