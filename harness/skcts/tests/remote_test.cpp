// Targets in other processes, through the program: the same verdicts, and broken adapters found.
#include <csignal>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/skcts/tests/child.h"

namespace skcts::program {
namespace {

constexpr const char* binary = SKCTS_BINARY;
const std::string python_target = SKCTS_SOURCE_DIR "/harness/adapter/python_target.py";

std::string serving(const std::string& target = "emulator") {
  return std::string("exec:") + binary + " serve --listen stdio --target " + target;
}

/// A journal without the line that names the target, and without what names the folder.
std::string journal_of(const std::string& folder, const std::string& target) {
  std::string text = read_text(folder + "/journal.jsonl");
  text.erase(0, text.find('\n') + 1);
  for (const std::string& word : {folder, target}) {
    for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at)) {
      text.replace(at, word.size(), "X");
    }
  }
  return text;
}

TEST(RemoteTarget, GivesTheVerdictsOfTheEmbeddedRun) {
  for (const std::string target : {"emulator", "emulator:defect=feed-missing"}) {
    const std::string here = empty_folder("embedded");
    const std::string there = empty_folder("remote");
    const std::vector<std::string> rest = {"--cases", "12", "--seed", "5",
                                           "--gtest_filter=Sync.*:Fuse.*"};
    std::vector<std::string> embedded = {"run", "--target", target, "--out", here};
    std::vector<std::string> remote = {"run", "--target", serving(target), "--out", there};
    embedded.insert(embedded.end(), rest.begin(), rest.end());
    remote.insert(remote.end(), rest.begin(), rest.end());
    const ChildResult a = run_child(binary, embedded);
    const ChildResult b = run_child(binary, remote);
    EXPECT_EQ(a.exit_code, b.exit_code) << b.err;
    EXPECT_EQ(journal_of(here, target), journal_of(there, serving(target)));
    EXPECT_NE(journal_of(here, target).find("SYNC-1"), std::string::npos);
  }
}

TEST(RemoteTarget, ATargetThatIsNotThereIsLost) {
  const ChildResult run = run_child(
      binary, {"run", "--target", "unix:/nowhere/at/all", "--out", empty_folder("nowhere")});
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_NE(run.err.find("is the target running?"), std::string::npos);
  EXPECT_EQ(run_child(binary, {"run", "--target", "exec:false"}).exit_code, 4);
}

TEST(RemoteTarget, WhatCannotBeAnAddressIsAUsageError) {
  EXPECT_EQ(run_child(binary, {"run", "--target", "tcp:10.0.0.1:7400"}).exit_code, 2);
  EXPECT_EQ(run_child(binary, {"run", "--target", "unix:"}).exit_code, 2);
  EXPECT_EQ(run_child(binary, {"serve", "--listen", "tcp:0.0.0.0:0"}).exit_code, 2);
  EXPECT_EQ(run_child(binary, {"serve", "--listen", "stdio", "--target", "x"}).exit_code, 2);
  const ChildResult layers = run_child(
      binary, {"run", "--target", serving(), "--case-deadline", "1000", "--session-deadline", "5"});
  EXPECT_EQ(layers.exit_code, 2);
  EXPECT_NE(layers.err.find("leaves no room"), std::string::npos) << layers.err;
}

/// An authority with a certificate for each side, below a new folder.
std::string certificates(const std::string& name) {
  const std::string folder = empty_folder(name);
  const std::string key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ";
  write_text(folder + "/names", "subjectAltName=IP:127.0.0.1");
  const std::string script =
      "cd " + folder + " && exec 2>/dev/null && openssl req -x509 " + key +
      "ca.key -out ca.pem -days 2 -subj /CN=ca && for n in server client; do openssl req " + key +
      "$n.key -out $n.csr -subj /CN=$n && openssl x509 -req -in $n.csr -CA ca.pem -CAkey ca.key "
      "-CAcreateserial -out $n.pem -days 2 -extfile names || exit 1; done";
  EXPECT_EQ(run_child("/bin/sh", {"-c", script}).exit_code, 0);
  return folder;
}

TEST(Tls, ServesThoseWhoseCertificateItsAuthoritySigned) {
  const std::string ours = certificates("ours");
  const std::string others = certificates("others");
  // The server is a child of a shell that ends it; the port it found is in its output.
  const std::string log = ours + "/log";
  const std::string pid = ours + "/pid";
  run_child("/bin/sh", {"-c", std::string("timeout 60 ") + binary +
                                  " serve --listen tls:127.0.0.1:0" + " --tls-cert " + ours +
                                  "/server.pem --tls-key " + ours + "/server.key --tls-ca " + ours +
                                  "/ca.pem >" + log + " 2>&1 </dev/null & echo $! >" + pid +
                                  "; for i in $(seq 200); do grep -q listening " + log +
                                  " && exit 0; sleep 0.05; done; exit 1"});
  const std::string said = read_text(log);
  const std::size_t at = said.find("tls:");
  ASSERT_NE(at, std::string::npos) << said;
  const std::string address = said.substr(at, said.find('\n', at) - at);
  const auto check = [&](const std::string& from, const std::string& authority) {
    return run_child(binary,
                     {"check-target", address, "--tls-cert", from + "/client.pem", "--tls-key",
                      from + "/client.key", "--tls-ca", authority + "/ca.pem"});
  };
  EXPECT_EQ(check(ours, ours).exit_code, 0);
  const ChildResult stranger = check(others, ours);
  EXPECT_EQ(stranger.exit_code, 4);
  EXPECT_NE(stranger.err.find("TLS"), std::string::npos) << stranger.err;
  const ChildResult doubter = check(ours, others);
  EXPECT_EQ(doubter.exit_code, 4);
  EXPECT_NE(doubter.err.find("certificate verify failed"), std::string::npos) << doubter.err;
  EXPECT_EQ(run_child(binary, {"check-target", address}).exit_code, 2);
  EXPECT_EQ(run_child(binary, {"serve", "--listen", "tls:0.0.0.0:0"}).exit_code, 2);
  run_child("/bin/sh", {"-c", "kill $(cat " + pid + ")"});
}

TEST(CheckTarget, PassesTheEmulatorAndTheExample) {
  EXPECT_EQ(run_child(binary, {"check-target", serving()}).exit_code, 0);
  const ChildResult python = run_child(binary, {"check-target", "exec:python3 " + python_target});
  EXPECT_EQ(python.exit_code, 0) << python.out;
}

/// One word of the Python target is changed; the check that has to notice.
struct Broken {
  const char* from;
  const char* to;
  const char* check;
};

TEST(CheckTarget, NamesWhatIsBroken) {
  const std::vector<Broken> all = {
      {R"(message.get("tag", ""))", R"("")", "the tag comes back unchanged"},
      {R"({"type": "pong", "id": message["id"]})", R"({"type": "pong", "id": 0})", "ping"},
      {R"({"type": "reset", "id": message["id"]})", "None", "reset is answered"},
      {R"(return {"type": "state", "id": message["id"], "known": False})", "return None",
       "the state of a case that does not run"},
      {R"(if kind == "cancel":)", R"(if kind == "cancelled":)", "to cancel a case"},
      {R"("name": "copying machine in Python")", R"("name": "")", "hello has a name"},
      {R"("instructions": ["DataCopy",)", R"("instructions": ["DataCopies", "DataCopy",)",
       "the instructions are known"},
      {R"("options": ["early-start"])", R"("options": ["early-start"], "paths": ["eg"])",
       "the paths are known"},
      {R"("honours_schedules": False)", R"("honours_schedules": False, "profile": "a9")",
       "the profile is known"},
      {R"("options": ["early-start"])", R"("options": ["early-start", "early-start"])",
       "no list names anything twice"},
      {"raise Refuse(step[\"op\"])", "pass", "what is not claimed is not supported"},
      {"to + step[\"count\"]]", "to + 8]", "a known good case completes"},
      {R"("memory": memory})", R"("memory": memory[:-1]})", "a known good case completes"},
      {"    memory, base = initial_memory(mix.get(\"regions\", []))",
       "    global kept\n"
       "    kept = globals().get('kept') or initial_memory(mix.get('regions', []))\n"
       "    memory, base = kept",
       "no case leaves anything"},
      {"raise ValueError(f\"unexpected message {kind}\")", "return {\"type\": \"pong\", \"id\": 1}",
       "an unknown message"},
      {R"(message["type"] == "goodbye")", R"(message["type"] == "bye")", "goodbye closes"},
      {R"("honours_schedules": False)", R"("counts": ["launch"])", "counts are told"},
  };
  const std::string text = read_text(python_target);
  const std::string folder = empty_folder("broken");
  int number = 0;
  for (const Broken& broken : all) {
    std::string changed = text;
    const std::size_t at = changed.find(broken.from);
    ASSERT_NE(at, std::string::npos) << broken.from;
    changed.replace(at, std::string(broken.from).size(), broken.to);
    const std::string file = folder + "/" + std::to_string(number++) + ".py";
    write_text(file, changed);
    const ChildResult checked =
        run_child(binary, {"check-target", "exec:python3 " + file, "--case-deadline", "400"});
    EXPECT_NE(checked.exit_code, 0) << broken.to << "\n" << checked.out;
    bool named = false;
    for (std::size_t line = checked.out.find("NO  "); line != checked.out.npos;
         line = checked.out.find("NO  ", line + 1)) {
      const std::string words = checked.out.substr(line, checked.out.find('\n', line) - line);
      named = named || words.find(broken.check) != std::string::npos;
    }
    EXPECT_TRUE(named) << broken.to << "\n" << checked.out << checked.err;
  }
}

}  // namespace
}  // namespace skcts::program
