// skcts serve: the embedded emulator for other processes.
#include <cstdio>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "harness/skcts/commands.h"
#include "harness/skcts/inputs.h"
#include "harness/skcts/interrupt.h"
#include "harness/skcts/terminal.h"
#include "harness/wire/server.h"

namespace skcts::program {

ExitCode serve_target(const ServeArguments& arguments) {
  Result<wire::Address> address = wire::parse_listen_address(arguments.listen);
  if (!address) {
    Error error = address.error();
    error.field = fmt::format("--listen {}", error.field);
    complain(error);
    return ExitCode::usage;
  }
  // An error in the target's name is told now, not by each worker.
  if (const auto target = open_target(arguments.target); !target) {
    complain(target.error());
    return ExitCode::usage;
  }
  if (const auto checked = check_tls(*address, arguments.tls, "--listen"); !checked) {
    complain(checked.error());
    return ExitCode::usage;
  }
  const bool on_stdio = address->kind == wire::AddressKind::stdio;
  wire::ServerSettings settings;
  settings.listen = std::move(*address);
  settings.tls = arguments.tls;
  settings.make_target = [&] { return std::move(open_target(arguments.target)).value(); };
  settings.listening = [](const wire::Address& where) {
    const Result<void> told =
        print_out(fmt::format("listening at {}\n", printable(to_string(where))));
    if (!told) complain(told.error());
    std::fflush(stdout);
  };
  settings.stop = [] { return !Interrupt::noted().empty(); };
  std::optional<Interrupt> interrupt;
  if (!on_stdio) interrupt.emplace();
  if (const Result<void> served = wire::serve(settings); !served) {
    complain(served.error());
    return ExitCode::usage;
  }
  return ExitCode::pass;
}

}  // namespace skcts::program
