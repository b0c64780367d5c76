// The machines.
#include "spec/profile.h"

#include <array>

#include "spec/instruction.h"

namespace skcts {

namespace {

/// A SuperKernel of A2 and A3 ends like any kernel there: clean and invalidate (semantics §4).
constexpr std::array<LatitudePin, 1> settled_2201 = {latitude_pin(37, "written-back")};

constexpr int words_of_kib(int kib) {
  return kib * 1024 / 4;
}

/// What all machines of NPU architecture 2201 share. Buffer sizes as public templates and
/// libraries for this architecture give them (hicann/catlass, include/acot/arch/arch.hpp:
/// AtlasA2; ascend-boost-comm, example/ops/include/hardware.h): UB 192 KiB, L1 512 KiB, L0A and
/// L0B 64 KiB, L0C 128 KiB. The depth of a pipe's queue is published nowhere; any depth from 1
/// up is legal (L-35), and 16 is this suite's choice.
constexpr Profile chip_2201(std::string_view name, Architecture architecture, int aic_count) {
  return {.name = name,
          .architecture = architecture,
          .aic_count = aic_count,
          .aiv_count = 2 * aic_count,
          .ub_words = words_of_kib(192),
          .l1_words = words_of_kib(512),
          .l0a_words = words_of_kib(64),
          .l0b_words = words_of_kib(64),
          .l0c_words = words_of_kib(128),
          .pipe_queue_depth = 16,
          .settled = settled_2201};
}

/// The rules of the others on two AI Cores with little memory and short queues, for tests.
constexpr Profile tiny_chip() {
  Profile profile = chip_2201("tiny", Architecture::a2, 2);
  profile.ub_words = 1024;
  profile.l1_words = 2048;
  profile.l0a_words = 512;
  profile.l0b_words = 512;
  profile.l0c_words = 1024;
  profile.pipe_queue_depth = 4;
  return profile;
}

/// The 950PR: counts and sizes as its published platform file has them (Ascend950PR, NpuArch 3510:
/// 28 cube cores, 56 vector cores, UB 248 KiB, L0C 256 KiB). Whether a SuperKernel's end writes
/// dirty lines back there is open (L-37).
constexpr Profile chip_3510() {
  Profile profile = chip_2201("950-28", Architecture::a950, 28);
  profile.ub_words = words_of_kib(248);
  profile.l0c_words = words_of_kib(256);
  profile.settled = {};
  return profile;
}

/// The same on two AI Cores with little memory and short queues, for tests.
constexpr Profile tiny_3510() {
  Profile profile = tiny_chip();
  profile.name = "tiny-950";
  profile.architecture = Architecture::a950;
  profile.settled = {};
  return profile;
}

/// Core counts as the public pages name them (machine §1.2): 20/40 and 24/48.
constexpr std::array<Profile, 6> all_profiles = {
    chip_2201("a2-20", Architecture::a2, 20),
    chip_2201("a2-24", Architecture::a2, 24),
    chip_2201("a3-24", Architecture::a3, 24),
    tiny_chip(),
    chip_3510(),
    tiny_3510(),
};

constexpr auto all_names = [] {
  std::array<std::string_view, all_profiles.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = all_profiles[i].name;
  return names;
}();

}  // namespace

std::string_view to_string(Architecture architecture) {
  switch (architecture) {
    case Architecture::a2: return "a2";
    case Architecture::a3: return "a3";
    case Architecture::a950: return "950";
  }
  SKCTS_CHECK(false, "architecture {}", static_cast<int>(architecture));
}

std::span<const Profile> profiles() {
  return all_profiles;
}

const Profile* find_profile(std::string_view name) {
  for (const Profile& profile : all_profiles) {
    if (profile.name == name) return &profile;
  }
  return nullptr;
}

const Profile& default_profile() {
  return all_profiles.front();
}

std::span<const std::string_view> profile_names() {
  return all_names;
}

LatitudeAssignment latitude_defaults(const Profile& profile) {
  LatitudeAssignment assignment;
  for (const LatitudePin& pin : profile.settled) assignment.set(pin);
  return assignment;
}

std::int32_t words_of_memory(const Profile& profile, Space space) {
  switch (space) {
    case Space::ub: return profile.ub_words;
    case Space::l1: return profile.l1_words;
    case Space::l0a: return profile.l0a_words;
    case Space::l0b: return profile.l0b_words;
    case Space::l0c: return profile.l0c_words;
    default: return 0;
  }
}

}  // namespace skcts
