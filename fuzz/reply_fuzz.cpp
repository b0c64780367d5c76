// Texts of a hostile target: what is read is written, read and written again as the same.
#include <cstddef>
#include <cstdint>
#include <string>

#include "harness/wire/answer_check.h"
#include "harness/wire/message.h"
#include "spec/check.h"

// NOLINTNEXTLINE: the name is libFuzzer's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace skcts;
  const std::string text(data, data + size);
  const Result<wire::Reply> reply = wire::read_reply(text);
  if (!reply) return 0;
  if (const auto* const answer = std::get_if<wire::Answer>(&*reply)) {
    Case small;
    small.mix.regions = {{.name = "A", .words = 16}};
    small.mix.sub_kernels = {{.name = "k0"}};
    wire::misfit_of(small, answer->result);
  }
  const std::string written = wire::write_reply(*reply);
  const Result<wire::Reply> again = wire::read_reply(written);
  // Of another version only the number is kept.
  const auto* const welcome = std::get_if<wire::Welcome>(&*reply);
  if (welcome != nullptr && welcome->protocol != wire::protocol_version) return 0;
  SKCTS_CHECK(again.ok(), "what was written cannot be read: {}", to_string(again.error()));
  SKCTS_CHECK(wire::write_reply(*again) == written, "written twice, not the same");
  return 0;
}
