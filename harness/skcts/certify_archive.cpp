// From a certification to the files of its certificate.
#include "harness/skcts/certify_archive.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "harness/campaign/certificate_sign.h"
#include "harness/skcts/program.h"
#include "spec/case_text.h"
#include "spec/json_reader.h"
#include "spec/operator_text.h"
#include "spec/rule.h"
#include "spec/text_file.h"

namespace skcts::program {
namespace {

using campaign::ArchiveFiles;
using campaign::Certification;
using campaign::Factor;
using reports::Certificate;
using reports::CertificateRule;

/// The numbers of a score that a certificate repeats.
class ScoreReader : public JsonReader {
 public:
  using JsonReader::JsonReader;

  bool read(std::string& summary) {
    const JsonNode& top = root();
    std::int64_t defects = 0;
    std::int64_t killed = 0;
    if (!expect_object(top, "a score") || !number(top, "defects", defects) ||
        !number(top, "killed", killed)) {
      return false;
    }
    summary = fmt::format("{} of {} seeded defects killed", killed, defects);
    return true;
  }

 private:
  bool number(const JsonNode& top, std::string_view key, std::int64_t& to) {
    return required(top, key, "a score", [&](const JsonNode& node) {
      return read_integer(node, 0, 1'000'000, to);
    });
  }
};

Result<std::string> summary_of_score(const std::string& text) {
  const Result<JsonTree> tree = parse_json(text, "--score");
  if (!tree) return tree.error();
  ScoreReader reader(text, "--score", *tree);
  std::string summary;
  if (reader.read(summary)) return summary;
  Error error = reader.error();
  error.hint = "'skcts score --json > score.json' writes one";
  return error;
}

std::vector<std::string> claims_of(const TargetDescription& target) {
  std::vector<std::string> claims;
  claims.emplace_back(target.declares_counts ? "declares counts" : "declares no counts");
  claims.emplace_back(target.honours_schedules ? "honours schedules" : "honours no schedules");
  claims.emplace_back(target.exact_consequences ? "shows documented consequences"
                                                : "need not show documented consequences");
  for (const LatitudePin& pin : target.latitudes) claims.push_back("stands at " + to_string(pin));
  return claims;
}

std::vector<std::string> limits_of(const Operator& value) {
  std::vector<std::string> limits = {
      "A pass says that in each of these mixes the documented contract gives the operator one "
      "result at every position of the latitudes that was tried, and that the target showed it.",
      "Each level of a factor, and each pair of levels that a legal mix can have, was tried. Three "
      "levels together were met by chance alone.",
      "It says nothing of mixes outside the factors, of the operator's arithmetic, of its source "
      "text where that differs from the program in operator.json, or of speed."};
  if (!value.options.empty()) {
    limits.push_back(fmt::format("It holds with the options that the operator asks for: {}",
                                 value.options));
  }
  return limits;
}

std::string verdict_of(const Certification& done) {
  if (done.certified()) return "certified";
  return done.broken.empty() ? "not certified" : "refused";
}

void add_rules(const Certification& done, ArchiveFiles& files, Certificate& to) {
  for (const Rule& each : rules()) {
    if (each.kind != RuleKind::restriction) continue;
    CertificateRule told{.rule = std::string(to_string(each.id)), .state = "kept"};
    const auto broken = std::ranges::find(done.broken, each.id, &campaign::BrokenRule::rule);
    if (broken != done.broken.end()) {
      told.state = "broken";
      told.mixes = broken->mixes;
      told.sentence = broken->sentence;
      told.repair = broken->repair;
      told.smallest = fmt::format("smallest/{}.json", told.rule);
      files.emplace(told.smallest, write_case(broken->smallest));
    } else if (done.besides.contains(each.id)) {
      told.state = "broken besides";
    }
    to.rules.push_back(std::move(told));
  }
}

void add_cases(const Certification& done, ArchiveFiles& files, Certificate& to) {
  for (std::size_t i = 0; i < done.mixes.size(); ++i) {
    const campaign::TriedMix& mix = done.mixes[i];
    const std::string file = fmt::format("cases/{:04}.json", i);
    files.emplace(file, write_case(mix.test_case));
    to.cases.push_back({.file = file,
                        .stage = std::string(to_string(mix.stage)),
                        .levels = levels_text(done, mix.levels),
                        .behaviour = std::string(to_string(mix.behaviour)),
                        .rule = mix.rule ? std::string(to_string(*mix.rule)) : "",
                        .target_fails = mix.target_fails});
  }
}

void add_factors(const Certification& done, Certificate& to) {
  for (std::size_t f = 0; f < done.level_names.size(); ++f) {
    to.factors.push_back({std::string(to_string(static_cast<Factor>(f))), done.level_names[f]});
  }
  for (const campaign::Infeasible& each : done.infeasible) {
    const auto text = [&](campaign::FactorLevel at) {
      const auto factor = static_cast<std::size_t>(at.factor);
      return fmt::format("{}: {}", to_string(static_cast<Factor>(at.factor)),
                         done.level_names[factor][static_cast<std::size_t>(at.level)]);
    };
    to.infeasible.push_back(
        {fmt::format("{}, {}", text(each.pair.a), text(each.pair.b)), each.reason});
  }
}

}  // namespace

std::string levels_text(const Certification& done, const campaign::Levels& levels) {
  std::string text;
  for (std::size_t f = 0; f < levels.size(); ++f) {
    if (levels[f] == 0) continue;
    const std::string& name = done.level_names[f][static_cast<std::size_t>(levels[f])];
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", to_string(static_cast<Factor>(f)),
                        name);
  }
  return text.empty() ? "all defaults" : text;
}

std::string build_of_program() {
  constexpr std::size_t most = std::size_t{1} << 30;
  const Result<std::string> bytes = read_text_file("/proc/self/exe", most);
  return bytes ? campaign::sha256(*bytes) : "unknown";
}

Result<std::string> certificate_archive(const Operator& value, const Certification& done,
                                        const campaign::CertifySettings& settings,
                                        const TargetDescription& target,
                                        const CertificateMaking& making) {
  ArchiveFiles files;
  files.emplace(operator_name, write_operator(value));
  Certificate certificate{.suite = std::string(version),
                          .build = build_of_program(),
                          .operator_name = value.name,
                          .operator_file = operator_name,
                          .verdict = verdict_of(done),
                          .profile = std::string(settings.profile->name),
                          .target = making.target,
                          .target_name = target.name,
                          .target_claims = claims_of(target),
                          .seed = settings.seed,
                          .runs = settings.runs,
                          .pairs = done.pairs,
                          .pairs_met = done.pairs_met,
                          .assumed = done.assumed,
                          .limits = limits_of(value)};
  for (const auto& [type, mixes] : done.launches) {
    certificate.launches.push_back(fmt::format("{}: {}", to_string(type), mixes));
  }
  if (const auto rule = done.primary()) certificate.rule = to_string(*rule);
  if (!making.score.empty()) {
    const Result<std::string> summary = summary_of_score(making.score);
    if (!summary) return summary.error();
    certificate.score = score_name;
    certificate.score_summary = *summary;
    files.emplace(score_name, making.score);
  }
  add_factors(done, certificate);
  add_rules(done, files, certificate);
  add_cases(done, files, certificate);
  for (const auto& [name, text] : files) {
    certificate.files.push_back(
        {name, static_cast<std::int64_t>(text.size()), campaign::sha256(text)});
  }
  // The page is listed with its hash; it cannot list itself.
  const std::string page = certificate_page(certificate);
  certificate.files.push_back(
      {page_name, static_cast<std::int64_t>(page.size()), campaign::sha256(page)});
  files.emplace(page_name, page);
  const std::string json = certificate_json(certificate);
  if (!making.key.empty()) {
    const Result<campaign::Signature> signature =
        campaign::sign(json, making.key, making.key_file);
    if (!signature) return signature.error();
    files.emplace(signature_name, signature->hex + "\n");
    files.emplace(key_name, signature->public_key);
  }
  files.emplace(certificate_name, json);
  return campaign::packed(files);
}

}  // namespace skcts::program
