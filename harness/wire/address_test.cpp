#include "harness/wire/address.h"

#include <string>

#include <gtest/gtest.h>

namespace skcts::wire {
namespace {

TEST(Address, SurvivesItsText) {
  for (const char* text : {"unix:/tmp/a.sock", "tcp:127.0.0.1:7400", "tcp:[::1]:1",
                           "tls:10.0.0.1:65535", "exec:./adapter --flag 'a b'"}) {
    const auto read = parse_target_address(text);
    ASSERT_TRUE(read.ok()) << text;
    EXPECT_EQ(to_string(*read), text);
  }
  EXPECT_EQ(parse_listen_address("stdio")->kind, AddressKind::stdio);
  EXPECT_EQ(parse_listen_address("tcp:localhost:0")->port, 0);
}

std::string hint_of(const Result<Address>& result) {
  return result ? "" : result.error().message + " | " + result.error().hint;
}

TEST(Address, WhatIsNoneSaysWhatIsExpected) {
  EXPECT_NE(hint_of(parse_target_address("unix:")).find("unix:/tmp"), std::string::npos);
  EXPECT_NE(hint_of(parse_target_address("tcp:7400")).find("HOST:PORT"), std::string::npos);
  EXPECT_NE(hint_of(parse_target_address("tcp:localhost:99999")).find("no port"),
            std::string::npos);
  EXPECT_NE(hint_of(parse_target_address("exec:")).find("command"), std::string::npos);
  EXPECT_NE(hint_of(parse_target_address("stdio")).find("no address"), std::string::npos);
  EXPECT_NE(hint_of(parse_listen_address("exec:a")).find("stdio"), std::string::npos);
  EXPECT_FALSE(parse_target_address("unix:" + std::string(108, 'x')).ok());
  EXPECT_TRUE(parse_target_address("unix:" + std::string(107, 'x')).ok());
}

TEST(Address, PlainTcpStaysOnThisMachine) {
  for (const char* host : {"0.0.0.0", "10.1.2.3", "example.org", "[::]", "1270.0.0.1"}) {
    const std::string text = std::string("tcp:") + host + ":7400";
    EXPECT_NE(hint_of(parse_listen_address(text)).find("tls:"), std::string::npos) << text;
    EXPECT_FALSE(parse_target_address(text).ok()) << text;
  }
}

}  // namespace
}  // namespace skcts::wire
