// SHA-256 and Ed25519 by OpenSSL.
#include "harness/campaign/certificate_sign.h"

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "spec/check.h"

namespace skcts::campaign {
namespace {

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
struct FreeKey {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Bio = std::unique_ptr<BIO, FreeBio>;
using Key = std::unique_ptr<EVP_PKEY, FreeKey>;
using Context = std::unique_ptr<EVP_MD_CTX, FreeContext>;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string hex_of(const unsigned char* bytes, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += fmt::format("{:02x}", bytes[i]);
  return text;
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// Empty: no hex text of whole bytes.
std::vector<unsigned char> bytes_of_hex(std::string_view hex) {
  std::vector<unsigned char> bytes;
  if (hex.size() % 2 != 0) return {};
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const int high = digit(hex[i]);
    const int low = digit(hex[i + 1]);
    if (high < 0 || low < 0) return {};
    bytes.push_back(static_cast<unsigned char>(high * 16 + low));
  }
  return bytes;
}

/// Nobody is asked for a password.
int no_password(char*, int, int, void*) {
  return -1;
}

Error key_error(std::string_view file, std::string_view what, std::string_view command) {
  return {.file = std::string(file),
          .message = fmt::format("is no {} of Ed25519 in PEM, or has a password", what),
          .hint = fmt::format("'{}' makes one", command)};
}

Result<Key> read_key(std::string_view pem, bool secret, std::string_view file) {
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  Key key(secret ? PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr)
                 : PEM_read_bio_PUBKEY(bio.get(), nullptr, no_password, nullptr));
  if (key && EVP_PKEY_get_base_id(key.get()) == EVP_PKEY_ED25519) return key;
  return secret ? key_error(file, "private key", "openssl genpkey -algorithm ed25519 -out key.pem")
                : key_error(file, "public key", "openssl pkey -in key.pem -pubout -out key.pub");
}

}  // namespace

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int count = 0;
  const int done =
      EVP_Digest(bytes.data(), bytes.size(), digest.data(), &count, EVP_sha256(), nullptr);
  SKCTS_CHECK(done == 1, "no SHA-256");
  return hex_of(digest.data(), count);
}

Result<Signature> sign(std::string_view bytes, std::string_view key, std::string_view key_file) {
  const Result<Key> secret = read_key(key, true, key_file);
  if (!secret) return secret.error();
  const Context context(EVP_MD_CTX_new());
  std::array<unsigned char, 64> signature{};
  std::size_t count = signature.size();
  const bool done =
      EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, secret->get()) == 1 &&
      EVP_DigestSign(context.get(), signature.data(), &count, bytes_of(bytes), bytes.size()) == 1;
  SKCTS_CHECK(done, "no signature by a key that was read");
  const Bio out(BIO_new(BIO_s_mem()));
  SKCTS_CHECK(PEM_write_bio_PUBKEY(out.get(), secret->get()) == 1, "no public key");
  char* text = nullptr;
  const long length = BIO_get_mem_data(out.get(), &text);
  return Signature{hex_of(signature.data(), count),
                   std::string(text, static_cast<std::size_t>(length))};
}

Result<void> check_signature(std::string_view bytes, std::string_view hex,
                             std::string_view public_key, std::string_view key_file) {
  const Result<Key> key = read_key(public_key, false, key_file);
  if (!key) return key.error();
  const std::vector<unsigned char> signature = bytes_of_hex(hex);
  const Context context(EVP_MD_CTX_new());
  const bool good =
      signature.size() == 64 &&
      EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key->get()) == 1 &&
      EVP_DigestVerify(context.get(), signature.data(), signature.size(), bytes_of(bytes),
                       bytes.size()) == 1;
  if (good) return {};
  return Error{.file = std::string(key_file), .message = "the signature is not that of this key"};
}

Result<std::string> key_id(std::string_view public_key, std::string_view key_file) {
  const Result<Key> key = read_key(public_key, false, key_file);
  if (!key) return key.error();
  unsigned char* der = nullptr;
  const int length = i2d_PUBKEY(key->get(), &der);
  SKCTS_CHECK(length > 0, "no encoding of a key that was read");
  const std::unique_ptr<unsigned char, void (*)(unsigned char*)> owner(
      der, [](unsigned char* p) { OPENSSL_free(p); });
  return sha256({reinterpret_cast<const char*>(der), static_cast<std::size_t>(length)});
}

}  // namespace skcts::campaign
