// Device calls become instructions; the operator's fibre pauses at each of them.
#include "harness/ascendc/core_device.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "spec/check.h"

namespace skcts::ascendc {

namespace {

std::uint64_t address_of(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

Space space_of(Memory memory) {
  switch (memory) {
    case Memory::none: return Space::none;
    case Memory::gm: return Space::gm;
    case Memory::ub: return Space::ub;
    case Memory::l1: return Space::l1;
    case Memory::l0a: return Space::l0a;
    case Memory::l0b: return Space::l0b;
    case Memory::l0c: return Space::l0c;
  }
  return Space::none;
}

Pipe pipe_named(DevicePipe pipe) {
  return static_cast<Pipe>(pipe);
}

Value constant(std::uint32_t word) {
  Value value;
  value.expr.base = static_cast<std::int32_t>(word);
  return value;
}

int region_of_object(std::uint32_t object) {
  return (static_cast<int>(object) - 1) / objects_per_region;
}

}  // namespace

std::vector<Tensor> object_pool(const Mix& mix) {
  std::vector<Tensor> pool;
  for (std::size_t r = 0; r < mix.regions.size(); ++r) {
    for (int i = 0; i < objects_per_region; ++i) {
      pool.push_back(
          {fmt::format("{}_{}", mix.regions[r].name, i), static_cast<std::int16_t>(r), false, {}});
    }
  }
  return pool;
}

/// The work of a step, with the bytes that its stretches have inside their words.
class CoreDevice::Step final : public Computation {
 public:
  struct Part {
    std::size_t first_word = 0;  ///< Among the words of all its parts.
    std::uint32_t skip = 0;      ///< Bytes of the first word in front of the stretch.
  };
  void finish(std::span<const std::uint32_t> read, std::span<std::uint32_t> written) override {
    std::vector<const unsigned char*> from;
    std::vector<unsigned char*> to;
    for (const Part& part : reads) {
      from.push_back(reinterpret_cast<const unsigned char*>(read.data() + part.first_word) +
                     part.skip);
    }
    for (const Part& part : writes) {
      to.push_back(reinterpret_cast<unsigned char*>(written.data() + part.first_word) + part.skip);
    }
    function(arguments.data(), from.data(), to.data());
    done = true;
  }

  std::vector<Part> reads;
  std::vector<Part> writes;
  StepFunction function = nullptr;
  std::vector<unsigned char> arguments;
  bool done = false;
};

CoreDevice::CoreDevice() = default;
CoreDevice::~CoreDevice() = default;

void CoreDevice::start(StackPool& stacks, const KernelEntry& kernel, const CodePlace& place,
                       const std::vector<MappedRegion>& regions, std::string* output,
                       CoreRecord* record) {
  fibre_.abandon();
  kernel_ = kernel;
  place_ = place;
  regions_ = &regions;
  output_ = output;
  record_ = record;
  computation_ = nullptr;
  steps_.clear();
  fault_.clear();
  value_ = 0;
  place_number_ = -1;
  storage_.clear();
  objects_taken_.assign(place.mix->regions.size(), 0);
  if (record_ != nullptr) record_->core = place.core;
  fibre_.start(stacks, [this] { kernel_.entry(kernel_.arguments.data()); });
}

const Instruction* CoreDevice::next(std::uint32_t value) {
  value_ = value;
  *kernel_.device = this;
  while (!steps_.empty() && steps_.front()->done) {
    spare_steps_.push_back(std::move(steps_.front()));
    steps_.pop_front();
  }
  const bool paused = fault_.empty() && fibre_.resume();
  return paused && fault_.empty() ? &instruction_ : nullptr;
}

Instruction& CoreDevice::begin(Op op) {
  static const Instruction blank;
  instruction_ = blank;
  instruction_.op = op;
  computation_ = nullptr;
  return instruction_;
}

std::uint32_t CoreDevice::emit() {
  ++place_number_;
  if (record_ != nullptr) record_->instructions.push_back(instruction_);
  fibre_.pause();
  return value_;
}

void CoreDevice::fail(std::string text) {
  fault_ = std::move(text);
  ++place_number_;
  for (;;) fibre_.pause();
}

void CoreDevice::fault(const char* text) {
  fail(text);
}

void CoreDevice::print(const char* text) {
  if (output_ != nullptr) *output_ += fmt::format("{}: {}", to_string(place_.core), text);
}

// --- operands

Operand CoreDevice::gm_operand(std::uint64_t address, std::uint64_t bytes, std::string_view what) {
  for (const MappedRegion& region : *regions_) {
    if (address < region.address || address + bytes > region.address + region.bytes) continue;
    Operand operand{Space::gm, region.region, {}};
    operand.at.base = static_cast<std::int32_t>((address - region.address) / 4);
    return operand;
  }
  for (const MappedRegion& region : *regions_) {
    // Regions are mapped far apart: what lies this near was meant for this one.
    const std::uint64_t near = std::uint64_t{16} << 20;
    if (address + near < region.address || address > region.address + region.bytes + near) continue;
    const Region& named = place_.mix->regions[static_cast<std::size_t>(region.region)];
    const auto first = static_cast<std::int64_t>(address - region.address);
    fail(fmt::format("{}: bytes [{}, {}) of `{}` are outside its {} bytes", what, first,
                     first + static_cast<std::int64_t>(bytes), named.name, region.bytes));
  }
  fail(fmt::format("{}: address {:#x} is in none of the kernel's arguments", what, address));
}

Operand CoreDevice::word_operand(const void* address, std::string_view what) {
  return gm_operand(address_of(address) / 4 * 4, 4, what);
}

Operand CoreDevice::local_operand(Stretch stretch, std::string_view what) {
  const Space space = space_of(stretch.memory);
  if ((space == Space::ub) == is_cube()) {
    fail(fmt::format("{}: {} is not a memory of {}", what, to_string(space),
                     to_string(place_.core)));
  }
  const std::uint64_t size = memory_bytes(stretch.memory);
  if (stretch.at + stretch.bytes > size) {
    fail(fmt::format("{}: bytes [{}, {}) are outside the {} bytes of {}", what, stretch.at,
                     stretch.at + stretch.bytes, size, to_string(space)));
  }
  Operand operand{space, -1, {}};
  operand.at.base = static_cast<std::int32_t>(stretch.at / 4);
  return operand;
}

Operand CoreDevice::operand(Stretch stretch, std::string_view what) {
  return stretch.memory == Memory::gm ? gm_operand(stretch.at, stretch.bytes, what)
                                      : local_operand(stretch, what);
}

std::int32_t CoreDevice::exact_words(Stretch stretch, std::string_view what) {
  if (stretch.at % 4 != 0 || stretch.bytes % 4 != 0) {
    fail(
        fmt::format("{}: {} bytes at byte {} are no whole words", what, stretch.bytes, stretch.at));
  }
  return static_cast<std::int32_t>(stretch.bytes / 4);
}

// --- identity

std::int64_t CoreDevice::block_num() {
  begin(Op::get_block_num);
  return emit();
}
std::int64_t CoreDevice::block_idx() {
  begin(Op::get_block_idx);
  return emit();
}
std::int64_t CoreDevice::sub_block_idx() {
  begin(Op::get_sub_block_idx);
  return emit();
}
std::int64_t CoreDevice::task_ratio() {
  begin(Op::get_task_ratio);
  return emit();
}
std::int64_t CoreDevice::tiling_key() {
  return place_.mix->sub_kernels[static_cast<std::size_t>(place_.sub_kernel)].tiling_key;
}
std::uint32_t CoreDevice::memory_bytes(Memory memory) {
  return static_cast<std::uint32_t>(words_of_memory(*place_.profile, space_of(memory))) * 4;
}
void* CoreDevice::core_storage(std::size_t bytes) {
  if (storage_.empty()) storage_.resize(bytes);
  SKCTS_CHECK(storage_.size() == bytes, "core storage of {} bytes, then of {}", storage_.size(),
              bytes);
  return storage_.data();
}

// --- synchronisation

void CoreDevice::set_flag(DevicePipe source, DevicePipe destination, std::int32_t id) {
  Instruction& in = begin(Op::set_flag);
  in.event = {pipe_named(source), pipe_named(destination)};
  in.id = id;
  emit();
}
void CoreDevice::wait_flag(DevicePipe source, DevicePipe destination, std::int32_t id) {
  Instruction& in = begin(Op::wait_flag);
  in.event = {pipe_named(source), pipe_named(destination)};
  in.id = id;
  emit();
}
void CoreDevice::pipe_barrier(DevicePipe pipe) {
  if (pipe == DevicePipe::s) fail("PipeBarrier<PIPE_S>: the scalar unit has no barrier");
  if (pipe != DevicePipe::all && !has_pipe(place_.core.kind, pipe_named(pipe))) return;
  begin(Op::pipe_barrier).pipe = pipe_named(pipe);
  emit();
}
void CoreDevice::cross_core_set_flag(std::int32_t mode, DevicePipe pipe, std::int32_t id) {
  Instruction& in = begin(Op::cross_core_set_flag);
  in.mode = mode;
  in.pipe = pipe_named(pipe);
  in.id = id;
  emit();
}
void CoreDevice::cross_core_wait_flag(std::int32_t id, DevicePipe pipe) {
  Instruction& in = begin(Op::cross_core_wait_flag);
  in.id = id;
  in.pipe = place_.profile->is_3510() ? pipe_named(pipe) : Pipe::s;
  emit();
}
void CoreDevice::sync_all(bool aiv_only) {
  begin(Op::sync_all).aiv_only = aiv_only;
  emit();
}
void CoreDevice::soft_sync_all(const void* workspace, std::uint32_t scratch,
                               std::int32_t used_cores, bool aiv_only) {
  if (is_cube()) return;
  Instruction& in = begin(Op::soft_sync_all);
  in.src = gm_operand(address_of(workspace), 32, "SyncAll over a workspace");
  in.dst = local_operand({Memory::ub, scratch, 32}, "SyncAll over a workspace");
  in.count = used_cores;
  in.aiv_only = aiv_only;
  emit();
}
void CoreDevice::ib_set(const void* workspace, std::uint32_t scratch, std::int32_t block,
                        std::int32_t event, bool aiv_only) {
  ib(Op::ib_set, "IBSet", workspace, scratch, block, event, aiv_only);
}
void CoreDevice::ib_wait(const void* workspace, std::uint32_t scratch, std::int32_t block,
                         std::int32_t event, bool aiv_only) {
  ib(Op::ib_wait, "IBWait", workspace, scratch, block, event, aiv_only);
}
void CoreDevice::ib(Op op, std::string_view what, const void* workspace, std::uint32_t scratch,
                    std::int32_t block, std::int32_t event, bool aiv_only) {
  if (is_cube()) return;
  Instruction& in = begin(op);
  in.src = gm_operand(address_of(workspace), 32, what);
  in.dst = local_operand({Memory::ub, scratch, 32}, what);
  in.value = constant(static_cast<std::uint32_t>(block));
  in.id = event;
  in.aiv_only = aiv_only;
  emit();
}
void CoreDevice::set_next_task_start(DevicePipe aiv_pipe, DevicePipe aic_pipe) {
  Instruction& in = begin(Op::set_next_task_start);
  in.pipe = pipe_named(aiv_pipe);
  in.aic_pipe = pipe_named(aic_pipe);
  emit();
}
void CoreDevice::wait_pre_task_end() {
  begin(Op::wait_pre_task_end);
  emit();
}

// --- work of a pipe

void CoreDevice::copy(Stretch destination, Stretch source, Combine combine) {
  const bool fixpipe = source.memory == Memory::l0c;
  const bool load = source.memory == Memory::l1 && destination.memory != Memory::gm;
  const char* const what = fixpipe ? "Fixpipe" : load ? "LoadData" : "DataCopy";
  if (destination.bytes != source.bytes || source.bytes % 32 != 0) {
    fail(fmt::format("{}: {} bytes; expected a multiple of 32", what, source.bytes));
  }
  for (const Stretch& end : {destination, source}) {
    if (end.memory != Memory::gm && end.at % 32 != 0) {
      fail(fmt::format("{}: byte {} of {} is not 32-byte aligned", what, end.at,
                       to_string(space_of(end.memory))));
    }
  }
  if (source.bytes == 0) return;
  Instruction& in = begin(fixpipe ? Op::fixpipe : load ? Op::load_data : Op::data_copy);
  in.dst = operand(destination, what);
  in.src = operand(source, what);
  in.count = exact_words(source, what);
  in.atomic_add = combine == Combine::add_int32;
  emit();
}
void CoreDevice::duplicate(Stretch destination, std::uint32_t value) {
  Instruction& in = begin(Op::duplicate);
  in.dst = local_operand(destination, "Duplicate");
  in.count = exact_words(destination, "Duplicate");
  in.value = constant(value);
  emit();
}
void CoreDevice::adds(Stretch destination, Stretch source, std::uint32_t value) {
  Instruction& in = begin(Op::adds);
  in.dst = local_operand(destination, "Adds");
  in.src = local_operand(source, "Adds");
  in.count = exact_words(destination, "Adds");
  in.value = constant(value);
  emit();
}
void CoreDevice::add(Stretch destination, Stretch a, Stretch b) {
  Instruction& in = begin(Op::add);
  in.dst = local_operand(destination, "Add");
  in.src = local_operand(a, "Add");
  in.src_b = local_operand(b, "Add");
  in.count = exact_words(destination, "Add");
  emit();
}

void CoreDevice::add_range(Stretch stretch, std::vector<Range>& to, std::string_view what) {
  const std::uint64_t skip = stretch.at % 4;
  Range range;
  // Whole words: those that the bytes lie in.
  const auto bytes = static_cast<std::uint32_t>((skip + stretch.bytes + 3) / 4 * 4);
  range.from = operand({stretch.memory, stretch.at - skip, bytes}, what);
  range.count = static_cast<std::int32_t>(bytes / 4);
  to.push_back(range);
}

void CoreDevice::step(const char* name, DevicePipe pipe, const Stretch* reads,
                      std::size_t read_count, const Stretch* writes, std::size_t write_count,
                      StepFunction function, const void* arguments, std::size_t argument_bytes) {
  Instruction& in = begin(Op::compute);
  in.pipe = pipe_named(pipe);
  in.note = name;
  for (std::size_t i = 0; i < read_count; ++i) add_range(reads[i], in.reads, name);
  for (std::size_t i = 0; i < write_count; ++i) add_range(writes[i], in.writes, name);
  if (spare_steps_.empty()) spare_steps_.push_back(std::make_unique<Step>());
  steps_.push_back(std::move(spare_steps_.back()));
  spare_steps_.pop_back();
  Step& step = *steps_.back();
  step.done = false;
  step.function = function;
  const auto* bytes = static_cast<const unsigned char*>(arguments);
  step.arguments.assign(bytes, bytes + argument_bytes);
  const auto lay = [](std::vector<Step::Part>& parts, const Stretch* of,
                      const std::vector<Range>& as) {
    parts.clear();
    std::size_t word = 0;
    for (std::size_t i = 0; i < as.size(); ++i) {
      parts.push_back({word, static_cast<std::uint32_t>(of[i].at % 4)});
      word += static_cast<std::size_t>(as[i].count);
    }
  };
  lay(step.reads, reads, in.reads);
  lay(step.writes, writes, in.writes);
  computation_ = &step;
  // Results of different interfaces differ in a mix, too.
  std::uint32_t tag = 2166136261u;
  for (const char* at = name; *at != 0; ++at) {
    tag = (tag ^ static_cast<unsigned char>(*at)) * 16777619u;
  }
  in.value = constant(tag & 0x7fffffffu);
  emit();
}

// --- the scalar unit

int CoreDevice::take_object(int region) {
  int& taken = objects_taken_[static_cast<std::size_t>(region)];
  if (taken == objects_per_region) {
    fail(fmt::format("more than {} GlobalTensor objects of `{}` with scalar accesses",
                     objects_per_region,
                     place_.mix->regions[static_cast<std::size_t>(region)].name));
  }
  return region * objects_per_region + taken++;
}

std::uint32_t CoreDevice::new_object(const void* address) {
  const Operand first = gm_operand(address_of(address), 1, "GlobalTensor");
  return static_cast<std::uint32_t>(take_object(first.index) + 1);
}

std::uint32_t CoreDevice::copy_object(std::uint32_t object) {
  const int made = take_object(region_of_object(object));
  Instruction& in = begin(Op::tensor_copy);
  in.object = static_cast<std::int16_t>(made);
  in.other = static_cast<std::int16_t>(object - 1);
  emit();
  return static_cast<std::uint32_t>(made + 1);
}

void CoreDevice::end_object(std::uint32_t object) {
  begin(Op::tensor_end).object = static_cast<std::int16_t>(object - 1);
  emit();
}

Operand CoreDevice::object_operand(std::uint32_t object, const void* address,
                                   std::string_view what) {
  Operand operand = word_operand(address, what);
  if (operand.index != region_of_object(object)) {
    fail(fmt::format("{}: the tensor was moved to another argument of the kernel", what));
  }
  operand.space = Space::tensor;
  operand.index = static_cast<std::int16_t>(object - 1);
  return operand;
}

std::uint32_t CoreDevice::access(Op op, Operand operand, bool stores, std::uint32_t word) {
  Instruction& in = begin(op);
  (stores ? in.dst : in.src) = operand;
  if (stores) {
    in.value = constant(word);
  } else {
    in.reg = 0;
  }
  return emit();
}

std::uint32_t CoreDevice::get_value(std::uint32_t object, const void* address) {
  return access(Op::get_value, object_operand(object, address, "GetValue"), false, 0);
}
void CoreDevice::set_value(std::uint32_t object, const void* address, std::uint32_t word) {
  access(Op::set_value, object_operand(object, address, "SetValue"), true, word);
}
void CoreDevice::assign(std::uint32_t object, const void* address, std::uint32_t word) {
  access(Op::assign, object_operand(object, address, "GlobalTensor::operator()"), true, word);
}
std::uint32_t CoreDevice::raw_load(const void* address) {
  return access(Op::raw_load, word_operand(address, "load"), false, 0);
}
void CoreDevice::raw_store(const void* address, std::uint32_t word) {
  access(Op::raw_store, word_operand(address, "store"), true, word);
}
std::uint32_t CoreDevice::load_bypass(const void* address) {
  return access(Op::read_gm_bypass, word_operand(address, "ReadGmByPassDCache"), false, 0);
}
void CoreDevice::store_bypass(const void* address, std::uint32_t word) {
  access(Op::write_gm_bypass, word_operand(address, "WriteGmByPassDCache"), true, word);
}
std::uint32_t CoreDevice::load_local(Memory memory, std::uint32_t at) {
  return access(Op::get_value, local_operand({memory, at / 4 * 4, 4}, "GetValue"), false, 0);
}
void CoreDevice::store_local(Memory memory, std::uint32_t at, std::uint32_t word) {
  access(Op::set_value, local_operand({memory, at / 4 * 4, 4}, "SetValue"), true, word);
}
void CoreDevice::refresh(const void* address, bool entire) {
  Instruction& in = begin(Op::dcci);
  in.line = entire ? CacheLine::entire : CacheLine::single;
  if (!entire) in.dst = word_operand(address, "DataCacheCleanAndInvalid");
  emit();
}
void CoreDevice::data_sync(int kind) {
  begin(Op::dsb).dsb = static_cast<Dsb>(kind);
  emit();
}

}  // namespace skcts::ascendc
