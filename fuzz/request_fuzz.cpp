// Texts of a hostile suite, with case text in them.
#include <cstddef>
#include <cstdint>
#include <string>

#include "harness/wire/message.h"
#include "spec/check.h"
#include "spec/validate.h"

// NOLINTNEXTLINE: the name is libFuzzer's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace skcts;
  const std::string text(data, data + size);
  const Result<wire::Request> request = wire::read_request(text);
  if (!request) return 0;
  const auto* const hello = std::get_if<wire::Hello>(&*request);
  if (hello != nullptr && hello->protocol != wire::protocol_version) return 0;
  const auto* const run = std::get_if<wire::Run>(&*request);
  // Only a valid case has canonical text.
  if (run != nullptr && !validate(run->test_case).empty()) return 0;
  const std::string written = wire::write_request(*request);
  const Result<wire::Request> again = wire::read_request(written);
  SKCTS_CHECK(again.ok(), "what was written cannot be read: {}", to_string(again.error()));
  SKCTS_CHECK(wire::write_request(*again) == written, "written twice, not the same");
  return 0;
}
