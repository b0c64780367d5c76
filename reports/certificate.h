// A certificate: what was tried, what came of it, and under which assumptions, for a third party.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "spec/error.h"

namespace skcts::reports {

inline constexpr int certificate_format = 1;

/// One mix and what was found.
struct CertificateCase {
  std::string file;    ///< In the archive.
  std::string stage;   ///< "launched alone", ...
  std::string levels;  ///< The factors that are not at their default, in words.
  std::string behaviour;
  std::string rule;  ///< Primary broken one; empty: none.
  bool target_fails = false;
  bool operator==(const CertificateCase&) const = default;
};

/// What became of a rule.
struct CertificateRule {
  std::string rule;
  std::string state;  ///< "kept", "broken", "broken besides"
  std::int64_t mixes = 0;
  std::string sentence;
  std::string repair;
  std::string smallest;  ///< File of the smallest mix in the archive.
  bool operator==(const CertificateRule&) const = default;
};

struct CertificateFactor {
  std::string name;
  std::vector<std::string> levels;
  bool operator==(const CertificateFactor&) const = default;
};

/// Levels of two factors that no legal mix has together.
struct CertificateGap {
  std::string pair;
  std::string reason;
  bool operator==(const CertificateGap&) const = default;
};

struct CertificateFile {
  std::string name;
  std::int64_t bytes = 0;
  std::string sha256;  ///< 64 lower-case hex digits.
  bool operator==(const CertificateFile&) const = default;
};

struct Certificate {
  std::string suite;  ///< Version.
  std::string build;  ///< SHA-256 of the program that made it.
  std::string operator_name;
  std::string operator_file;
  std::string verdict;  ///< "certified", "refused", "not certified"
  std::string rule;     ///< Primary; empty: none.
  std::string profile;
  std::string target;  ///< As on the command line.
  std::string target_name;
  std::vector<std::string> target_claims;  ///< What it says of itself, in words.
  std::uint64_t seed = 0;
  std::int64_t runs = 0;  ///< Of the target, a mix.
  std::int64_t pairs = 0;
  std::int64_t pairs_met = 0;
  std::vector<CertificateFactor> factors;
  std::vector<CertificateGap> infeasible;
  std::vector<std::string> launches;  ///< Types of launch that it was part of, and how often.
  std::vector<std::string> assumed;  ///< Positions of latitudes.
  std::vector<std::string> waivers;
  std::string score;  ///< File of the mutation score in the archive; empty: not given.
  std::string score_summary;
  std::vector<std::string> limits;  ///< What it proves and what it does not.
  std::vector<CertificateRule> rules;
  std::vector<CertificateCase> cases;
  std::vector<CertificateFile> files;
  bool operator==(const Certificate&) const = default;
};

/// certificate.json.
std::string certificate_json(const Certificate& value);
/// Reads it back; an error says line, field and what was expected.
Result<Certificate> read_certificate(std::string_view text, std::string_view file);
/// One self-contained page.
std::string certificate_page(const Certificate& value);

}  // namespace skcts::reports
