// Bytes of a hostile partner through the frame decoder, cut at many places.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "harness/wire/frame.h"
#include "spec/check.h"

// NOLINTNEXTLINE: the name is libFuzzer's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = 1 + data[0] % 32;
  const std::string bytes(data + 1, data + size);
  skcts::wire::FrameDecoder whole(1 << 16);
  skcts::wire::FrameDecoder cut(1 << 16);
  std::string all;
  std::string in_pieces;
  std::string text;
  whole.add(bytes);
  while (whole.take(text)) all += text + '\n';
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    cut.add(std::string_view(bytes).substr(at, piece));
    while (cut.take(text)) in_pieces += text + '\n';
  }
  SKCTS_CHECK(all == in_pieces, "frames hang on how they are cut");
  SKCTS_CHECK(whole.broken() == cut.broken(), "so does what breaks them");
  return 0;
}
