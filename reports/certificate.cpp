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
    const auto format = [&](const JsonNode& node) { return read_format(node); };
    if (!required(top, "format", "a certificate", format)) return false;
    return read_members(top, to);
  }

 private:
  bool read_format(const JsonNode& node) {
    std::int64_t format = 0;
    if (!read_integer(node, 0, std::numeric_limits<std::int32_t>::max(), format)) return false;
    if (format == certificate_format) return true;
    return fail(node, fmt::format("format {}, but this build reads certificates of format {}",
                                  format, certificate_format));
  }
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
      return required(node, key, "a certificate",
                      [&](const JsonNode& child) { return value(child, member); });
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
  return read_json<Reader, Certificate>(text, file, {.bytes = most_bytes, .depth = 8});
}

}  // namespace skcts::reports
