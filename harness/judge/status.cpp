// Names, order and exit codes of statuses, each as one table.
#include "harness/judge/status.h"

#include <array>
#include <cstddef>

namespace skcts::judge {
namespace {

struct Row {
  Status status;
  std::string_view name;
  ExitCode code;
  int weight;  ///< Larger is worse among equal exit codes.
};

constexpr std::array<Row, status_count> rows{{
    {Status::pass, "pass", ExitCode::pass, 0},
    {Status::lenient, "lenient", ExitCode::pass, 1},
    {Status::fail, "fail", ExitCode::failure, 13},
    {Status::not_supported, "not-supported", ExitCode::pass, 3},
    {Status::waived, "waived", ExitCode::pass, 2},
    {Status::flaky, "flaky", ExitCode::failure, 6},
    {Status::stall, "stall", ExitCode::failure, 12},
    {Status::timeout, "timeout", ExitCode::failure, 10},
    {Status::crash, "crash", ExitCode::failure, 11},
    {Status::lost, "lost", ExitCode::target_lost, 8},
    {Status::device_lost, "device-lost", ExitCode::target_lost, 7},
    {Status::protocol_error, "protocol-error", ExitCode::failure, 9},
    {Status::internal_error, "internal-error", ExitCode::own_error, 5},
    {Status::not_run, "not-run", ExitCode::nothing_ran, 4},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (static_cast<std::size_t>(rows[i].status) != i) return false;
  }
  return true;
}
static_assert(in_order());

constexpr std::array<ExitCode, 7> precedence{
    ExitCode::usage,        ExitCode::own_error,   ExitCode::failure, ExitCode::target_lost,
    ExitCode::budget_ended, ExitCode::nothing_ran, ExitCode::pass};

const Row& row(Status status) {
  return rows[static_cast<std::size_t>(status)];
}

std::size_t rank(ExitCode code) {
  std::size_t place = 0;
  while (precedence[place] != code) ++place;
  return place;
}

}  // namespace

std::string_view to_string(Status status) {
  return row(status).name;
}

std::optional<Status> find_status(std::string_view name) {
  for (const Row& r : rows) {
    if (r.name == name) return r.status;
  }
  return std::nullopt;
}

ExitCode exit_code_of(Status status) {
  return row(status).code;
}

ExitCode combine(std::span<const ExitCode> codes) {
  ExitCode result = ExitCode::pass;
  for (const ExitCode code : codes) result = combine(result, code);
  return result;
}

ExitCode combine(ExitCode a, ExitCode b) {
  return rank(a) <= rank(b) ? a : b;
}

Status worse(Status a, Status b) {
  const std::size_t rank_a = rank(exit_code_of(a));
  const std::size_t rank_b = rank(exit_code_of(b));
  if (rank_a != rank_b) return rank_a < rank_b ? a : b;
  return row(a).weight >= row(b).weight ? a : b;
}

}  // namespace skcts::judge
