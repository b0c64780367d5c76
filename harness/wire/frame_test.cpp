#include "harness/wire/frame.h"

#include <string>

#include <gtest/gtest.h>

namespace skcts::wire {
namespace {

using namespace std::string_literals;

TEST(Frame, IsLengthAndText) {
  EXPECT_EQ(frame_of("{}"), "\0\0\0\2{}"s);
  EXPECT_EQ(frame_of(std::string(258, 'x')).substr(0, 5), "\0\0\1\2x"s);
}

TEST(Frame, ComesOutHoweverItIsCut) {
  const std::string bytes = frame_of("first") + frame_of("2") + frame_of("the third");
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    FrameDecoder decoder;
    std::string all;
    std::string text;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      decoder.add(std::string_view(bytes).substr(at, piece));
      while (decoder.take(text)) all += text + '|';
    }
    EXPECT_EQ(all, "first|2|the third|") << piece;
    EXPECT_EQ(decoder.pending(), 0u);
  }
}

TEST(Frame, BothSidesOfTheLimit) {
  std::string text;
  FrameDecoder fits(4);
  fits.add(frame_of("abcd"));
  EXPECT_TRUE(fits.take(text));
  FrameDecoder too_long(4);
  too_long.add(frame_of("abcde"));
  EXPECT_FALSE(too_long.take(text));
  EXPECT_EQ(too_long.broken(), "a frame of 5 bytes: 1 to 4 are allowed");
  too_long.add(frame_of("ok"));
  EXPECT_FALSE(too_long.take(text));
  FrameDecoder empty;
  empty.add("\0\0\0\0"s);
  EXPECT_FALSE(empty.take(text));
  EXPECT_NE(empty.broken(), "");
}

TEST(Frame, AHalfFrameIsPending) {
  FrameDecoder decoder;
  decoder.add(frame_of("abc").substr(0, 6));
  std::string text;
  EXPECT_FALSE(decoder.take(text));
  EXPECT_EQ(decoder.pending(), 6u);
  EXPECT_EQ(decoder.broken(), "");
}

}  // namespace
}  // namespace skcts::wire
