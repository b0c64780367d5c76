// skcts verify-certificate: hashes, signature, and the cases once more, from the archive alone.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "harness/campaign/certificate_sign.h"
#include "harness/skcts/certify_archive.h"
#include "harness/skcts/commands.h"
#include "harness/skcts/inputs.h"
#include "harness/skcts/program.h"
#include "harness/skcts/terminal.h"
#include "reports/certificate.h"
#include "spec/case_text.h"
#include "spec/operator_text.h"
#include "spec/text_file.h"
#include "spec/validate.h"

namespace skcts::program {
namespace {

using campaign::ArchiveFiles;
using reports::Certificate;
using reports::CertificateCase;

constexpr std::size_t most_archive_bytes = std::size_t{64} << 20;
constexpr std::size_t most_told = 5;  ///< Findings of one kind.

/// What does not hold, a line each; the first decides nothing, all are told.
using Findings = std::vector<std::string>;

void told(Findings& findings, const Error& error) {
  findings.push_back(to_string(error));
}

/// Each listed file is there as it was, and nothing else is.
void check_hashes(const ArchiveFiles& files, const Certificate& certificate, Findings& findings) {
  std::vector<std::string> known = {certificate_name, signature_name, key_name};
  for (const reports::CertificateFile& listed : certificate.files) {
    known.push_back(listed.name);
    const auto at = files.find(listed.name);
    if (at == files.end()) {
      findings.push_back(fmt::format("{} is listed and missing", listed.name));
    } else if (static_cast<std::int64_t>(at->second.size()) != listed.bytes) {
      findings.push_back(fmt::format("{} has {} bytes, listed are {}", listed.name,
                                     at->second.size(), listed.bytes));
    } else if (campaign::sha256(at->second) != listed.sha256) {
      findings.push_back(fmt::format("{} is not the listed one: its SHA-256 is {}", listed.name,
                                     campaign::sha256(at->second)));
    }
  }
  for (const auto& [name, text] : files) {
    if (std::ranges::count(known, name) == 0) {
      findings.push_back(fmt::format("{} is there and not listed", name));
    }
  }
  for (const CertificateCase& each : certificate.cases) {
    if (std::ranges::count(known, each.file) == 0) {
      findings.push_back(fmt::format("{} is a case and not listed", each.file));
    }
  }
}

/// The words about the signature; what is wrong with it goes to the findings.
std::string check_signature_of(const ArchiveFiles& files, const std::string& key,
                               const std::string& key_file, Findings& findings) {
  const auto signature = files.find(signature_name);
  if (signature == files.end()) {
    if (!key_file.empty()) findings.push_back("it is not signed, and --key asks for a signature");
    return "not signed";
  }
  const auto own = files.find(key_name);
  const std::string& public_key = !key_file.empty() ? key : own == files.end() ? key : own->second;
  const std::string name = !key_file.empty() ? key_file : key_name;
  std::string hex = signature->second;
  while (hex.ends_with('\n')) hex.pop_back();
  const Result<void> good =
      campaign::check_signature(files.at(certificate_name), hex, public_key, name);
  if (!good) {
    told(findings, good.error());
    return "the signature does not hold";
  }
  const Result<std::string> id = campaign::key_id(public_key, name);
  return fmt::format("signed by key {}{}", id ? *id : "?",
                     key_file.empty() ? "; whose it is, --key tells" : ", the one given");
}

/// The verdict follows from what is listed.
void check_verdict(const Certificate& certificate, Findings& findings) {
  const auto broken = std::ranges::find_if(certificate.cases, [](const CertificateCase& each) {
    return each.behaviour != "completes" || !each.rule.empty();
  });
  const bool fails = std::ranges::any_of(certificate.cases, &CertificateCase::target_fails);
  const bool is_refused = broken != certificate.cases.end();
  const std::string follows = is_refused ? "refused" : fails ? "not certified" : "certified";
  if (certificate.verdict != follows) {
    findings.push_back(fmt::format("it says '{}', but from its cases follows '{}'",
                                   certificate.verdict, follows));
  }
  const std::int64_t tuples =
      certificate.pairs_met + static_cast<std::int64_t>(certificate.infeasible.size());
  if (certificate.pairs == 0 || tuples != certificate.pairs || certificate.cases.empty()) {
    findings.push_back("not every pair of levels is met or explained");
  }
  constexpr std::int64_t most_runs = 1000;
  if (certificate.runs < 1 || certificate.runs > most_runs) {
    findings.push_back(fmt::format("it says {} runs of the target a mix, expected 1 to {}",
                                   certificate.runs, most_runs));
  }
  if (is_refused && !broken->rule.empty() && broken->rule != certificate.rule) {
    findings.push_back(fmt::format("its primary rule is '{}', its first failing case breaks {}",
                                   certificate.rule, broken->rule));
  }
}

/// Every case, or a sample spread evenly over them.
std::vector<std::size_t> sample_of(std::size_t count, std::int64_t wanted) {
  std::vector<std::size_t> places;
  const auto most = static_cast<std::size_t>(wanted);
  if (wanted <= 0 || most >= count) {
    for (std::size_t i = 0; i < count; ++i) places.push_back(i);
    return places;
  }
  for (std::size_t i = 0; i < most; ++i) places.push_back(i * count / most);
  return places;
}

/// Runs cases again; gives those that are judged otherwise, in words.
Findings run_again(const ArchiveFiles& files, const Certificate& certificate, Target& target,
                   const std::vector<std::size_t>& places, Findings& findings) {
  Findings differing;
  const Result<Operator> value = read_operator(files.at(operator_name), operator_name);
  const Profile* const profile = find_profile(certificate.profile);
  if (!value) told(findings, value.error());
  if (profile == nullptr) {
    findings.push_back(fmt::format("this build has no profile '{}'", certificate.profile));
  }
  if (!value || profile == nullptr) return differing;
  const campaign::CertifyMixes mixes(*value, *profile, certificate.seed);
  for (const std::size_t place : places) {
    const CertificateCase& each = certificate.cases[place];
    const Result<Case> read = read_case(files.at(each.file), each.file);
    if (!read) {
      told(findings, read.error());
      continue;
    }
    if (!validate(*read).empty() || !mixes.holds_operator(*read)) {
      findings.push_back(fmt::format("{} does not hold the operator of the certificate",
                                     each.file));
      continue;
    }
    const campaign::Found now =
        campaign::try_again(*read, target, static_cast<int>(certificate.runs));
    const std::string rule = now.rule ? std::string(to_string(*now.rule)) : "";
    if (to_string(now.behaviour) == each.behaviour && rule == each.rule &&
        now.target_fails == each.target_fails) {
      continue;
    }
    differing.push_back(fmt::format(
        "{}: listed {}{}{}, found {}{}{}", each.file, each.behaviour,
        each.rule.empty() ? "" : " " + each.rule, each.target_fails ? ", the target differs" : "",
        to_string(now.behaviour), rule.empty() ? "" : " " + rule,
        now.target_fails ? ", the target differs" : ""));
  }
  return differing;
}

void tell_some(std::string_view title, const Findings& lines) {
  if (lines.empty()) return;
  std::string text = fmt::format("{}\n", title);
  for (std::size_t i = 0; i < std::min(lines.size(), most_told); ++i) {
    text += fmt::format("  {}\n", lines[i]);
  }
  if (lines.size() > most_told) text += fmt::format("  {} more\n", lines.size() - most_told);
  fmt::print("{}", printable_lines(text));
}

/// The file of the command line, or empty where none is named; nothing: it was told why not.
std::optional<std::string> file_named(const std::string& path, std::size_t most) {
  if (path.empty()) return std::string();
  Result<std::string> text = read_text_file(path, most);
  if (!text) return complain(text.error()), std::nullopt;
  return std::move(*text);
}

}  // namespace

ExitCode verify_certificate(const VerifyArguments& arguments) {
  const auto bytes = file_named(arguments.file, most_archive_bytes);
  const auto key = file_named(arguments.key, max_case_bytes);
  if (!bytes || !key) return ExitCode::usage;
  const Result<ArchiveFiles> files = campaign::unpacked(*bytes, arguments.file);
  if (!files) return complain(files.error()), ExitCode::usage;
  for (const char* const needed : {certificate_name, operator_name}) {
    if (files->contains(needed)) continue;
    complain(Error{.file = arguments.file,
                   .message = fmt::format("has no {}", needed),
                   .hint = "'skcts certify' writes certificates"});
    return ExitCode::usage;
  }
  const Result<Certificate> certificate =
      reports::read_certificate(files->at(certificate_name), certificate_name);
  if (!certificate) return complain(certificate.error()), ExitCode::usage;
  // What an archive names is not started: it may be any program.
  const bool embedded = certificate->target == "emulator" ||
                        certificate->target.starts_with("emulator:");
  if (arguments.target.empty() && !embedded) {
    complain(Error{.file = arguments.file,
                   .message = fmt::format("names the target '{}', which is not the emulator's",
                                          certificate->target),
                   .hint = "--target names what runs the mixes again"});
    return ExitCode::usage;
  }
  auto target = open_target(arguments.target.empty() ? certificate->target : arguments.target);
  if (!target) return complain(target.error()), ExitCode::usage;

  Findings findings;
  check_hashes(*files, *certificate, findings);
  const std::string signature = check_signature_of(*files, *key, arguments.key, findings);
  check_verdict(*certificate, findings);
  Findings differing;
  const auto places = sample_of(certificate->cases.size(), arguments.all ? 0 : arguments.sample);
  if (findings.empty()) differing = run_again(*files, *certificate, **target, places, findings);
  const bool own = certificate->suite == version && certificate->build == build_of_program();
  fmt::print("{}",
             printable_lines(fmt::format(
                 "{}: {}{} on {}, by skcts {} build {:.16}\n  {}\n  {} of {} mixes run again\n",
                 certificate->operator_name, certificate->verdict,
                 certificate->rule.empty() ? "" : " [" + certificate->rule + "]",
                 certificate->profile, certificate->suite, certificate->build, signature,
                 findings.empty() ? places.size() : 0, certificate->cases.size())));
  tell_some("does not verify:", findings);
  tell_some(own ? "does not verify: this very program judges otherwise:"
                : fmt::format("judged differently by skcts {} build {:.16}:", version,
                              build_of_program()),
            differing);
  const bool good = findings.empty() && differing.empty();
  if (good) fmt::print("verifies\n");
  return good ? ExitCode::pass : ExitCode::failure;
}

}  // namespace skcts::program
