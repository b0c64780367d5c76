// Frames: a 4-byte length, most significant byte first, and that many bytes of one JSON text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace skcts::wire {

/// Longest text of a frame. A longer one is refused by its length, before a byte of it is kept.
inline constexpr std::size_t max_frame_bytes = std::size_t{32} << 20;

/// The frame of a text. Precondition: at most max_frame_bytes.
std::string frame_of(std::string_view text);

/// Takes bytes as they come and gives whole texts. Bounded: holds at most one frame and what came
/// behind it in one piece.
class FrameDecoder {
 public:
  explicit FrameDecoder(std::size_t most = max_frame_bytes) : most_(most) {}

  void add(std::string_view bytes);
  /// The next text that has come whole. False: none yet, or broken().
  bool take(std::string& text);
  /// Why nothing more is taken: a frame said it is empty or too long. Empty: nothing is wrong.
  [[nodiscard]] const std::string& broken() const { return broken_; }
  /// Bytes of a frame that has not come whole.
  [[nodiscard]] std::size_t pending() const { return buffer_.size() - start_; }

 private:
  std::size_t most_;
  std::string buffer_;
  std::size_t start_ = 0;
  std::string broken_;
};

}  // namespace skcts::wire
