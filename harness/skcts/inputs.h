// What commands read: targets, profiles and case files, with messages for people.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "harness/target/target.h"
#include "spec/case.h"
#include "spec/error.h"
#include "spec/profile.h"

namespace skcts::program {

/// The target of a text: "emulator" or "emulator:defect=NAME". An error names the known forms.
Result<std::unique_ptr<Target>> open_target(std::string_view text);

/// The profile of a name; the default one for an empty name.
Result<const Profile*> choose_profile(std::string_view name);

/// A case that was read and is valid. Warnings and errors go to stderr; nothing: an error was told.
std::optional<Case> load_case(const std::string& path);

/// Text from outside as it may go to a terminal: control bytes as \xNN, cut where it is too long.
std::string printable(std::string_view text);

/// Prints "skcts: ..." to stderr.
void complain(const Error& error);
void complain(std::string_view text);

}  // namespace skcts::program
