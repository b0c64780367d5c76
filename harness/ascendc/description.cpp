// Reading op.json, and the data that it speaks of.
#include "harness/ascendc/description.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "harness/ascendc/core_device.h"
#include "spec/json_reader.h"
#include "spec/profile.h"

namespace skcts::ascendc {

namespace {

struct ElementType {
  std::string_view name;
  int bytes;
};
constexpr std::array<ElementType, 12> element_types = {{{"half", 2},
                                                        {"bfloat16_t", 2},
                                                        {"float", 4},
                                                        {"double", 8},
                                                        {"int8_t", 1},
                                                        {"uint8_t", 1},
                                                        {"int16_t", 2},
                                                        {"uint16_t", 2},
                                                        {"int32_t", 4},
                                                        {"uint32_t", 4},
                                                        {"int64_t", 8},
                                                        {"uint64_t", 8}}};

class DescriptionReader : public JsonReader {
 public:
  using JsonReader::JsonReader;

  bool read(OperatorDescription& to) {
    static constexpr std::array<std::string_view, 10> keys = {
        "kernel", "type",      "blocks",    "profile", "tiling_key",
        "tiling", "auto_sync", "arguments", "expect",  "note"};
    if (!expect_object(root(), "a description of an operator")) return false;
    if (!check_keys(root(), keys, "a description of an operator")) return false;
    const JsonNode* const kernel = find(root(), "kernel");
    if (kernel == nullptr) return fail_missing(root(), "kernel", "the name of the kernel function");
    if (!at("kernel", [&](const JsonNode& n) { return read_string(n, to.kernel); })) return false;
    if (!at("type", [&](const JsonNode& n) { return read_kernel_type(n, to.type); })) return false;
    if (!at("blocks", [&](const JsonNode& n) { return read_int(n, 1, 4096, to.blocks); })) {
      return false;
    }
    if (!at("profile", [&](const JsonNode& n) {
          return read_one_of(n, "a profile", profile_names(), to.profile);
        })) {
      return false;
    }
    if (!at("tiling_key",
            [&](const JsonNode& n) { return read_int(n, 0, INT32_MAX, to.tiling_key); })) {
      return false;
    }
    if (!at("auto_sync", [&](const JsonNode& n) { return read_bool(n, to.auto_sync); })) {
      return false;
    }
    if (!at("expect", [&](const JsonNode& n) {
          return read_one_of(n, "an expectation", expectation_names, to.expect);
        })) {
      return false;
    }
    if (!at("tiling", [&](const JsonNode& n) { return read_tiling(n, to); })) return false;
    return at("arguments", [&](const JsonNode& n) {
      return expect_list(n, "a list of arguments", 64) &&
             each(n, [&](const JsonNode& child, std::size_t index) {
               const Scope scope(*this, index);
               return read_argument(child, to.arguments.emplace_back());
             });
    });
  }

 private:
  template <class Read>
  bool at(std::string_view key, Read&& read_it) {
    return optional(root(), key, read_it);
  }
  bool read_kernel_type(const JsonNode& node, KernelType& to) {
    std::vector<std::string_view> names;
    for (const KernelType type : all_kernel_types) names.push_back(to_string(type));
    std::size_t which = 0;
    if (!read_name(node, "a kernel type", names, which)) return false;
    to = all_kernel_types[which];
    return true;
  }
  bool read_one_of(const JsonNode& node, std::string_view what,
                   std::span<const std::string_view> names, std::string& to) {
    std::size_t which = 0;
    if (!read_name(node, what, names, which)) return false;
    to = names[which];
    return true;
  }
  bool read_type(const JsonNode& node, std::string& to) {
    std::vector<std::string_view> names;
    for (const ElementType& type : element_types) names.push_back(type.name);
    return read_one_of(node, "a type", names, to);
  }
  bool read_ramp(const JsonNode& node, Ramp& to) {
    static constexpr std::array<std::string_view, 2> keys = {"first", "step"};
    if (!expect_object(node, "values") || !check_keys(node, keys, "values")) return false;
    return optional(node, "first",
                    [&](const JsonNode& n) {
                      return read_integer(n, INT32_MIN, UINT32_MAX, to.first);
                    }) &&
           optional(node, "step", [&](const JsonNode& n) {
             return read_integer(n, INT32_MIN, UINT32_MAX, to.step);
           });
  }
  bool read_tiling(const JsonNode& node, OperatorDescription& to) {
    static constexpr std::array<std::string_view, 2> keys = {"struct", "fields"};
    if (!expect_object(node, "the tiling") || !check_keys(node, keys, "the tiling")) return false;
    if (!optional(node, "struct",
                  [&](const JsonNode& n) { return read_string(n, to.tiling_struct); })) {
      return false;
    }
    return optional(node, "fields", [&](const JsonNode& list) {
      return expect_list(list, "a list of fields", 256) &&
             each(list, [&](const JsonNode& child, std::size_t index) {
               const Scope scope(*this, index);
               return read_field(child, to.tiling_fields.emplace_back());
             });
    });
  }
  bool read_field(const JsonNode& node, TilingField& to) {
    static constexpr std::array<std::string_view, 3> keys = {"name", "type", "value"};
    if (!expect_object(node, "a field") || !check_keys(node, keys, "a field")) return false;
    return optional(node, "name", [&](const JsonNode& n) { return read_string(n, to.name); }) &&
           optional(node, "type", [&](const JsonNode& n) { return read_type(n, to.type); }) &&
           optional(node, "value", [&](const JsonNode& n) {
             return read_integer(n, INT64_MIN, INT64_MAX, to.value);
           });
  }
  bool read_argument(const JsonNode& node, KernelArgument& to) {
    static constexpr std::array<std::string_view, 8> keys = {"name",   "type",  "count",  "init",
                                                             "golden", "value", "tiling", "note"};
    if (!expect_object(node, "an argument") || !check_keys(node, keys, "an argument")) return false;
    bool tiling = false;
    if (!optional(node, "name", [&](const JsonNode& n) { return read_string(n, to.name); }) ||
        !optional(node, "type", [&](const JsonNode& n) { return read_type(n, to.type); }) ||
        !optional(node, "count",
                  [&](const JsonNode& n) { return read_integer(n, 1, 1 << 24, to.count); }) ||
        !optional(node, "init", [&](const JsonNode& n) { return read_ramp(n, to.init); }) ||
        !optional(node, "golden",
                  [&](const JsonNode& n) { return read_ramp(n, to.golden.emplace()); }) ||
        !optional(
            node, "value",
            [&](const JsonNode& n) { return read_integer(n, INT64_MIN, INT64_MAX, to.value); }) ||
        !optional(node, "tiling", [&](const JsonNode& n) { return read_bool(n, tiling); })) {
      return false;
    }
    if (to.name.empty()) return fail_missing(node, "name", "the argument's name");
    const bool scalar = find(node, "value") != nullptr;
    to.kind = tiling ? ArgumentKind::tiling : scalar ? ArgumentKind::scalar : ArgumentKind::buffer;
    if (to.kind == ArgumentKind::buffer && to.count == 0) {
      return fail_missing(node, "count", "how many elements the buffer has");
    }
    return true;
  }
};

/// To nearest even.
std::uint16_t half_bits(float value) {
  const auto word = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(word >> 16 & 0x8000u);
  const int exponent = static_cast<int>(word >> 23 & 0xffu) - 127;
  const std::uint32_t fraction = word & 0x7fffffu;
  if (exponent > 15) return static_cast<std::uint16_t>(sign | 0x7c00u);
  if (exponent < -25) return sign;
  const int drop = exponent < -14 ? -1 - exponent : 13;
  const std::uint32_t whole = fraction | 0x800000u;
  std::uint32_t bits = whole >> drop;
  const std::uint32_t rest = whole & ((1u << drop) - 1);
  const std::uint32_t tie = 1u << (drop - 1);
  if (rest > tie || (rest == tie && (bits & 1u) != 0)) ++bits;
  if (exponent >= -14) bits += static_cast<std::uint32_t>(exponent + 14) << 10;
  return static_cast<std::uint16_t>(sign | bits);
}

std::uint64_t element_of(std::string_view type, std::int64_t value) {
  const auto real = static_cast<float>(value);
  if (type == "half") return half_bits(real);
  if (type == "float") return std::bit_cast<std::uint32_t>(real);
  if (type == "double") return std::bit_cast<std::uint64_t>(static_cast<double>(value));
  if (type == "bfloat16_t") {
    const auto word = std::bit_cast<std::uint32_t>(real);
    return (word + 0x7fffu + (word >> 16 & 1u)) >> 16;
  }
  return static_cast<std::uint64_t>(value);
}

}  // namespace

int element_bytes(std::string_view type) {
  for (const ElementType& known : element_types) {
    if (known.name == type) return known.bytes;
  }
  return 0;
}

Result<OperatorDescription> read_description(std::string_view text, std::string_view file) {
  return read_json<DescriptionReader, OperatorDescription>(text, file);
}

std::vector<std::uint32_t> words_of(const KernelArgument& argument, const Ramp& ramp) {
  const auto bytes = static_cast<std::size_t>(element_bytes(argument.type));
  const auto count = static_cast<std::size_t>(argument.count);
  std::vector<std::uint32_t> words((count * bytes + 3) / 4, 0);
  auto* const to = reinterpret_cast<unsigned char*>(words.data());
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t element =
        element_of(argument.type, ramp.first + ramp.step * static_cast<std::int64_t>(i));
    std::memcpy(to + i * bytes, &element, bytes);
  }
  return words;
}

Case case_of(const OperatorDescription& description) {
  Case result;
  result.name = description.kernel;
  result.profile = description.profile;
  for (const KernelArgument& argument : description.arguments) {
    if (argument.kind != ArgumentKind::buffer) continue;
    Region region;
    region.name = argument.name;
    region.init.values = words_of(argument, argument.init);
    region.words = static_cast<std::int32_t>(region.init.values.size());
    while (!region.init.values.empty() && region.init.values.back() == 0) {
      region.init.values.pop_back();
    }
    result.mix.regions.push_back(std::move(region));
  }
  SubKernel sub;
  sub.name = description.kernel;
  sub.type = description.type;
  sub.blocks = description.blocks;
  sub.tiling_key = description.tiling_key;
  sub.tensors = object_pool(result.mix);
  result.mix.sub_kernels.push_back(std::move(sub));
  PlanStep alone;
  alone.kind = StepKind::alone;
  alone.sub_kernels = {0};
  result.plan.steps.push_back(std::move(alone));
  return result;
}

std::string golden_difference(const OperatorDescription& description, const GmLayout& layout,
                              const std::vector<std::uint32_t>& memory) {
  std::size_t region = 0;
  for (const KernelArgument& argument : description.arguments) {
    if (argument.kind != ArgumentKind::buffer) continue;
    const auto base = static_cast<std::size_t>(layout.base[region++]);
    if (!argument.golden) continue;
    const std::vector<std::uint32_t> golden = words_of(argument, *argument.golden);
    for (std::size_t w = 0; w < golden.size(); ++w) {
      if (memory[base + w] == golden[w]) continue;
      return fmt::format("word {} of `{}` is {:#010x}, golden is {:#010x}", w, argument.name,
                         memory[base + w], golden[w]);
    }
  }
  return {};
}

}  // namespace skcts::ascendc
