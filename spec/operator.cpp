// What an operator means: the case that it is alone, and what is wrong with it.
#include "spec/operator.h"

#include <algorithm>
#include <string_view>

#include "spec/options.h"
#include "spec/rule.h"
#include "spec/validate.h"

namespace skcts {
namespace {

/// The field of a case as that of operator text.
std::string field_of_operator(const std::string& field) {
  constexpr std::string_view kernel = "mix.sub_kernels[0]";
  constexpr std::string_view mix = "mix.";
  if (field.starts_with(kernel)) return "sub_kernel" + field.substr(kernel.size());
  return field.starts_with(mix) ? field.substr(mix.size()) : field;
}

}  // namespace

Case case_alone(const Operator& value, const Profile& profile) {
  Case made;
  made.name = value.name;
  made.profile = profile.name;
  made.mix.options = value.options;
  made.mix.regions = value.regions;
  made.mix.sub_kernels = {value.sub_kernel};
  return made;
}

std::vector<Error> validate(const Operator& value, const Profile& profile) {
  const Case alone = case_alone(value, profile);
  std::vector<Error> errors = validate(alone);
  for (Error& error : errors) error.field = field_of_operator(error.field);
  const OptionParse options = options_of(alone);
  if (options.refusal) {
    errors.push_back(
        {.field = "options", .message = options.refusal->message, .hint = options.refusal->hint});
  }
  const auto check_places = [&](const std::vector<std::int16_t>& places, std::string_view key) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::int16_t place = places[i];
      const bool known = place >= 0 && static_cast<std::size_t>(place) < value.regions.size();
      const auto end = places.begin() + static_cast<std::ptrdiff_t>(i);
      const bool again = std::find(places.begin(), end, place) != end;
      if (known && !again) continue;
      errors.push_back({.field = fmt::format("{}[{}]", key, i),
                        .message = known ? "the region is listed twice" : "no such region"});
    }
  };
  check_places(value.inputs, "inputs");
  check_places(value.outputs, "outputs");
  if (value.expect) {
    const ExpectedCertificate& expect = *value.expect;
    if (expect.certified != expect.rule.empty()) {
      errors.push_back({.field = "expect.rule",
                        .message = "a refused certificate has a rule, one that is given has none"});
    } else if (!expect.certified && !find_rule(expect.rule)) {
      errors.push_back({.field = "expect.rule",
                        .message = fmt::format("'{}' is no rule", expect.rule),
                        .hint = "'skcts list rules' prints them"});
    }
  }
  return errors;
}

}  // namespace skcts
