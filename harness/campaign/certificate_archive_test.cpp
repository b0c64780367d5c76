#include "harness/campaign/certificate_archive.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skcts::campaign {
namespace {

using testing::HasSubstr;

const ArchiveFiles& some_files() {
  static const ArchiveFiles files = {
      {"aa/b.json", "{}"}, {"c.txt", std::string(10'000, 'x')}, {"empty", ""}};
  return files;
}

std::string error_of(const std::string& bytes, const ArchiveLimits& limits = {}) {
  const Result<ArchiveFiles> read = unpacked(bytes, "a.zip", limits);
  return read ? "read" : to_string(read.error());
}

/// Every occurrence replaced by a text of the same length.
std::string patched(std::string bytes, std::string_view what, std::string_view by) {
  EXPECT_EQ(what.size(), by.size());
  int found = 0;
  for (std::size_t at = bytes.find(what); at != std::string::npos; at = bytes.find(what, at + 1)) {
    bytes.replace(at, what.size(), by);
    ++found;
  }
  EXPECT_GT(found, 0);
  return bytes;
}

TEST(CertificateArchive, GivesBackItsFilesAndIsTheSameForTheSame) {
  const std::string bytes = packed(some_files());
  EXPECT_EQ(unpacked(bytes, "a.zip").value(), some_files());
  EXPECT_EQ(packed(some_files()), bytes);
  EXPECT_LT(bytes.size(), 1000U);
}

TEST(CertificateArchive, TakesNoNameThatLeadsOut) {
  const std::string bytes = packed(some_files());
  for (const char* const name : {"../b.json", "/a/b.json", "aa//.json", "aa?b.json"}) {
    EXPECT_THAT(error_of(patched(bytes, "aa/b.json", name)),
                HasSubstr("may lead out of the archive"))
        << name;
  }
  EXPECT_FALSE(is_safe_name(""));
  EXPECT_FALSE(is_safe_name("a/.."));
  EXPECT_FALSE(is_safe_name("a\nb"));
  EXPECT_TRUE(is_safe_name("cases/0001.json"));
}

TEST(CertificateArchive, TakesEachNameOnce) {
  EXPECT_THAT(error_of(patched(packed(some_files()), "c.txt", "empty")), HasSubstr("comes twice"));
}

TEST(CertificateArchive, TakesRegularFilesAlone) {
  // The mode of an entry, -rw-r--r--, becomes that of a symbolic link.
  EXPECT_THAT(error_of(patched(packed(some_files()), "\xa4\x81", "\xa4\xa1")),
              HasSubstr("is no regular file"));
}

TEST(CertificateArchive, StopsAtItsLimitsWhateverIsClaimed) {
  const std::string bytes = packed(some_files());
  EXPECT_THAT(error_of(bytes, {.file_bytes = 5000}), HasSubstr("entry 'c.txt': holds more than"));
  EXPECT_THAT(error_of(bytes, {.all_bytes = 5000}), HasSubstr("of all, which is refused"));
  EXPECT_THAT(error_of(bytes, {.entries = 2}), HasSubstr("one more than 2"));
}

TEST(CertificateArchive, IsNotReadInPart) {
  const std::string bytes = packed(some_files());
  EXPECT_THAT(error_of("no archive at all"), HasSubstr("a.zip: is no zip archive"));
  EXPECT_NE(error_of(""), "read");
  // Torn anywhere it is an error, or what is there is whole; the certificate lists what has to be.
  int errors = 0;
  for (std::size_t size = 0; size < bytes.size(); size += 7) {
    const Result<ArchiveFiles> read = unpacked(bytes.substr(0, size), "a.zip");
    if (!read) {
      ++errors;
      continue;
    }
    for (const auto& [name, text] : *read) EXPECT_EQ(text, some_files().at(name)) << size;
  }
  EXPECT_GT(errors, 10);
}

}  // namespace
}  // namespace skcts::campaign
