#include "harness/campaign/certificate_sign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skcts::campaign {
namespace {

/// The key of RFC 8032, section 7.1, test 1, whose signatures are published.
constexpr std::string_view known_key =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
    "-----END PRIVATE KEY-----\n";

TEST(CertificateSign, HashesAreThoseOfTheStandard) {
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(CertificateSign, SignaturesAreThoseOfTheStandard) {
  const Result<Signature> made = sign("", known_key, "key.pem");
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_EQ(made->hex,
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
            "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b");
  EXPECT_TRUE(check_signature("", made->hex, made->public_key, "key.pub"));
  EXPECT_FALSE(check_signature("x", made->hex, made->public_key, "key.pub"));
  EXPECT_FALSE(check_signature("", made->hex.substr(2), made->public_key, "key.pub"));
  EXPECT_FALSE(check_signature("", "zz" + made->hex.substr(2), made->public_key, "key.pub"));
  EXPECT_EQ(key_id(made->public_key, "key.pub")->size(), 64U);
}

TEST(CertificateSign, SaysWhatIsNoKey) {
  const Result<Signature> none = sign("", "no key", "key.pem");
  ASSERT_FALSE(none);
  EXPECT_THAT(to_string(none.error()), testing::HasSubstr("key.pem: is no private key of Ed25519"));
  EXPECT_THAT(to_string(none.error()), testing::HasSubstr("openssl genpkey"));
  const Result<void> no_public = check_signature("", "", known_key, "key.pub");
  ASSERT_FALSE(no_public.ok());
  EXPECT_THAT(to_string(no_public.error()), testing::HasSubstr("is no public key of Ed25519"));
}

}  // namespace
}  // namespace skcts::campaign
