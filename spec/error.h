// Errors that a user can cause, as values: where, what is wrong, what was expected, a hint.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "spec/check.h"

namespace skcts {

/// One error a user can cause. Parts that are not known stay empty (0 for line and column).
struct Error {
  std::string file;
  int line = 0;         ///< from 1; 0 = not known
  int column = 0;       ///< from 1; 0 = not known
  std::string field;    ///< path of the field, e.g. "mix.sub_kernels[1].blocks"
  std::string message;  ///< what is wrong and what was expected
  std::string hint;     ///< what would help, e.g. the nearest known name

  friend bool operator==(const Error&, const Error&) = default;
};

/// "file:line: field: message (hint)"; a part that is empty is left out with its separator. A
/// known column follows its line: "file:line:column: ...".
std::string to_string(const Error& error);

/// A value or the error that explains why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  /// The value. The program stops when there is none.
  const T& value() const& { return check_ok(), *std::get_if<0>(&state_); }
  T& value() & { return check_ok(), *std::get_if<0>(&state_); }
  T&& value() && { return check_ok(), std::move(*std::get_if<0>(&state_)); }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

  /// The error. The program stops when there is none.
  const Error& error() const& {
    SKCTS_CHECK(!ok(), "error() of a result that holds a value");
    return *std::get_if<1>(&state_);
  }
  Error&& error() && {
    SKCTS_CHECK(!ok(), "error() of a result that holds a value");
    return std::move(*std::get_if<1>(&state_));
  }

 private:
  void check_ok() const {
    SKCTS_CHECK(ok(), "value() of a result that holds an error: {}",
                to_string(*std::get_if<1>(&state_)));
  }

  std::variant<T, Error> state_;
};

/// Success without a value, or an error. `Result<void>{}` is success.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  [[nodiscard]] bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }

  const Error& error() const {
    SKCTS_CHECK(!ok(), "error() of a result that is a success");
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

/// The name nearest to `word` by edit distance (case and '_' against '-' do not count; two
/// neighbouring characters exchanged count as one edit), or an empty view when none is near
/// enough to be what was meant. The first of equally near names wins.
std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names);

/// "did you mean 'x'?", or empty when no name is near.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> names);

/// The names in order, separated by ", ".
std::string join_names(std::span<const std::string_view> names);

}  // namespace skcts

template <>
struct fmt::formatter<skcts::Error> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const skcts::Error& error, Context& context) const {
    return fmt::formatter<std::string_view>::format(skcts::to_string(error), context);
  }
};
