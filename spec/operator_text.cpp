// Reading and writing operator text, of the parts of case text.
#include "spec/operator_text.h"

#include <array>
#include <limits>

#include <fmt/format.h>

#include "spec/case_layout.h"
#include "spec/case_reader.h"
#include "spec/case_text.h"

namespace skcts {
namespace {

constexpr std::array<std::string_view, 10> operator_keys = {
    "format",  "name",   "note",    "source",     "options",
    "regions", "inputs", "outputs", "sub_kernel", "expect"};
/// Without what belongs to a mix: streams, events and scope marks, and what a graph's path adds.
constexpr std::array<std::string_view, 13> kernel_keys = {
    "name",       "type",    "blocks",  "tiling", "launch_blocks", "launch_type", "tiling_key",
    "op_type",    "tensors", "names",   "note",   "aic",           "aiv"};
constexpr std::array<std::string_view, 3> expect_keys = {"certificate", "rule", "note"};
constexpr std::array<std::string_view, 2> certificates = {"certified", "refused"};

class OperatorReader : public CaseReader {
 public:
  using CaseReader::CaseReader;

  bool read(Operator& to);

 private:
  bool read_operator_format(const JsonNode& node);
  bool read_places(const JsonNode& node, std::vector<std::int16_t>& to);
  bool read_kernel(const JsonNode& node, SubKernel& to);
  bool read_expected(const JsonNode& node, ExpectedCertificate& to);
};

bool OperatorReader::read(Operator& to) {
  const JsonNode& top = root();
  constexpr std::string_view what = "an operator";
  if (!expect_object(top, what)) return false;
  // Before all else: another format may have other keys.
  if (!required(top, "format", what,
                [&](const JsonNode& n) { return read_operator_format(n); })) {
    return false;
  }
  const auto places = [&](std::vector<std::int16_t>& target) {
    return [this, &target](const JsonNode& n) { return read_places(n, target); };
  };
  return check_keys(top, operator_keys, what) &&
         required(top, "name", what, [&](const JsonNode& n) { return read_string(n, to.name); }) &&
         read_note(top, to.note) && optional_text(top, "source", to.source) &&
         optional(top, "options",
                  [&](const JsonNode& n) { return read_options(n, "ge", to.options); }) &&
         optional(top, "regions",
                  [&](const JsonNode& n) { return read_regions(n, to.regions); }) &&
         optional(top, "inputs", places(to.inputs)) &&
         optional(top, "outputs", places(to.outputs)) &&
         required(top, "sub_kernel", what,
                  [&](const JsonNode& n) { return read_kernel(n, to.sub_kernel); }) &&
         optional(top, "expect",
                  [&](const JsonNode& n) { return read_expected(n, to.expect.emplace()); });
}

bool OperatorReader::read_operator_format(const JsonNode& node) {
  std::int64_t format = 0;
  if (!read_integer(node, 0, std::numeric_limits<std::int32_t>::max(), format)) return false;
  if (format == operator_format) return true;
  return fail(node,
              fmt::format("format {}, but this build reads operators of format {}", format,
                          operator_format),
              format > operator_format ? "the file needs a newer skcts" : "");
}

bool OperatorReader::read_places(const JsonNode& node, std::vector<std::int16_t>& to) {
  if (!expect_list(node, "names of regions", most_names)) return false;
  return each(node, [&](const JsonNode& child, std::size_t index) {
    Scope scope(*this, index);
    return read_region(child, to.emplace_back());
  });
}

bool OperatorReader::read_kernel(const JsonNode& node, SubKernel& to) {
  constexpr std::string_view what = "the sub kernel of an operator";
  return expect_object(node, what) && check_keys(node, kernel_keys, what) &&
         read_sub_kernel(node, to);
}

bool OperatorReader::read_expected(const JsonNode& node, ExpectedCertificate& to) {
  constexpr std::string_view what = "an expected certificate";
  if (!expect_object(node, what) || !check_keys(node, expect_keys, what)) return false;
  const auto certificate = [&](const JsonNode& n) {
    std::size_t place = 0;
    if (!read_name(n, "a certificate", certificates, place)) return false;
    to.certified = place == 0;
    return true;
  };
  return required(node, "certificate", what, certificate) &&
         optional_text(node, "rule", to.rule) && read_note(node, to.note);
}

std::vector<std::string> names_of(const Operator& value, const std::vector<std::int16_t>& places) {
  std::vector<std::string> names;
  for (const std::int16_t place : places) {
    const bool known = place >= 0 && static_cast<std::size_t>(place) < value.regions.size();
    names.push_back(known ? value.regions[static_cast<std::size_t>(place)].name : "?");
  }
  return names;
}

}  // namespace

Result<Operator> read_operator(std::string_view text, std::string_view file) {
  const JsonLimits limits{.bytes = max_case_bytes, .depth = max_case_depth};
  return read_json<OperatorReader, Operator>(text, file, limits);
}

std::string write_operator(const Operator& value) {
  Layout out;
  out.open('{');
  out.key("format");
  out.raw(fmt::format("{}", operator_format));
  out.text("name", value.name);
  out.note(value.note);
  if (!value.source.empty()) out.text("source", value.source);
  if (!value.options.empty()) out.text("options", value.options);
  if (!value.regions.empty()) {
    out.key("regions");
    write_regions(out, value.regions);
  }
  if (!value.inputs.empty()) {
    out.key("inputs");
    out.raw(inline_names(names_of(value, value.inputs)));
  }
  if (!value.outputs.empty()) {
    out.key("outputs");
    out.raw(inline_names(names_of(value, value.outputs)));
  }
  out.key("sub_kernel");
  Mix mix;
  mix.regions = value.regions;
  write_sub_kernel(out, mix, value.sub_kernel);
  if (value.expect) {
    out.key("expect");
    out.open('{');
    out.text("certificate", certificates[value.expect->certified ? 0 : 1]);
    if (!value.expect->rule.empty()) out.text("rule", value.expect->rule);
    out.note(value.expect->note);
    out.close('}');
  }
  out.close('}');
  return std::move(out).done();
}

}  // namespace skcts
