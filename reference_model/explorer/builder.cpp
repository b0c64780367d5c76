// Steps of one core: moves, computes, scalar accesses and the refreshes they bring along.
#include "reference_model/explorer/builder.h"

#include <algorithm>

#include "spec/check.h"
#include "spec/program.h"

namespace skcts::explorer {

namespace {

constexpr std::int64_t line_words = 16;

// What a step, an entry or a piece of one takes, and a word in it: in the program, in the machine
// that is built from it, and while it is built.
constexpr std::uint64_t bytes_of_item = 512, bytes_of_word = 160;

void note_copies(const std::vector<Instruction>& program, std::vector<bool>& copied) {
  for (const Instruction& in : program) {
    if (in.op == Op::tensor_copy) copied[static_cast<std::size_t>(in.object)] = true;
    note_copies(in.body, copied);
  }
}

}  // namespace

CoreBuilder::CoreBuilder(const Settings& settings, CoreId core, int block, int sub)
    : settings_(&settings) {
  program_.core = core;
  program_.block = block;
  program_.sub = sub;
}

Step CoreBuilder::step(MicroKind kind) const {
  Step made;
  made.kind = kind;
  made.sub_kernel = run_ != nullptr ? run_->place : -1;
  made.place = place_;
  return made;
}

Entry CoreBuilder::entry(EntryKind kind, Pipe pipe) const {
  Entry made;
  made.kind = kind;
  made.pipe = pipe;
  made.in_turn = kind == EntryKind::data && holds(latitude_pin(1, "in-turn"));
  made.sub_kernel = run_ != nullptr ? run_->place : -1;
  made.place = place_;
  return made;
}

bool CoreBuilder::claim(std::uint64_t items, std::uint64_t words) const {
  settings_->claim->budget().work(items + words / 8);
  return settings_->claim->add(items * bytes_of_item + words * bytes_of_word);
}

void CoreBuilder::add(Step step) {
  if (!claim(1, step.copy.size() + step.slots.size() + step.scratch.size())) return;
  program_.steps.push_back(std::move(step));
}

void CoreBuilder::issue(Entry made) {
  std::uint64_t words = 0;
  for (const Piece& piece : made.pieces) {
    words += piece.dst.size() + piece.a.size() + piece.b.size();
  }
  if (!claim(1 + made.pieces.size(), words)) return;
  Step by = step(MicroKind::issue);
  by.sub_kernel = made.sub_kernel;
  by.place = made.place;
  by.entry = static_cast<int>(program_.entries.size());
  by.value = made.value;
  by.wait = WaitKind::queue_full;
  by.doubled = made.doubled;
  by.id = made.id;
  program_.entries.push_back(std::move(made));
  add(std::move(by));
}

Address CoreBuilder::address(const Operand& operand, std::int64_t extra) const {
  const std::int64_t at = operand.at.eval(now_) + extra;
  switch (operand.space) {
    case Space::gm: return settings_->layout->base[static_cast<std::size_t>(operand.index)] + at;
    case Space::tensor: {
      const Tensor& tensor = run_->kernel->tensors[static_cast<std::size_t>(operand.index)];
      return settings_->layout->base[static_cast<std::size_t>(tensor.region)] + at;
    }
    case Space::local_tensor: {
      const Local& local = locals_.at(operand.index);
      return local_address(static_cast<int>(local.memory), local.base + at);
    }
    default: return local_address(static_cast<int>(operand.space), at);
  }
}

std::vector<Address> CoreBuilder::words(const Operand& from, std::int64_t count) const {
  std::vector<Address> all(static_cast<std::size_t>(count));
  const Address first = address(from);
  for (std::size_t j = 0; j < all.size(); ++j) all[j] = first + static_cast<Address>(j);
  return all;
}

Source CoreBuilder::source(const Value& value) const {
  if (value.reg >= 0) return Source{0, value.reg};
  return Source{static_cast<std::uint32_t>(value.expr.eval(now_)), -1};
}

std::vector<Piece> CoreBuilder::cut(Calculation calculation, const std::vector<Address>& dst,
                                    const std::vector<Address>& a,
                                    const std::vector<Address>& b) const {
  std::vector<Piece> pieces;
  const std::int64_t size = settings_->piece_words;
  for (std::size_t j = 0; j < dst.size(); ++j) {
    const bool starts = j == 0 || dst[j] % size == 0 || dst[j] != dst[j - 1] + 1;
    if (starts) {
      pieces.emplace_back();
      pieces.back().calculation = calculation;
      pieces.back().first = static_cast<std::uint32_t>(j);
    }
    Piece& piece = pieces.back();
    piece.dst.push_back(dst[j]);
    if (!a.empty()) piece.a.push_back(a[j]);
    if (!b.empty()) piece.b.push_back(b[j]);
  }
  return pieces;
}

void CoreBuilder::run(const Run& run) {
  run_ = &run;
  place_ = -1;
  const SubKernel& kernel = *run.kernel;
  std::vector<bool> copied(kernel.tensors.size(), false);
  note_copies(kernel.program(program_.core.kind), copied);
  objects_.assign(kernel.tensors.size(), Object{});
  for (std::size_t t = 0; t < copied.size(); ++t) objects_[t].alive = !copied[t];
  tpipes_.clear();
  queues_.clear();
  locals_.clear();
  allocated_.clear();
  taken_.clear();
  add(step(MicroKind::clear));
  for_each_instruction(kernel.program(program_.core.kind), run.indices,
                       [this](const Instruction& in, const Indices& at, int place) {
                         if (!settings_->claim->budget().within()) return;
                         now_ = at;
                         place_ = place;
                         instruction(in);
                       });
  place_ = -1;
  for (std::size_t t = objects_.size(); t-- > 0;) {
    if (objects_[t].alive) end_object(t);
  }
  if (run.client) {
    Step end = step(MicroKind::end_client);
    end.partner = run.server;
    add(std::move(end));
  }
  run_ = nullptr;
}

void CoreBuilder::instruction(const Instruction& in) {
  switch (in.op) {
    case Op::data_copy:
    case Op::load_data:
    case Op::fixpipe: return move(in);
    case Op::duplicate:
    case Op::adds:
    case Op::add:
    case Op::mmad:
    case Op::compute: return compute(in);
    case Op::get_value:
    case Op::raw_load:
    case Op::read_gm_bypass: return load(in);
    case Op::set_value:
    case Op::assign:
    case Op::raw_store:
    case Op::write_gm_bypass: return store(in);
    case Op::dcci:
    case Op::dsb:
    case Op::tensor_copy:
    case Op::tensor_end: return scalar(in);
    case Op::poll: return poll(in);
    case Op::get_block_num:
    case Op::get_block_idx:
    case Op::get_sub_block_idx:
    case Op::get_task_ratio: return query(in);
    case Op::set_flag:
    case Op::wait_flag:
    case Op::pipe_barrier: return synchronise(in);
    case Op::cross_core_set_flag:
    case Op::cross_core_wait_flag:
    case Op::set_next_task_start:
    case Op::wait_pre_task_end: return cross_core(in);
    case Op::sync_all: return hard_sync(in);
    case Op::soft_sync_all: return soft_sync(in);
    case Op::ib_set:
    case Op::ib_wait: return ib(in);
    case Op::matmul: return matmul(in);
    case Op::repeat: return;
    default: return resource(in);
  }
}

void CoreBuilder::move(const Instruction& in) {
  Entry made = entry(EntryKind::data, pipe_of(in));
  made.pieces = cut(Calculation::copy, words(in.dst, in.count), words(in.src, in.count), {});
  for (Piece& piece : made.pieces) piece.accumulate = in.atomic_add;
  issue(std::move(made));
}

void CoreBuilder::compute(const Instruction& in) {
  Entry made = entry(EntryKind::data, pipe_of(in));
  made.value = source(in.value);
  if (in.op == Op::compute) {
    std::uint64_t count = 0;
    for (const auto* ranges : {&in.reads, &in.writes}) {
      for (const Range& range : *ranges) count += static_cast<std::uint64_t>(range.count);
    }
    Claim lists(settings_->claim->budget());
    if (!lists.add(count * sizeof(Address))) return;
    std::vector<Address> read, written;
    for (const Range& range : in.reads) {
      for (const Address a : words(range.from, range.count)) read.push_back(a);
    }
    for (const Range& range : in.writes) {
      for (const Address a : words(range.from, range.count)) written.push_back(a);
    }
    made.pieces = cut(Calculation::spread, written, {}, {});
    if (made.pieces.size() == 1) {
      made.pieces[0].calculation = Calculation::opaque;
      made.pieces[0].a = std::move(read);
    } else {
      Piece gather;
      gather.calculation = Calculation::gather;
      gather.a = std::move(read);
      made.pieces.insert(made.pieces.begin(), std::move(gather));
    }
    return issue(std::move(made));
  }
  const std::vector<Address> dst = words(in.dst, in.count);
  switch (in.op) {
    case Op::duplicate: made.pieces = cut(Calculation::fill, dst, {}, {}); break;
    case Op::adds: made.pieces = cut(Calculation::adds, dst, words(in.src, in.count), {}); break;
    default:
      made.pieces = cut(in.op == Op::add ? Calculation::add : Calculation::mmad, dst,
                        words(in.src, in.count), words(in.src_b, in.count));
      break;
  }
  issue(std::move(made));
}

void CoreBuilder::refresh_line(std::int64_t line) {
  Step made = step(MicroKind::refresh);
  made.address = line * line_words;
  add(std::move(made));
}

void CoreBuilder::load(const Instruction& in) {
  Step made = step(MicroKind::load);
  made.reg = in.reg;
  made.address = address(in.src);
  if (in.op == Op::read_gm_bypass) {
    made.kind = MicroKind::bypass_load;
  } else if (in.op == Op::get_value && in.src.space != Space::tensor) {
    made.kind = MicroKind::local_load;
  } else if (in.op == Op::get_value && run_->refreshes) {
    Object& object = objects_[static_cast<std::size_t>(in.src.index)];
    const bool is_const = run_->kernel->tensors[static_cast<std::size_t>(in.src.index)].is_const;
    const std::int64_t line = line_of(in.src);
    const bool always = is_const || holds(latitude_pin(19, "refreshed"));
    if (always || object.last_read != line) refresh_line(line);
    if (!is_const) object.last_read = line;
  }
  add(std::move(made));
}

void CoreBuilder::store(const Instruction& in) {
  Step made = step(MicroKind::store);
  made.value = source(in.value);
  made.address = address(in.dst);
  if (in.op == Op::write_gm_bypass) made.kind = MicroKind::bypass_store;
  const bool local = in.op == Op::set_value && in.dst.space != Space::tensor;
  if (local) made.kind = MicroKind::local_store;
  if (run_->refreshes && in.dst.space == Space::tensor) {
    Object& object = objects_[static_cast<std::size_t>(in.dst.index)];
    const std::int64_t line = line_of(in.dst);
    if (in.op == Op::assign) {  // The read part of operator().
      if (object.last_read != line || holds(latitude_pin(19, "refreshed"))) refresh_line(line);
      object.last_read = line;
    } else if (in.op == Op::set_value) {
      if (object.last_written >= 0 && object.last_written != line) {
        refresh_line(object.last_written);
      }
      object.last_written = line;
      if (holds(latitude_pin(34, "at-once"))) {
        add(std::move(made));
        return refresh_line(line);
      }
    }
  }
  add(std::move(made));
}

void CoreBuilder::end_object(std::size_t object) {
  if (run_->refreshes && objects_[object].last_written >= 0) {
    refresh_line(objects_[object].last_written);
  }
  objects_[object].alive = false;
}

void CoreBuilder::scalar(const Instruction& in) {
  switch (in.op) {
    case Op::dcci:
      if (in.line == CacheLine::entire) return refresh_all();
      return refresh_line(line_of(in.dst));
    case Op::dsb: {
      if (in.dsb != Dsb::all && in.dsb != Dsb::ddr) return;
      Step made = step(MicroKind::dsb);
      made.both_kinds = holds(latitude_pin(2, "both-kinds"));
      return add(std::move(made));
    }
    case Op::tensor_copy: {
      objects_[static_cast<std::size_t>(in.object)] = objects_[static_cast<std::size_t>(in.other)];
      objects_[static_cast<std::size_t>(in.object)].alive = true;
      return;
    }
    default: return end_object(static_cast<std::size_t>(in.object));
  }
}

void CoreBuilder::poll(const Instruction& in) {
  Step made = step(MicroKind::poll);
  made.wait = WaitKind::poll;
  made.address = address(in.src);
  made.value = source(in.value);
  made.until = in.until;
  made.reg = in.reg;
  if (in.via == PollVia::bypass) return add(std::move(made));
  if (in.via == PollVia::data_copy) {
    const Address block = made.address / 8 * 8;
    for (int j = 0; j < 8; ++j) made.copy.push_back(block + j);
    for (const Address a : words(in.dst, 8)) made.copy.push_back(a);
    return add(std::move(made));
  }
  const std::int64_t line = made.address / line_words;
  bool each = in.refresh;
  if (in.via == PollVia::get_value && run_->refreshes) {
    const auto place = static_cast<std::size_t>(in.src.index);
    if (run_->kernel->tensors[place].is_const) {
      each = true;
    } else {
      if (!each && objects_[place].last_read != line) refresh_line(line);
      objects_[place].last_read = line;
    }
  }
  if (each) refresh_line(line);
  made.kind = each ? MicroKind::poll_refresh : MicroKind::poll_cached;
  add(std::move(made));
}

void CoreBuilder::query(const Instruction& in) {
  Step made = step(MicroKind::query);
  switch (in.op) {
    case Op::get_block_num: made.logged = run_->kernel->blocks; break;
    case Op::get_block_idx: made.logged = now_.core; break;
    case Op::get_sub_block_idx: made.logged = now_.sub; break;
    default: made.logged = run_->task_ratio; break;
  }
  add(std::move(made));
}

void CoreBuilder::pipe_all() {
  Step made = step(MicroKind::pipe_all);
  made.both_kinds = holds(latitude_pin(2, "both-kinds"));
  add(std::move(made));
}

void CoreBuilder::settle() {
  add(step(MicroKind::settle));
}

void CoreBuilder::enter(int ended) {
  Step made = step(MicroKind::enter);
  made.number = ended;
  add(std::move(made));
}

void CoreBuilder::leave() {
  // The core is free for the next block when its cache is clean and its pipes are empty.
  refresh_all();
  Step landed = step(MicroKind::dsb);
  add(std::move(landed));
  pipe_all();
  add(step(MicroKind::leave));
}

void CoreBuilder::refresh_all() {
  add(step(MicroKind::refresh_all));
}

}  // namespace skcts::explorer
