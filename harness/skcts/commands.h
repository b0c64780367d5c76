// The commands of the program: each takes its arguments as values and returns the exit code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/judge/status.h"
#include "harness/wire/client.h"

namespace skcts::program {

using judge::ExitCode;

struct RunArguments {
  std::string target = "emulator";
  std::string profile;
  std::string out = "skcts-out";
  std::uint64_t seed = 1;
  std::int64_t cases = 1500;  ///< Mixes a property.
  wire::Deadlines deadlines;  ///< Of a target behind a connection.
  wire::TlsFiles tls;
  int repeat = 20;  ///< Runs of a case where the target honours no schedules.
  std::vector<std::string> gtest_options;  ///< --gtest_... as given.
};
ExitCode run_suites(const RunArguments& arguments);

struct ServeArguments {
  std::string listen;
  wire::TlsFiles tls;
  std::string target = "emulator";
};
ExitCode serve_target(const ServeArguments& arguments);

struct CheckTargetArguments {
  std::string target;
  wire::TlsFiles tls;
  std::int64_t deadline_ms = 10'000;
};
ExitCode check_target(const CheckTargetArguments& arguments);

struct JudgeArguments {
  std::vector<std::string> files;
  std::string target = "emulator";
  int runs = 24;  ///< Strategies a case is run under.
  bool json = false;
  bool witness = false;  ///< Tell how each outcome comes about.
};
ExitCode judge_cases(const JudgeArguments& arguments);

struct ExplainArguments {
  std::string file;
  bool json = false;
  std::vector<std::string> latitudes;  ///< "L-14=drained"
  bool cost = false;                   ///< What advice is measured by, instead.
  std::string trace;                   ///< Where the trace goes; empty: nowhere.
  std::string dot;                     ///< Where the graph of waits goes; empty: nowhere.
  std::string repair;                  ///< Where the repaired case goes; empty: nowhere.
};
ExitCode explain_case(const ExplainArguments& arguments);

struct ComposeArguments {
  std::string file;
  std::string core;  ///< "aic:3"; empty: every core.
  bool sequence = false;
};
ExitCode compose_case(const ComposeArguments& arguments);

struct ReplayArguments {
  std::string file;
  std::string target;  ///< Empty: the one that the case was saved from.
};
ExitCode replay_case(const ReplayArguments& arguments);

struct GenerateArguments {
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> index;
  std::string profile;
  std::string rule;         ///< Focus of this rule's property; empty: over everything.
  std::string defect;       ///< Name of an operator defect; empty: a legal mix.
  std::int64_t shares = 0;  ///< > 0: how often each feature occurs in that many cases instead.
};
ExitCode generate_case(const GenerateArguments& arguments);

struct CoverageArguments {
  std::uint64_t seed = 1;
  std::int64_t cases = 5000;
  std::string profile;
  bool json = false;
  bool infeasible = false;  ///< List the pairs that no mix has, each with its reason.
};
ExitCode measure_coverage(const CoverageArguments& arguments);

struct ListArguments {
  std::string what;
  bool json = false;
};
ExitCode list_things(const ListArguments& arguments);

struct LitmusArguments {
  std::string filter;  ///< Only names that contain it.
  bool all = false;    ///< Print the mixes that hold, too.
};
ExitCode run_litmus(const LitmusArguments& arguments);

struct CrosscheckArguments {
  std::vector<std::string> files;  ///< Cases to check instead of random ones.
  std::int64_t cases = 200;        ///< Mixes a group.
  std::uint64_t seed = 1;
  std::uint64_t first = 0;      ///< Index of the first mix.
  std::string group;            ///< One group only; empty: all.
  int runs = 24;                ///< Of the emulator, a mix.
  std::int64_t reach = 0;       ///< Further runs at most, until all that is explored was shown.
  bool show_unreached = false;  ///< Print what is explored and was not shown.
  std::vector<std::string> latitudes;  ///< "L-36=own-accesses": held in every mix.
  std::uint64_t states = 60'000;       ///< Most states of a mix that are explored.
  std::string out;                     ///< Folder for differing cases; empty: not saved.
  bool shrink = true;
};
ExitCode run_crosscheck(const CrosscheckArguments& arguments);

struct ShrinkArguments {
  std::string file;
  std::string target;        ///< Empty: the one that the case was saved from.
  std::string out;           ///< Empty: beside the file, "x.small.json".
  std::int64_t runs = 2000;  ///< Candidates that are tried.
  std::string budget = "60s";
};
ExitCode shrink_case(const ShrinkArguments& arguments);

struct ScoreArguments {
  std::string defects = "*";   ///< Pattern of names.
  std::string budget = "60s";  ///< Of all defects together.
  std::string profile;         ///< Empty: the default one, and now and then another.
  std::string out = "skcts-out";
  std::uint64_t seed = 1;
  std::int64_t search = 5000;  ///< Cases after which a defect has survived.
  std::int64_t cases = 100;    ///< Of each suite that a killed defect meets for the matrix.
  bool json = false;
};
ExitCode run_score(const ScoreArguments& arguments);

struct CertifyArguments {
  std::string file;
  std::string target = "emulator";
  std::string profile;
  std::string out = "skcts-out";
  std::uint64_t seed = 1;
  std::string key;     ///< Private key in PEM that signs the certificate; empty: not signed.
  std::string score;   ///< File of `score --json`; empty: none.
  bool smoke = false;  ///< Single deviations alone: certifies nothing.
  bool all = false;    ///< Tell the reasons of infeasible pairs.
};
ExitCode certify_operator(const CertifyArguments& arguments);

struct VerifyArguments {
  std::string file;
  std::string key;     ///< Public key in PEM that must have signed it; empty: any, or none.
  std::string target;  ///< Empty: the one that the certificate names.
  std::int64_t sample = 20;
  bool all = false;
};
ExitCode verify_certificate(const VerifyArguments& arguments);

struct CompileArguments {
  std::string file;
  std::string description;  ///< Empty: "op.json" beside "op.cpp".
  std::string out;          ///< Empty: "op.so" beside it.
  std::string compiler = "g++";
  std::vector<std::string> includes;
  std::vector<std::string> defines;
};
ExitCode compile_source(const CompileArguments& arguments);

struct RecordArguments {
  std::string file;
  int runs = 24;     ///< Strategies that it runs alone under before it is recorded.
  int seconds = 60;  ///< Of processor time that the operator's process gets.
};
ExitCode record_operator(const RecordArguments& arguments);

struct BenchArguments {
  double seconds = 1.0;  ///< Each measurement.
  std::string profile;
  int shrink = 0;  ///< Seeds of the planted failures to shrink, in place of all else; 0: none.
};
ExitCode run_benchmarks(const BenchArguments& arguments);

}  // namespace skcts::program
