// `skcts certify` from outside, and the certificates that the operators of spec/operators get.
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/campaign/certificate_archive.h"
#include "harness/campaign/certificate_sign.h"
#include "harness/skcts/tests/child.h"
#include "spec/case_text.h"
#include "spec/embedded.h"
#include "spec/operator_text.h"

namespace skcts::program {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

ChildResult skcts(const std::vector<std::string>& arguments) {
  return run_child(SKCTS_BINARY, arguments);
}

std::string path_of(const std::string& name) {
  return std::string(SKCTS_SOURCE_DIR "/spec/operators/") + name + ".json";
}

/// What the analysis does not see of an operator yet, and the target shows.
const std::set<std::string>& shown_by_the_target_alone() {
  // A word is polled before its transfer has ended (L-30=torn): the poll orders too much.
  static const std::set<std::string> names = {"sequential_block_sync"};
  return names;
}

class Certificates : public testing::TestWithParam<std::string> {};

TEST_P(Certificates, AreAsExpected) {
  const std::string text = read_text(GetParam());
  const Result<Operator> value = read_operator(text, GetParam());
  ASSERT_TRUE(value) << to_string(value.error());
  const ExpectedCertificate& expect = *value->expect;
  const std::string folder = empty_folder("certify_" + value->name);
  const ChildResult result = skcts({"certify", GetParam(), "--out", folder});
  EXPECT_EQ(result.exit_code, expect.certified ? 0 : 1) << result.out << result.err;
  if (expect.certified) {
    EXPECT_THAT(result.out, StartsWith(value->name + ": certified\n"));
  } else if (shown_by_the_target_alone().contains(value->name)) {
    EXPECT_THAT(result.out, HasSubstr("the target: ws["));
  } else {
    EXPECT_THAT(result.out, StartsWith(value->name + ": refused [" + expect.rule + "]\n"));
    // The smallest mix shows the rule to whoever gets the file.
    const std::string small = folder + "/" + value->name + "-" + expect.rule + ".json";
    EXPECT_THAT(skcts({"explain", small}).out, HasSubstr(expect.rule));
  }
}

std::vector<std::string> operator_files() {
  std::vector<std::string> paths;
  for (const EmbeddedFile& file : embedded_operators()) {
    paths.push_back(std::string(SKCTS_SOURCE_DIR) + "/" + std::string(file.name));
  }
  return paths;
}

std::string name_of_test(const testing::TestParamInfo<std::string>& file) {
  std::string name = std::filesystem::path(file.param).stem().string();
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Operators, Certificates, testing::ValuesIn(operator_files()),
                         name_of_test);

TEST(CertifyCommand, SaysWhatIsWrongWithItsInput) {
  const std::string folder = empty_folder("certify_input");
  const std::string file = folder + "/o.json";
  std::string text = read_text(path_of("sk-paren-write"));
  text.replace(text.find("AIV_ONLY"), 8, "AIV_ONYL");
  write_text(file, text);
  const ChildResult misspelt = skcts({"certify", file});
  EXPECT_EQ(misspelt.exit_code, 2);
  EXPECT_THAT(misspelt.err, HasSubstr("o.json:12:13: sub_kernel.type"));
  EXPECT_THAT(misspelt.err, HasSubstr("did you mean 'AIV_ONLY'?"));
  EXPECT_EQ(skcts({"certify", folder + "/none.json"}).exit_code, 2);
  EXPECT_EQ(skcts({"certify", path_of("sk-paren-write"), "--profile", "a9"}).exit_code, 2);
  EXPECT_EQ(skcts({"certify", path_of("sk-paren-write"), "--target", "moon"}).exit_code, 2);
}

TEST(CertifyCommand, ASmokeRunCertifiesNothing) {
  const std::string folder = empty_folder("certify_smoke");
  const ChildResult smoke =
      skcts({"certify", path_of("add-tpipe-tque"), "--smoke", "--out", folder});
  EXPECT_EQ(smoke.exit_code, 1);
  EXPECT_THAT(smoke.out, HasSubstr("a smoke run certifies nothing"));
}

/// The same archive with one text in one of its files changed. `again`: the list of hashes follows,
/// as one who forges would have it.
std::string forged(const std::string& archive, const std::string& file, std::string_view what,
                   std::string_view by, bool again) {
  campaign::ArchiveFiles files = campaign::unpacked(archive, "a.zip").value();
  std::string& text = files.at(file);
  const std::string before = campaign::sha256(text);
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  text.replace(at, what.size(), by);
  std::string& list = files.at("certificate.json");
  if (again) list.replace(list.find(before), before.size(), campaign::sha256(text));
  return campaign::packed(files);
}

class CertificateFiles : public testing::Test {
 protected:
  CertificateFiles() {
    write_text(folder_ + "/key.pem",
               "-----BEGIN PRIVATE KEY-----\n"
               "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
               "-----END PRIVATE KEY-----\n");
    write_text(folder_ + "/score.json", R"({"defects": 75, "killed": 75})");
  }
  /// The archive of an operator's certificate.
  std::string certified(const std::string& name, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"certify", path_of(name), "--out", folder_};
    words.insert(words.end(), more.begin(), more.end());
    made_ = skcts(words);
    std::string file = name;
    std::ranges::replace(file, '-', '_');
    return read_text(folder_ + "/" + file + ".certificate.zip");
  }
  ChildResult verified(const std::string& archive, std::vector<std::string> more = {}) {
    write_text(folder_ + "/c.zip", archive);
    more.insert(more.begin(), {"verify-certificate", folder_ + "/c.zip"});
    return skcts(more);
  }

  std::string folder_ = empty_folder("certificate_files");
  ChildResult made_;
};

TEST_F(CertificateFiles, HoldAndSayWhoSignedThem) {
  const std::string archive = certified(
      "sk-paren-write", {"--key", folder_ + "/key.pem", "--score", folder_ + "/score.json"});
  EXPECT_EQ(made_.exit_code, 1) << made_.err;
  const ChildResult all = verified(archive, {"--all"});
  EXPECT_EQ(all.exit_code, 0) << all.out << all.err;
  EXPECT_THAT(all.out, StartsWith("sk_paren_write: refused [CACHE-11] on "));
  EXPECT_THAT(all.out, HasSubstr("whose it is, --key tells"));
  EXPECT_THAT(all.out, HasSubstr("\nverifies\n"));
  const campaign::ArchiveFiles files = campaign::unpacked(archive, "a.zip").value();
  EXPECT_THAT(files.at("certificate.html"), HasSubstr("75 of 75 seeded defects killed"));
  EXPECT_EQ(read_case(files.at("smallest/CACHE-11.json"), "s")->mix.sub_kernels.size(), 1U);
  write_text(folder_ + "/key.pub", files.at("certificate.pub"));
  EXPECT_THAT(verified(archive, {"--key", folder_ + "/key.pub"}).out, HasSubstr(", the one given"));
  // Whoever changes the certificate cannot sign it; the key in the archive is only a name.
  const ChildResult changed =
      verified(forged(archive, "certificate.json", "\"seed\": 1", "\"seed\": 2", false));
  EXPECT_EQ(changed.exit_code, 1);
  EXPECT_THAT(changed.out, HasSubstr("the signature is not that of this key"));
  const std::string unsigned_one = certified("sk-paren-write");
  const ChildResult asked = verified(unsigned_one, {"--key", folder_ + "/key.pub"});
  EXPECT_EQ(asked.exit_code, 1);
  EXPECT_THAT(asked.out, HasSubstr("it is not signed, and --key asks for a signature"));
}

TEST_F(CertificateFiles, ShowWhatWasChanged) {
  const std::string archive = certified("sk-paren-write");
  const auto says = [&](const std::string& changed, const char* text) {
    const ChildResult result = verified(changed, {"--all"});
    EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
    EXPECT_THAT(result.out, HasSubstr(text));
  };
  says(forged(archive, "operator.json", "AIV_ONLY", "AIC_ONLY", false),
       "operator.json is not the listed one");
  says(forged(archive, "cases/0001.json", "AIV_ONLY", "AIC", false), "cases/0001.json has ");
  says(forged(archive, "certificate.json", "\"verdict\": \"refused\"",
              "\"verdict\": \"certified\"", false),
       "from its cases follows 'refused'");
  // A case that stays valid and is another one, its hash put right.
  says(forged(archive, "cases/0001.json", "\"value\": 1", "\"value\": 2", true),
       "cases/0001.json does not hold the operator");
  campaign::ArchiveFiles files = campaign::unpacked(archive, "a.zip").value();
  files.erase("cases/0002.json");
  says(campaign::packed(files), "cases/0002.json is listed and missing");
  files = campaign::unpacked(archive, "a.zip").value();
  files.emplace("more.txt", "");
  says(campaign::packed(files), "more.txt is there and not listed");
}

TEST_F(CertificateFiles, TellAnotherVersionFromAForgery) {
  const std::string archive = certified("sk-paren-write");
  constexpr std::string_view listed = R"("behaviour": "completes", "rule": "CACHE-11")";
  constexpr std::string_view other = R"("behaviour": "may-stall", "rule": "CACHE-11")";
  const std::string same = forged(archive, "certificate.json", listed, other, false);
  const ChildResult own = verified(same, {"--all"});
  EXPECT_EQ(own.exit_code, 1);
  EXPECT_THAT(own.out, HasSubstr("this very program judges otherwise"));
  const ChildResult earlier = verified(
      forged(same, "certificate.json", "\"suite\": \"", "\"suite\": \"0.0.1-", false), {"--all"});
  EXPECT_EQ(earlier.exit_code, 1);
  EXPECT_THAT(earlier.out, HasSubstr("judged differently by skcts "));
  EXPECT_THAT(earlier.out, testing::Not(HasSubstr("does not verify")));
}

TEST_F(CertificateFiles, StartNothingThatAnArchiveNames) {
  const std::string archive = forged(certified("sk-paren-write"), "certificate.json",
                                     "\"target\": \"emulator\"", "\"target\": \"exec:x\"", false);
  const ChildResult result = verified(archive);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--target names what runs the mixes again"));
  EXPECT_EQ(verified(archive, {"--target", "emulator"}).exit_code, 0);
}

TEST_F(CertificateFiles, AreNothingElse) {
  EXPECT_THAT(verified("no archive").err, HasSubstr("is no zip archive"));
  EXPECT_EQ(verified("no archive").exit_code, 2);
  const ChildResult empty = verified(campaign::packed({{"a.txt", ""}}));
  EXPECT_EQ(empty.exit_code, 2);
  EXPECT_THAT(empty.err, HasSubstr("has no certificate.json"));
  EXPECT_EQ(skcts({"verify-certificate", folder_ + "/none.zip"}).exit_code, 2);
  certified("sk-paren-write", {"--key", folder_ + "/score.json"});
  EXPECT_EQ(made_.exit_code, 2);
  EXPECT_THAT(made_.err, HasSubstr("is no private key of Ed25519"));
  std::filesystem::remove(folder_ + "/add_tpipe_tque.certificate.zip");
  EXPECT_EQ(skcts({"certify", path_of("add-tpipe-tque"), "--smoke", "--out", folder_}).exit_code,
            1);
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/add_tpipe_tque.certificate.zip"));
}

}  // namespace
}  // namespace skcts::program
