#include "harness/skcts/terminal.h"

#include <gtest/gtest.h>

namespace skcts::program {
namespace {

TEST(Terminal, ShowsLettersAndNothingThatATerminalObeys) {
  EXPECT_EQ(printable("a\x1b[31m\x07\n\x7f"), "a\\x1b[31m\\x07\\x0a\\x7f");
  EXPECT_EQ(printable("\xc3\xa9 \xe2\x86\x92 \xf0\x9f\x98\x80"),
            "\xc3\xa9 \xe2\x86\x92 \xf0\x9f\x98\x80");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b") << "a control sequence of one character";
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\xe2\\x80\\xae") << "turns what follows round";
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(printable(std::string(3000, 'x')), std::string(2000, 'x') + "... (3000 bytes)");
}

TEST(Terminal, KeepsTheLinesOfAReport) {
  EXPECT_EQ(printable_lines("a\n\x1b\n"), "a\n\\x1b\n");
  EXPECT_EQ(printable_lines(std::string(3000, 'x')), std::string(3000, 'x'));
}

}  // namespace
}  // namespace skcts::program
