// The function behind the seam, the seam behind the protocol.
#include "harness/adapter/adapter.h"

#include <cstdio>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "harness/wire/server.h"

namespace skcts::adapter {
namespace {

class FunctionTarget : public Target {
 public:
  FunctionTarget(const TargetDescription& description, const RunCase& run_case)
      : description_(description), run_case_(run_case) {}
  const TargetDescription& description() const override { return description_; }
  RunResult run(const Case& test_case, const RunRequest& request) override {
    return run_case_(test_case, request);
  }

 private:
  const TargetDescription& description_;
  const RunCase& run_case_;
};

int complain(const Error& error) {
  fmt::print(stderr, "adapter: {}\n", to_string(error));
  return 2;
}

}  // namespace

int adapter_main(int argc, const char* const* argv, const TargetDescription& description,
                 const RunCase& run_case) {
  wire::ServerSettings settings;
  settings.listen.kind = wire::AddressKind::stdio;
  if (argc > 1) {
    if (argc != 3 || std::string_view(argv[1]) != "--listen") {
      return complain({.message = "wrong arguments", .hint = "nothing, or --listen ADDRESS"});
    }
    auto address = wire::parse_listen_address(argv[2]);
    if (!address) return complain(address.error());
    settings.listen = std::move(*address);
  }
  settings.make_target = [&] { return std::make_unique<FunctionTarget>(description, run_case); };
  settings.listening = [](const wire::Address& where) {
    fmt::print("listening at {}\n", to_string(where));
    std::fflush(stdout);
  };
  if (const Result<void> served = wire::serve(settings); !served) return complain(served.error());
  return 0;
}

}  // namespace skcts::adapter
