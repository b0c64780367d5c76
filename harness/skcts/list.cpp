// skcts list: the data that is compiled in.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "generators/defects.h"
#include "harness/emulator/defects.h"
#include "harness/skcts/commands.h"
#include "harness/skcts/json_text.h"
#include "spec/latitude.h"
#include "spec/profile.h"
#include "spec/rule.h"
#include "suites/case_files.h"
#include "suites/suites.h"

namespace skcts::program {
namespace {

/// One row: as a JSON object, and as the columns of a text table.
struct Row {
  JsonObject json;
  std::vector<std::string> columns;
};

std::string words(std::span<const std::string_view> names) {
  return fmt::format("{}", fmt::join(names, " | "));
}

std::vector<Row> rule_rows() {
  std::vector<Row> rows;
  for (const Rule& r : rules()) {
    Row row;
    row.json.text("rule", r.name)
        .text("kind", std::string(1, kind_letter(r.kind)))
        .text("chapter", to_string(r.chapter))
        .text("title", r.title)
        .text("text", r.text)
        .text("consequence", r.consequence)
        .text("source", r.source)
        .text("path", to_string(r.path))
        .text("needs", r.needs)
        .text("part_needs", r.part_needs);
    row.columns = {std::string(r.name), std::string(1, kind_letter(r.kind)), std::string(r.title)};
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Row> latitude_rows() {
  std::vector<Row> rows;
  for (const Latitude& l : latitudes()) {
    std::vector<std::string> positions(l.positions().begin(), l.positions().end());
    Row row;
    row.json.text("latitude", l.name)
        .text("class", to_string(l.kind))
        .texts("positions", positions)
        .text("question", l.question)
        .text("notes", l.notes)
        .text("sources", l.sources);
    row.columns = {std::string(l.name), std::string(to_string(l.kind)), words(l.positions()),
                   std::string(l.question)};
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Row> profile_rows() {
  std::vector<Row> rows;
  for (const Profile& p : profiles()) {
    std::vector<std::string> settled;
    for (const LatitudePin& pin : p.settled) settled.push_back(to_string(pin));
    const bool is_default = &p == &default_profile();
    Row row;
    row.json.text("profile", p.name)
        .text("architecture", to_string(p.architecture))
        .number("aic", p.aic_count)
        .number("aiv", p.aiv_count)
        .texts("settled", settled)
        .flag("default", is_default);
    row.columns = {std::string(p.name), std::string(to_string(p.architecture)),
                   fmt::format("{} AIC, {} AIV", p.aic_count, p.aiv_count),
                   is_default ? "(default of run and generate)" : ""};
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Row> suite_rows() {
  std::vector<Row> rows;
  for (const campaign::Property& p : suites::properties()) {
    const std::string test = campaign::suite_name(p.rule) + "." + campaign::test_name(p.rule);
    Row row;
    row.json.text("test", test)
        .text("rule", to_string(p.rule))
        .text("kind", std::string(1, kind_letter(rule(p.rule).kind)))
        .text("shows", p.shows);
    row.columns = {test, std::string(1, kind_letter(rule(p.rule).kind)), p.shows};
    rows.push_back(std::move(row));
  }
  for (const suites::WrittenCase& written : suites::written_cases()) {
    Row row;
    const std::string test = "Cases." + written.test;
    const std::string shows = fmt::format("model and target say what {} expects", written.file);
    row.json.text("test", test).text("rule", "").text("kind", "").text("shows", shows);
    row.columns = {test, "", shows};
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Row> defect_rows() {
  std::vector<Row> rows;
  for (const emulator::Defect& d : emulator::defects()) {
    Row row;
    row.json.text("defect", d.name)
        .text("of", "platform")
        .text("rule", to_string(d.rule))
        .text("channel", d.channel)
        .text("feature", d.feature)
        .text("text", d.text);
    row.columns = {"platform", std::string(d.name), std::string(to_string(d.rule)),
                   std::string(d.text)};
    rows.push_back(std::move(row));
  }
  for (const generators::OperatorDefect& d : generators::operator_defects()) {
    Row row;
    row.json.text("defect", d.name)
        .text("of", "operator")
        .text("rule", to_string(d.rule))
        .text("text", d.text);
    row.columns = {"operator", std::string(d.name), std::string(to_string(d.rule)),
                   std::string(d.text)};
    rows.push_back(std::move(row));
  }
  return rows;
}

void print_table(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.columns.size()));
    for (std::size_t i = 0; i < row.columns.size(); ++i) {
      widths[i] = std::max(widths[i], row.columns[i].size());
    }
  }
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.columns.size(); ++i) {
      line += fmt::format("{:<{}}  ", row.columns[i], widths[i]);
    }
    fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
  }
}

void print_json(const std::vector<Row>& rows) {
  fmt::print("[\n");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    fmt::print("  {}{}\n", rows[i].json.str(), i + 1 < rows.size() ? "," : "");
  }
  fmt::print("]\n");
}

}  // namespace

ExitCode list_things(const ListArguments& arguments) {
  std::vector<Row> rows;
  if (arguments.what == "rules") rows = rule_rows();
  if (arguments.what == "latitudes") rows = latitude_rows();
  if (arguments.what == "profiles") rows = profile_rows();
  if (arguments.what == "suites") rows = suite_rows();
  if (arguments.what == "defects") rows = defect_rows();
  if (arguments.json) {
    print_json(rows);
  } else {
    print_table(rows);
  }
  return ExitCode::pass;
}

}  // namespace skcts::program
