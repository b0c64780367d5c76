#include "spec/validate_queues.h"

#include <algorithm>

#include <fmt/format.h>

namespace skcts {
namespace {

constexpr std::int64_t block_words = 8;

}  // namespace

void QueueCheck::begin() {
  held_ = {};
}

const Stretch* QueueCheck::local(std::int16_t name) const {
  const auto found = held_.locals.find(name);
  return found == held_.locals.end() ? nullptr : &found->second.place;
}

void QueueCheck::call(const Instruction& in) {
  switch (in.op) {
    case Op::tpipe_init: return construct_tpipe(in.object);
    case Op::tpipe_destroy:
      if (tpipe_lives(in.object)) destroy_tpipe(in.object);
      return;
    case Op::tpipe_end: return end_tpipe(in.object);
    case Op::init_buffer: return init_buffer(in);
    default: return queue_call(in);
  }
}

bool QueueCheck::tpipe_lives(std::int16_t object) {
  const PipeLife life = held_.tpipes[object];
  if (life == PipeLife::live) return true;
  if (life == PipeLife::destroyed) {
    add("tpipe", fmt::format("the TPipe {} was destroyed before", name(object)));
  } else {
    add("tpipe", fmt::format("no TPipe {} lives here", name(object)), "TPipe constructs it");
  }
  return false;
}

void QueueCheck::construct_tpipe(std::int16_t object) {
  if (held_.live_tpipe >= 0) {
    add("tpipe",
        fmt::format("the TPipe {} lives here; a core has one at a time", name(held_.live_tpipe)),
        "Destroy or TPipeEndOfScope comes first");
  }
  held_.tpipes[object] = PipeLife::live;
  held_.live_tpipe = object;
  held_.allocated.fill(0);
  held_.buffers = 0;
}

void QueueCheck::destroy_tpipe(std::int16_t object) {
  held_.tpipes[object] = PipeLife::destroyed;
  held_.live_tpipe = -1;
  for (auto& [queue_name, queue] : held_.queues) queue.alive = false;
}

void QueueCheck::end_tpipe(std::int16_t object) {
  const PipeLife life = held_.tpipes[object];
  if (life == PipeLife::none) {
    tpipe_lives(object);
    return;
  }
  if (life == PipeLife::live) destroy_tpipe(object);
  held_.tpipes[object] = PipeLife::none;
}

void QueueCheck::init_buffer(const Instruction& in) {
  if (!tpipe_lives(in.other)) return;
  Queue& queue = held_.queues[in.object];
  if (queue.alive) {
    return add("queue", fmt::format("{} has its buffers already", name(in.object)),
               "a TPipe lays a queue out once");
  }
  queue = Queue();
  queue.tpipe = in.other;
  queue.alive = true;
  queue.position = in.position;
  queue.memory = memory_of(in.position);
  queue.buffer_words = (std::int64_t{in.count} + block_words - 1) / block_words * block_words;
  queue.out.assign(static_cast<std::size_t>(in.num), false);
  std::int64_t& next = held_.allocated[static_cast<std::size_t>(queue.memory)];
  queue.base = next;
  next += queue.buffer_words * in.num;
  if (next > words_of_memory(profile_, queue.memory)) {
    add("count", fmt::format("the buffers end at word {} of {}, which has {}", next,
                             to_string(queue.memory), words_of_memory(profile_, queue.memory)));
  }
  held_.buffers += in.num;
  if (held_.buffers > 64) {
    add("num", fmt::format("{} buffers in one TPipe, which has 64 at most", held_.buffers));
  }
  // Tensors of the buffers that the name had before are no longer its own.
  for (auto& [local_name, local] : held_.locals) {
    if (local.queue == in.object) local.queue = -1;
  }
}

void QueueCheck::give(std::int16_t local, std::int16_t queue_name, const Queue& queue,
                      std::size_t buffer) {
  const auto turn = static_cast<std::int64_t>(buffer);
  held_.locals[local] = LocalTensor{
      queue_name, buffer,
      Stretch{queue.memory, queue.base + turn * queue.buffer_words, queue.buffer_words}};
}

QueueCheck::Queue* QueueCheck::called(const Instruction& in) {
  const auto found = held_.queues.find(in.object);
  if (found == held_.queues.end()) {
    add("queue", fmt::format("no queue {} here", name(in.object)), "InitBuffer lays it out");
    return nullptr;
  }
  Queue& queue = found->second;
  if (!queue.alive) {
    add("queue",
        fmt::format("the TPipe {} of {} was destroyed before", name(queue.tpipe), name(in.object)));
    return nullptr;
  }
  const Use use = in.op == Op::tbuf_get ? Use::tbuf : Use::queue;
  if (use == Use::queue && queue.position == Position::veccalc) {
    add("queue",
        fmt::format("{} has the position VECCALC: a TBuf, which has no {}", name(in.object),
                    to_string(in.op)),
        "Get names a TBuf");
    return nullptr;
  }
  if (use == Use::tbuf && queue.out.size() != 1) {
    add("queue",
        fmt::format("{} has {} buffers; a TBuf has one", name(in.object), queue.out.size()));
    return nullptr;
  }
  if (queue.use != Use::open && queue.use != use) {
    add("queue", fmt::format("{} is a {}, which has no {}", name(in.object),
                             queue.use == Use::tbuf ? "TBuf (Get)" : "queue (AllocTensor)",
                             to_string(in.op)));
    return nullptr;
  }
  queue.use = use;
  return &queue;
}

void QueueCheck::queue_call(const Instruction& in) {
  Queue* const queue = called(in);
  if (queue == nullptr) return;
  switch (in.op) {
    case Op::tbuf_get: return give(in.other, in.object, *queue, 0);
    case Op::alloc_tensor: return alloc(in, *queue);
    case Op::deque: return take_queued(in, *queue);
    default: return put_or_free(in, *queue);
  }
}

void QueueCheck::alloc(const Instruction& in, Queue& queue) {
  if (queue.out[queue.next]) {
    return add("queue", fmt::format("the next buffer of {} was not freed", name(in.object)),
               "FreeTensor before, or more buffers: AllocTensor would wait for ever");
  }
  queue.out[queue.next] = true;
  give(in.other, in.object, queue, queue.next);
  queue.next = (queue.next + 1) % queue.out.size();
}

void QueueCheck::take_queued(const Instruction& in, Queue& queue) {
  if (queue.queued.empty()) {
    return add("queue", fmt::format("nothing was put into {}", name(in.object)),
               "EnQue comes first");
  }
  give(in.other, in.object, queue, queue.queued.front());
  queue.queued.pop_front();
}

void QueueCheck::put_or_free(const Instruction& in, Queue& queue) {
  const auto held = held_.locals.find(in.other);
  if (held == held_.locals.end() || held->second.queue != in.object) {
    return add("local", fmt::format("{} is no tensor of {} here", name(in.other), name(in.object)),
               "AllocTensor or DeQue gives one");
  }
  const std::size_t buffer = held->second.buffer;
  const bool queued =
      std::find(queue.queued.begin(), queue.queued.end(), buffer) != queue.queued.end();
  if (!queue.out[buffer] || queued) {
    return add("local", fmt::format("{} was {} before", name(in.other),
                                    queued ? "put into its queue" : "freed"));
  }
  if (in.op == Op::free_tensor) {
    queue.out[buffer] = false;
  } else {
    queue.queued.push_back(buffer);
  }
}

}  // namespace skcts
