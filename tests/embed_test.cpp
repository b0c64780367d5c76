// Embedded files arrive byte for byte, whatever CMake or C++ might read into them.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "spec/embedded.h"

namespace skcts::repository {

std::span<const EmbeddedFile> embedded_samples();
std::span<const EmbeddedFile> embedded_nothing();

namespace {

TEST(Embed, KeepsOrderNamesAndBytes) {
  const auto files = embedded_samples();
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].name, "tests/data/special.txt");
  EXPECT_EQ(files[1].name, "tests/data/empty.txt");
  for (const EmbeddedFile& file : files) {
    std::ifstream in(std::filesystem::path(SKCTS_SOURCE_DIR) / file.name, std::ios::binary);
    ASSERT_TRUE(in) << file.name;
    EXPECT_EQ(file.text, std::string(std::istreambuf_iterator<char>(in), {})) << file.name;
  }
  EXPECT_GT(files[0].text.size(), 100U);
  EXPECT_TRUE(files[1].text.empty());
}

TEST(Embed, NoFilesGiveAnEmptyTable) {
  EXPECT_TRUE(embedded_nothing().empty());
}

}  // namespace
}  // namespace skcts::repository
