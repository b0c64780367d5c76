// A certification as an archive that a third party can check.
#pragma once

#include <string>

#include "harness/campaign/certificate_archive.h"
#include "harness/campaign/certify.h"
#include "reports/certificate.h"
#include "spec/operator.h"

namespace skcts::program {

/// Names of files in the archive of a certificate.
inline constexpr const char* certificate_name = "certificate.json";
inline constexpr const char* page_name = "certificate.html";
inline constexpr const char* operator_name = "operator.json";
inline constexpr const char* score_name = "score.json";
inline constexpr const char* signature_name = "certificate.sig";
inline constexpr const char* key_name = "certificate.pub";

/// What a certificate says besides what the certification found.
struct CertificateMaking {
  std::string target;     ///< As on the command line.
  std::string score;      ///< Text of 'skcts score --json'; empty: not given.
  std::string key;        ///< Private key in PEM; empty: not signed.
  std::string key_file;   ///< Its name, for messages.
};

/// The factors of a mix that are not at their default, in words.
std::string levels_text(const campaign::Certification& done, const campaign::Levels& levels);

/// The bytes of the archive. An error: the key is none, or the score is no score.
Result<std::string> certificate_archive(const Operator& value,
                                        const campaign::Certification& done,
                                        const campaign::CertifySettings& settings,
                                        const TargetDescription& target,
                                        const CertificateMaking& making);

/// The SHA-256 of this program.
std::string build_of_program();

}  // namespace skcts::program
