// certificate.json, written and read.
#include "reports/certificate.h"

#include <array>
#include <limits>

#include <fmt/format.h>

#include "spec/json_reader.h"

namespace skcts::reports {
namespace {

constexpr std::size_t most_bytes = std::size_t{64} << 20;

/// Members of an object, written or read by the same list: Visit is called as visit(key, member).
template <class Visit>
bool members(CertificateCase& v, Visit&& visit) {
  return visit("file", v.file) && visit("stage", v.stage) && visit("levels", v.levels) &&
         visit("behaviour", v.behaviour) && visit("rule", v.rule) &&
         visit("target_fails", v.target_fails);
}
template <class Visit>
bool members(CertificateRule& v, Visit&& visit) {
  return visit("rule", v.rule) && visit("state", v.state) && visit("mixes", v.mixes) &&
         visit("sentence", v.sentence) && visit("repair", v.repair) &&
         visit("smallest", v.smallest);
}
template <class Visit>
bool members(CertificateFactor& v, Visit&& visit) {
  return visit("name", v.name) && visit("levels", v.levels);
}
template <class Visit>
bool members(CertificateGap& v, Visit&& visit) {
  return visit("pair", v.pair) && visit("reason", v.reason);
}
template <class Visit>
bool members(CertificateFile& v, Visit&& visit) {
  return visit("name", v.name) && visit("bytes", v.bytes) && visit("sha256", v.sha256);
}
template <class Visit>
bool members(Certificate& v, Visit&& visit) {
  return visit("suite", v.suite) && visit("build", v.build) &&
         visit("operator", v.operator_name) && visit("operator_file", v.operator_file) &&
         visit("verdict", v.verdict) && visit("rule", v.rule) && visit("profile", v.profile) &&
         visit("target", v.target) && visit("target_name", v.target_name) &&
         visit("target_claims", v.target_claims) && visit("seed", v.seed) &&
         visit("runs", v.runs) && visit("pairs", v.pairs) && visit("pairs_met", v.pairs_met) &&
         visit("factors", v.factors) && visit("infeasible", v.infeasible) &&
         visit("launches", v.launches) &&
         visit("assumed", v.assumed) && visit("waivers", v.waivers) && visit("score", v.score) &&
         visit("score_summary", v.score_summary) && visit("limits", v.limits) &&
         visit("rules", v.rules) && visit("cases", v.cases) && visit("files", v.files);
}

class Writer {
 public:
  void value(const std::string& text) { out_ += json_quoted(text); }
  void value(bool flag) { out_ += flag ? "true" : "false"; }
  void value(std::int64_t number) { out_ += std::to_string(number); }
  void value(std::uint64_t number) { out_ += std::to_string(number); }
  template <class T>
  void value(const std::vector<T>& list) {
    out_ += '[';
    for (std::size_t i = 0; i < list.size(); ++i) {
      out_ += i == 0 ? "\n" : ",\n";
      value(list[i]);
    }
    out_ += ']';
  }
  template <class T>
  void value(const T& object) {
    out_ += '{';
    T copy = object;  // the list of members is for readers too, which change them
    write_members(copy, "");
    out_ += '}';
  }
  template <class T>
  void write_members(T& object, std::string_view before) {
    std::string_view comma = before;
    members(object, [&](std::string_view key, const auto& member) {
      out_ += fmt::format("{}{}: ", comma, json_quoted(key));
      value(member);
      comma = before.empty() ? ", " : before;
      return true;
    });
  }
  std::string& out() { return out_; }

 private:
  std::string out_;
};

class Reader : public JsonReader {
 public:
  using JsonReader::JsonReader;

  bool read(Certificate& to) {
    const JsonNode& top = root();
    if (!expect_object(top, "a certificate")) return false;
    const JsonNode* const format = find(top, "format");
    if (format == nullptr) return fail_missing(top, "format", "a certificate");
    std::int64_t number = 0;
    {
      Scope scope(*this, "format");
      if (!read_integer(*format, 0, std::numeric_limits<std::int32_t>::max(), number)) return false;
      if (number != certificate_format) {
        return fail(*format,
                    fmt::format("format {}, but this build reads certificates of format {}", number,
                                certificate_format));
      }
    }
    return read_members(top, to);
  }

 private:
  bool value(const JsonNode& node, std::string& to) { return read_string(node, to); }
  bool value(const JsonNode& node, bool& to) { return read_bool(node, to); }
  bool value(const JsonNode& node, std::int64_t& to) {
    return read_integer(node, 0, std::numeric_limits<std::int64_t>::max(), to);
  }
  bool value(const JsonNode& node, std::uint64_t& to) { return read_uint64(node, to); }
  template <class T>
  bool value(const JsonNode& node, std::vector<T>& to) {
    if (!expect_list(node, "entries", std::size_t{1} << 20)) return false;
    return each(node, [&](const JsonNode& child, std::size_t index) {
      Scope scope(*this, index);
      return value(child, to.emplace_back());
    });
  }
  template <class T>
  bool value(const JsonNode& node, T& to) {
    return expect_object(node, "an entry of a certificate") && read_members(node, to);
  }
  template <class T>
  bool read_members(const JsonNode& node, T& to) {
    return members(to, [&](std::string_view key, auto& member) {
      const JsonNode* const child = find(node, key);
      if (child == nullptr) return fail_missing(node, key, "a certificate");
      Scope scope(*this, key);
      return value(*child, member);
    });
  }
};

}  // namespace

std::string certificate_json(const Certificate& value) {
  Writer writer;
  writer.out() = fmt::format("{{\n\"format\": {}", certificate_format);
  Certificate copy = value;
  writer.write_members(copy, ",\n");
  return writer.out() + "\n}\n";
}

Result<Certificate> read_certificate(std::string_view text, std::string_view file) {
  const Result<JsonTree> tree = parse_json(text, file, {.bytes = most_bytes, .depth = 8});
  if (!tree) return tree.error();
  Reader reader(text, file, *tree);
  Certificate value;
  if (reader.read(value)) return value;
  SKCTS_CHECK(reader.error().has_value(), "the certificate reader stopped without an error");
  return *reader.error();
}

}  // namespace skcts::reports
