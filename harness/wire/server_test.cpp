// The server with workers that die and hang, and both sides on a system whose calls fail.
#include "harness/wire/server.h"

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "harness/wire/child.h"
#include "harness/wire/clock.h"
#include "harness/wire/session.h"
#include "harness/wire/testing.h"
#include "spec/check.h"

namespace skcts::wire {
namespace {

using namespace testing_partners;

/// Serves PlainTargets from a child of the test.
class Served {
 public:
  explicit Served(System& system = System::real()) {
    char folder[] = "/tmp/skcts-serve-XXXXXX";
    SKCTS_CHECK(::mkdtemp(folder) != nullptr, "no temporary folder");
    folder_ = folder;
    const auto body = [&](Fd socket) {
      ServerSettings settings;
      settings.listen = address();
      settings.system = &system;
      settings.make_target = [] { return std::make_unique<PlainTarget>(); };
      settings.listening = [&](const Address&) { System::real().write(socket.get(), "!", 1); };
      return serve(settings).ok() ? 0 : 1;
    };
    Result<Child> child = start_worker(body, System::real());
    SKCTS_CHECK(child.ok(), "no child");
    child_ = std::move(*child);
    const Fd socket = child_.take_socket();
    char one = 0;
    SKCTS_CHECK(::read(socket.get(), &one, 1) == 1, "nobody listens");
  }
  ~Served() {
    child_.kill();
    ::unlink(address().text.c_str());
    ::rmdir(folder_.c_str());
  }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;
  [[nodiscard]] Address address() const {
    return {.kind = AddressKind::unix_socket, .text = folder_ + "/s"};
  }

 private:
  std::string folder_;
  Child child_;
};

std::unique_ptr<Session> session_with(const Served& served) {
  auto session = Session::open(served.address(), {}, 5'000, System::real());
  SKCTS_CHECK(session.ok(), "{}", to_string(session.error()));
  return std::move(*session);
}

wire::Run run_of(std::uint64_t id, std::uint32_t first, std::int64_t deadline_ms = 5'000) {
  return {.id = id, .tag = "t", .deadline_ms = deadline_ms, .test_case = small_case(first)};
}

TEST(Server, ADeadWorkerCostsOneCase) {
  const Served served;
  auto target = RemoteTarget::open(quick(served.address()));
  ASSERT_TRUE(target.ok());
  const RunResult dead = (*target)->run(small_case(13), {});
  EXPECT_EQ(dead.end, RunEnd::crash);
  EXPECT_NE(dead.detail.find("signal 9"), std::string::npos) << dead.detail;
  EXPECT_EQ(dead.probe, Probe::passed);
  EXPECT_EQ((*target)->run(small_case(2), {}).end, RunEnd::answered);
}

TEST(Server, AWorkerThatHangsIsStoppedAtTheDeadline) {
  const Served served;
  auto target = RemoteTarget::open(quick(served.address()));
  ASSERT_TRUE(target.ok());
  const RunResult late = (*target)->run(small_case(14), {});
  EXPECT_EQ(late.end, RunEnd::timeout);
  EXPECT_NE(late.detail.find("stopped after 200 ms"), std::string::npos) << late.detail;
  EXPECT_EQ((*target)->run(small_case(2), {}).end, RunEnd::answered);
}

TEST(Server, ADeathInAPipelineLosesNobodyElse) {
  const Served served;
  const auto session = session_with(served);
  for (std::uint64_t id = 0; id < 12; ++id) {
    session->send(run_of(id, id == 5 ? 13 : id == 8 ? 14 : 1, 500));
  }
  std::set<std::uint64_t> answered;
  while (answered.size() < 12) {
    const auto reply = session->receive(10'000);
    ASSERT_TRUE(reply.has_value()) << session->why();
    const Answer& answer = std::get<Answer>(*reply);
    EXPECT_TRUE(answered.insert(answer.id).second) << answer.id << " twice";
    const RunEnd expected = answer.id == 5   ? RunEnd::crash
                            : answer.id == 8 ? RunEnd::timeout
                                             : RunEnd::answered;
    EXPECT_EQ(answer.result.end, expected) << answer.id << answer.result.detail;
  }
}

TEST(Server, AHangingCaseIsCancelledOrReset) {
  const Served served;
  const auto session = session_with(served);
  session->send(run_of(1, 14));
  session->send(Ask{AskKind::state, 1});
  auto reply = session->receive(5'000);
  ASSERT_TRUE(reply.has_value());
  EXPECT_NE(std::get<wire::State>(*reply).text.find("runs for"), std::string::npos);
  session->send(Ask{AskKind::cancel, 1});
  reply = session->receive(5'000);
  ASSERT_TRUE(reply.has_value());
  EXPECT_TRUE(std::get<Answer>(*reply).cancelled);
  session->send(run_of(2, 14));
  session->send(run_of(3, 1));
  session->send(Ask{AskKind::reset, 9});
  reply = session->receive(5'000);
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(std::get<Done>(*reply), (Done{DoneKind::reset, 9}));
  session->send(run_of(4, 1));
  reply = session->receive(5'000);
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(std::get<Answer>(*reply).id, 4u);
}

TEST(Server, TheSameIdTwiceAtATimeIsAComplaint) {
  const Served served;
  const auto session = session_with(served);
  session->send(run_of(1, 14));
  session->send(run_of(1, 1));
  EXPECT_FALSE(session->receive(5'000).has_value());
  EXPECT_NE(session->why().find("asked for twice"), std::string::npos) << session->why();
}

TEST(Server, MoreThanThePipelineIsAComplaint) {
  const Served served;
  const auto session = session_with(served);
  for (std::uint64_t id = 0; id <= server_pipeline; ++id) session->send(run_of(id, 14));
  EXPECT_FALSE(session->receive(5'000).has_value());
  EXPECT_NE(session->why().find("at a time"), std::string::npos) << session->why();
}

TEST(Server, TwoConnectionsDoNotDisturbEachOther) {
  const Served served;
  const auto hanging = session_with(served);
  hanging->send(run_of(1, 14));
  auto target = RemoteTarget::open(quick(served.address()));
  ASSERT_TRUE(target.ok());
  EXPECT_EQ((*target)->run(small_case(3), {}).end, RunEnd::answered);
}

/// A system that fails as it is told; everything else is real.
class Failing : public System {
 public:
  int interrupt_every = 0;  ///< Reads and writes: EINTR.
  int again_every = 0;      ///< Reads and writes: EAGAIN.
  bool one_byte = false;    ///< Reads and writes move one byte.
  int reset_read = 0;       ///< The read of that number: ECONNRESET.
  int full_sockets = 0;     ///< The next so many sockets: EMFILE.
  int full_accepts = 0;     ///< The next so many accepts: EMFILE.
  int failing_forks = 0;    ///< The next so many forks: EAGAIN.
  int calls = 0;
  int reads = 0;

  ssize_t read(int fd, void* to, std::size_t most) override {
    if (++reads == reset_read) return failed(ECONNRESET);
    if (fails()) return -1;
    return System::read(fd, to, one_byte ? 1 : most);
  }
  ssize_t write(int fd, const void* from, std::size_t count) override {
    if (fails()) return -1;
    return System::write(fd, from, one_byte ? 1 : count);
  }
  int socket(int domain, int type) override {
    return full_sockets-- > 0 ? failed(EMFILE) : System::socket(domain, type);
  }
  int accept(int fd) override { return full_accepts-- > 0 ? failed(EMFILE) : System::accept(fd); }
  pid_t fork() override { return failing_forks-- > 0 ? failed(EAGAIN) : System::fork(); }

 private:
  static int failed(int number) {
    errno = number;
    return -1;
  }
  bool fails() {
    ++calls;
    if (interrupt_every > 0 && calls % interrupt_every == 0) return failed(EINTR) < 0;
    if (again_every > 0 && calls % again_every == 0) return failed(EAGAIN) < 0;
    return false;
  }
};

void runs_on(Failing& client, Failing& server) {
  const Served served(server);
  ClientSettings settings = quick(served.address());
  settings.deadlines.case_ms = 1'900;
  settings.system = &client;
  auto target = RemoteTarget::open(settings);
  ASSERT_TRUE(target.ok()) << to_string(target.error());
  for (std::uint32_t first = 20; first < 26; ++first) {
    const RunResult result = (*target)->run(small_case(first), {});
    ASSERT_EQ(result.end, RunEnd::answered) << result.detail;
    EXPECT_EQ(result.outcome.memory.front(), first);
  }
}

TEST(FailingSystem, InterruptedCallsGoOn) {
  Failing client;
  Failing server;
  client.interrupt_every = 2;
  server.interrupt_every = 3;
  runs_on(client, server);
  EXPECT_GT(client.calls, 12);
}

TEST(FailingSystem, OneByteAtATimeArrives) {
  Failing client;
  Failing server;
  client.one_byte = true;
  server.one_byte = true;
  runs_on(client, server);
}

TEST(FailingSystem, CallsThatWouldWaitAreRepeated) {
  Failing client;
  Failing server;
  client.again_every = 3;
  server.again_every = 5;  // not 2: each round reads once and writes once
  runs_on(client, server);
}

TEST(FailingSystem, AResetConnectionIsLostAndReplaced) {
  Failing client;
  const Served served;
  ClientSettings settings = quick(served.address());
  settings.system = &client;
  auto target = RemoteTarget::open(settings);
  ASSERT_TRUE(target.ok());
  client.reset_read = client.reads + 1;
  const RunResult result = (*target)->run(small_case(7), {});
  EXPECT_EQ(result.end, RunEnd::lost);
  EXPECT_EQ(result.probe, Probe::passed);
  EXPECT_EQ((*target)->run(small_case(8), {}).end, RunEnd::answered);
}

TEST(FailingSystem, NoDescriptorForASocketIsWaitedOut) {
  Failing client;
  const Served served;
  ClientSettings settings = quick(served.address());
  settings.system = &client;
  auto target = RemoteTarget::open(settings);
  ASSERT_TRUE(target.ok());
  client.reset_read = client.reads + 1;
  client.full_sockets = 2;
  EXPECT_EQ((*target)->run(small_case(7), {}).probe, Probe::passed);
  client.reset_read = client.reads + 1;
  client.full_sockets = 3;
  EXPECT_EQ((*target)->run(small_case(7), {}).probe, Probe::failed);
  const RunResult lost = (*target)->run(small_case(8), {});
  EXPECT_EQ(lost.end, RunEnd::device_lost);
  EXPECT_NE(lost.detail.find("Too many open files"), std::string::npos) << lost.detail;
}

TEST(FailingSystem, NoDescriptorForAConnectionIsWaitedOut) {
  Failing client;
  Failing server;
  server.full_accepts = 3;
  runs_on(client, server);
}

TEST(FailingSystem, NoProcessForACommandIsAnError) {
  Failing client;
  client.failing_forks = 1;
  ClientSettings settings = quick({.kind = AddressKind::exec, .text = "true"});
  settings.system = &client;
  const auto target = RemoteTarget::open(settings);
  ASSERT_FALSE(target.ok());
  EXPECT_NE(to_string(target.error()).find("fork"), std::string::npos);
}

TEST(Child, SaysHowItEnded) {
  auto exits = start_worker([](Fd) { return 3; }, System::real());
  ASSERT_TRUE(exits.ok());
  EXPECT_EQ(exits->end(5'000), "exit code 3");
  auto dies = start_command("sh -c 'kill -SEGV $$'", System::real());
  ASSERT_TRUE(dies.ok());
  EXPECT_NE(dies->end(5'000).find("signal 11"), std::string::npos);
  auto stays = start_command("sleep 100", System::real());
  ASSERT_TRUE(stays.ok());
  EXPECT_EQ(stays->end(20), "killed here");
  EXPECT_FALSE(stays->running());
}

}  // namespace
}  // namespace skcts::wire
