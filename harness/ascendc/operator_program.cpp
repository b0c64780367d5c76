// Loading, and which core runs what.
#include "harness/ascendc/operator_program.h"

#include <dlfcn.h>
#include <filesystem>
#include <sys/mman.h>

#include <fmt/format.h>

#include "spec/check.h"

namespace skcts::ascendc {

AddressSpace::AddressSpace(const Mix& mix) {
  constexpr std::size_t apart = std::size_t{64} << 20;
  for (std::size_t r = 0; r < mix.regions.size(); ++r) {
    const Region& region = mix.regions[r];
    const auto bytes = static_cast<std::size_t>(region.words) * 4;
    const std::size_t reserved = bytes + apart;
    void* const at =
        mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    SKCTS_CHECK(at != MAP_FAILED, "no addresses for {} bytes", reserved);
    maps_.push_back({at, reserved});
    // In the middle, so that what is a little outside is near this region and no other.
    const std::uint64_t first = reinterpret_cast<std::uint64_t>(at) + apart / 2;
    regions_.push_back({first + static_cast<std::uint64_t>(region.offset_bytes), bytes,
                        static_cast<std::int16_t>(r)});
  }
}

AddressSpace::~AddressSpace() {
  for (const auto& [at, bytes] : maps_) munmap(at, bytes);
}

Result<std::unique_ptr<OperatorProgram>> OperatorProgram::load(const std::string& path) {
  const std::string absolute = std::filesystem::absolute(path).string();
  void* const handle = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return Error{.file = path,
                 .message = fmt::format("cannot be loaded: {}", dlerror()),
                 .hint = "'skcts compile op.cpp' makes one"};
  }
  std::unique_ptr<OperatorProgram> program(new OperatorProgram());
  program->handle_ = handle;
  const auto* text = static_cast<const char*>(dlsym(handle, "skcts_description"));
  if (text == nullptr) {
    return Error{.file = path, .message = "is no operator; expected a file of 'skcts compile'"};
  }
  auto description = read_description(text, path);
  if (!description) return description.error();
  program->description_ = std::move(*description);
  using Entry = void (*)(void* const*);
  program->aic_.entry = reinterpret_cast<Entry>(dlsym(handle, "skcts_entry_aic"));
  program->aiv_.entry = reinterpret_cast<Entry>(dlsym(handle, "skcts_entry_aiv"));
  using Slot = Device** (*)();
  for (auto [entry, name] : {std::pair{&program->aic_, "skcts_device_aic"},
                             std::pair{&program->aiv_, "skcts_device_aiv"}}) {
    if (void* const slot = dlsym(handle, name)) entry->device = reinterpret_cast<Slot>(slot)();
  }
  return program;
}

OperatorProgram::~OperatorProgram() {
  cores_.clear();
  if (handle_ != nullptr) dlclose(handle_);
}

void OperatorProgram::attach(const Mix& mix, std::int32_t sub_kernel,
                             std::vector<std::int16_t> regions) {
  cores_.clear();
  sub_kernel_ = sub_kernel;
  addresses_ = std::make_unique<AddressSpace>(mix);
  buffers_.clear();
  aic_.arguments.clear();
  for (const std::int16_t region : regions) {
    const MappedRegion& mapped = addresses_->regions()[static_cast<std::size_t>(region)];
    buffers_.push_back(mapped);
    aic_.arguments.push_back(reinterpret_cast<void*>(mapped.address));
  }
  aiv_.arguments = aic_.arguments;
}

void OperatorProgram::attach(const Case& alone) {
  std::vector<std::int16_t> regions;
  for (std::size_t r = 0; r < alone.mix.regions.size(); ++r) {
    regions.push_back(static_cast<std::int16_t>(r));
  }
  attach(alone.mix, 0, std::move(regions));
}

void OperatorProgram::begin_case() {
  cores_.clear();
  records_.clear();
  output_.clear();
}

CodeStream* OperatorProgram::enter(const CodePlace& place) {
  if (place.sub_kernel != sub_kernel_) return nullptr;
  const KernelEntry& entry = place.core.kind == CoreKind::aic ? aic_ : aiv_;
  if (entry.entry == nullptr) return nullptr;
  auto& core = cores_[CoreKey{place.launch, place.core}];
  if (core == nullptr) core = std::make_unique<CoreDevice>();
  CoreRecord* record = nullptr;
  if (recording_) record = records_.emplace_back(std::make_unique<CoreRecord>()).get();
  core->start(stacks_, entry, place, buffers_, &output_, record);
  return core.get();
}

}  // namespace skcts::ascendc
