#include "spec/text_file.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace skcts {
namespace {

/// A folder of its own for each test; gone with it.
class TextFile : public testing::Test {
 protected:
  TextFile() {
    std::string name = testing::TempDir() + "/skcts-text-XXXXXX";
    if (mkdtemp(name.data()) != nullptr) folder_ = name;
  }
  ~TextFile() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }
  /// What reading says, without the path of the folder.
  [[nodiscard]] std::string error(const std::string& name, std::size_t most = 10) const {
    const Result<std::string> read = read_text_file(path(name), most);
    return read ? "read" : to_string(read.error()).substr(folder_.size() + 1);
  }

 private:
  std::string folder_;
};

TEST_F(TextFile, IsReadToItsEnd) {
  std::ofstream(path("ten")) << "0123456789";
  EXPECT_EQ(read_text_file(path("ten"), 10).value(), "0123456789");
  EXPECT_EQ(error("ten", 9), "ten: the file has more than 9 bytes");
  const std::string large(200'000, 'x');
  std::ofstream(path("large")) << large;
  EXPECT_EQ(read_text_file(path("large"), 200'000).value(), large);
}

TEST_F(TextFile, WhatIsNoRegularFileIsAnErrorAtOnce) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  std::filesystem::create_directory(path("folder"));
  EXPECT_EQ(error("none"),
            "none: the file cannot be opened: No such file or directory (check the "
            "path)");
  EXPECT_EQ(error("pipe"),
            "pipe: this is no regular file (pipes and devices are not read; write "
            "it to a file)");
  EXPECT_EQ(error("folder"), "folder: this is a folder (name a file in it)");
  EXPECT_FALSE(read_text_file("/dev/zero", 10));
  EXPECT_EQ(to_string(read_text_file("", 10).error()), "'': this names no file");
}

}  // namespace
}  // namespace skcts
