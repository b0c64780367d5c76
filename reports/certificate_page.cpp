// The certificate as one self-contained page.
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/certificate.h"

namespace skcts::reports {
namespace {

std::string escaped(std::string_view text) {
  std::string made;
  for (const char c : text) {
    switch (c) {
      case '&': made += "&amp;"; break;
      case '<': made += "&lt;"; break;
      case '>': made += "&gt;"; break;
      case '"': made += "&quot;"; break;
      default: made += c;
    }
  }
  return made;
}

constexpr std::string_view head = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; margin: 0.5rem 0 1.5rem; }
th, td { border-bottom: 1px solid color-mix(in srgb, currentColor 25%, transparent);
  padding: 0.3rem 0.6rem; text-align: left; vertical-align: top; }
.yes { color: light-dark(#176b2c, #7fd992); } .no { color: light-dark(#a11616, #ff9d93); }
code { font-size: 0.9em; overflow-wrap: anywhere; } summary { cursor: pointer; }
@media print { details > * { display: block; } }
</style>
)";

std::string row(std::string_view name, std::string_view value) {
  return fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escaped(name),
                     escaped(value));
}

std::string list_of(const std::vector<std::string>& texts, std::string_view nothing) {
  if (texts.empty()) return fmt::format("<p>{}</p>\n", nothing);
  std::string made = "<ul>\n";
  for (const std::string& text : texts) made += fmt::format("<li>{}</li>\n", escaped(text));
  return made + "</ul>\n";
}

std::string facts(const Certificate& value) {
  std::string made = "<table>\n";
  made += row("Operator", fmt::format("{} ({})", value.operator_name, value.operator_file));
  made += row("Machine", value.profile);
  made += row("Target", fmt::format("{} ({})", value.target, value.target_name));
  made += row("It says of itself", fmt::format("{}", fmt::join(value.target_claims, "; ")));
  made += row("Suite", fmt::format("skcts {}, build {}", value.suite, value.build));
  made += row("Seed", fmt::format("{}", value.seed));
  made += row("Mixes", fmt::format("{}, each run {} times on the target where it is legal",
                                   value.cases.size(), value.runs));
  made += row("Pairs of levels", fmt::format("{} met, {} infeasible, {} in all", value.pairs_met,
                                             value.infeasible.size(), value.pairs));
  made += row("Launched as", fmt::format("{}", fmt::join(value.launches, ", ")));
  made += row("Mutation score of the suite",
              value.score.empty() ? "not given" : value.score_summary);
  return made + "</table>\n";
}

std::string rules(const Certificate& value) {
  std::string made = "<table><thead><tr><th>Rule</th><th>Result</th><th>What shows it</th></tr>"
                     "</thead><tbody>\n";
  for (const CertificateRule& each : value.rules) {
    std::string told = escaped(each.sentence);
    if (!each.repair.empty()) told += "<br>Repair: " + escaped(each.repair);
    if (!each.smallest.empty()) told += "<br><code>" + escaped(each.smallest) + "</code>";
    if (each.mixes != 0) told += fmt::format("<br>In {} mixes.", each.mixes);
    made += fmt::format("<tr><td>{}</td><td class=\"{}\">{}</td><td>{}</td></tr>\n",
                        escaped(each.rule), each.state == "kept" ? "yes" : "no",
                        escaped(each.state), told);
  }
  return made + "</tbody></table>\n";
}

std::string tried(const Certificate& value) {
  std::string made;
  for (const CertificateFactor& factor : value.factors) {
    made += row(factor.name, fmt::format("{}", fmt::join(factor.levels, ", ")));
  }
  made = "<table>\n" + made + "</table>\n<details><summary>Pairs that no legal mix has</summary>"
                              "<table>\n";
  for (const CertificateGap& gap : value.infeasible) made += row(gap.pair, gap.reason);
  made += "</table></details>\n<details><summary>All mixes</summary><table><thead><tr><th>File</th>"
          "<th>Levels</th><th>Found</th></tr></thead><tbody>\n";
  for (const CertificateCase& each : value.cases) {
    const std::string found =
        each.rule.empty() ? each.behaviour : fmt::format("{} [{}]", each.behaviour, each.rule);
    made += fmt::format("<tr><td><code>{}</code></td><td>{}: {}</td><td>{}{}</td></tr>\n",
                        escaped(each.file), escaped(each.stage), escaped(each.levels),
                        escaped(found), each.target_fails ? ", the target differs" : "");
  }
  return made + "</tbody></table></details>\n";
}

std::string files(const Certificate& value) {
  std::string made = "<details><summary>Files and their SHA-256</summary><table>\n";
  for (const CertificateFile& file : value.files) made += row(file.name, file.sha256);
  return made + "</table></details>\n";
}

}  // namespace

std::string certificate_page(const Certificate& value) {
  const std::string verdict =
      value.rule.empty() ? value.verdict : fmt::format("{} [{}]", value.verdict, value.rule);
  std::string page(head);
  page += fmt::format("<title>{}: {}</title></head><body><main>\n", escaped(value.operator_name),
                      escaped(verdict));
  page += fmt::format("<h1>{}: <span class=\"{}\">{}</span></h1>\n", escaped(value.operator_name),
                      value.verdict == "certified" ? "yes" : "no", escaped(verdict));
  page += facts(value);
  page += "<h2>What this proves, and what it does not</h2>\n" + list_of(value.limits, "");
  page += "<h2>Rules</h2>\n" + rules(value);
  page += "<h2>Positions of latitudes that are assumed</h2>\n" + list_of(value.assumed, "None.");
  page += "<h2>Waivers</h2>\n" + list_of(value.waivers, "None.");
  page += "<h2>What was tried</h2>\n" + tried(value);
  page += "<h2>Files</h2>\n" + files(value);
  return page + "</main></body></html>\n";
}

}  // namespace skcts::reports
