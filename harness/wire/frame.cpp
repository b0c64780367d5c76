// Length and text, into bytes and back.
#include "harness/wire/frame.h"

#include <fmt/format.h>

#include "spec/check.h"

namespace skcts::wire {
namespace {

constexpr std::size_t header_bytes = 4;

std::size_t length_at(std::string_view bytes) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < header_bytes; ++i) {
    length = length << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return length;
}

}  // namespace

std::string frame_of(std::string_view text) {
  SKCTS_CHECK(!text.empty() && text.size() <= max_frame_bytes, "a frame of {} bytes", text.size());
  std::string frame;
  frame.reserve(header_bytes + text.size());
  for (int shift = 24; shift >= 0; shift -= 8) {
    frame += static_cast<char>(text.size() >> shift & 0xffU);
  }
  frame += text;
  return frame;
}

void FrameDecoder::add(std::string_view bytes) {
  if (!broken_.empty()) return;
  if (start_ == buffer_.size()) {
    buffer_.clear();
    start_ = 0;
  }
  buffer_ += bytes;
}

bool FrameDecoder::take(std::string& text) {
  if (!broken_.empty() || pending() < header_bytes) return false;
  const std::string_view rest = std::string_view(buffer_).substr(start_);
  const std::size_t length = length_at(rest);
  if (length == 0 || length > most_) {
    broken_ = fmt::format("a frame of {} bytes: 1 to {} are allowed", length, most_);
    buffer_.clear();
    start_ = 0;
    return false;
  }
  if (rest.size() - header_bytes < length) return false;
  text = rest.substr(header_bytes, length);
  start_ += header_bytes + length;
  // What was taken goes away once it is the larger part, so that no byte is moved often.
  if (start_ > buffer_.size() / 2) {
    buffer_.erase(0, start_);
    start_ = 0;
  }
  return true;
}

}  // namespace skcts::wire
