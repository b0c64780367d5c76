// What commands read: targets, profiles and case files, with messages for people.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/status.h"
#include "harness/target/target.h"
#include "harness/wire/client.h"
#include "spec/case.h"
#include "spec/error.h"
#include "spec/latitude.h"
#include "spec/profile.h"

namespace skcts::program {

/// The target of a text: "emulator", "emulator:defect=NAME", or an address such as "unix:PATH". An
/// error names the known forms.
Result<std::unique_ptr<Target>> open_target(std::string_view text,
                                            const wire::Deadlines& deadlines = {},
                                            const wire::TlsFiles& tls = {});

/// An error where an address needs certificates and they are not all given. `field` is the option.
Result<void> check_tls(const wire::Address& address, const wire::TlsFiles& files,
                       std::string_view field);

/// What a target that could not be opened comes to: a usage error, or a lost target where the text
/// is an address.
judge::ExitCode code_of_no_target(std::string_view text);

/// The profile of a name; the default one for an empty name.
Result<const Profile*> choose_profile(std::string_view name);

/// The positions that --latitude names, one an element. An error: a position that is none, or two
/// of one latitude.
Result<std::vector<LatitudePin>> parse_latitudes(std::span<const std::string> texts);

/// A case that was read and is valid. Warnings and errors go to stderr; nothing: an error was told.
std::optional<Case> load_case(const std::string& path);

/// Prints "skcts: ..." to stderr.
void complain(const Error& error);
void complain(std::string_view text);

}  // namespace skcts::program
