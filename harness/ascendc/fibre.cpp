// Fibres over Boost.Context's switch; the sanitizers are told of each one.
#include "harness/ascendc/fibre.h"

#include <exception>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

#include <boost/context/detail/fcontext.hpp>

#include "spec/check.h"

#if defined(__SANITIZE_ADDRESS__)
#define SKCTS_FIBRE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SKCTS_FIBRE_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define SKCTS_FIBRE_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SKCTS_FIBRE_TSAN 1
#endif
#endif

#ifdef SKCTS_FIBRE_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef SKCTS_FIBRE_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace skcts::ascendc {

namespace {

namespace context = boost::context::detail;

std::size_t page_bytes() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

StackPool::~StackPool() {
  for (void* stack : free_) {
    munmap(static_cast<char*>(stack) - page_bytes(), bytes_ + page_bytes());
  }
}

void* StackPool::take() {
  if (!free_.empty()) {
    void* stack = free_.back();
    free_.pop_back();
    return stack;
  }
  const std::size_t page = page_bytes();
  void* all = mmap(nullptr, bytes_ + page, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  SKCTS_CHECK(all != MAP_FAILED, "no memory for a stack of {} bytes", bytes_);
  SKCTS_CHECK(mprotect(all, page, PROT_NONE) == 0, "no guard page below a stack");
  return static_cast<char*>(all) + page;
}

struct Fibre::State {
  StackPool* pool = nullptr;
  void* stack = nullptr;
  std::function<void()> body;
  context::fcontext_t inside = nullptr;   ///< Where the body goes on.
  context::fcontext_t outside = nullptr;  ///< Where whoever resumed it goes on.
  bool alive = false;
  std::exception_ptr thrown;
#ifdef SKCTS_FIBRE_ASAN
  void* fake_inside = nullptr;
  void* fake_outside = nullptr;
  const void* outside_stack = nullptr;
  std::size_t outside_bytes = 0;
#endif
#ifdef SKCTS_FIBRE_TSAN
  void* tsan_inside = nullptr;
  void* tsan_outside = nullptr;
#endif

  enum class Way { into, out_of, for_good };
  /// The one place where stacks are changed.
  void switch_stack(Way way);
  void arrived_inside();
  static void enter(context::transfer_t from);
};

void Fibre::State::switch_stack(Way way) {
  const bool into = way == Way::into;
#ifdef SKCTS_FIBRE_ASAN
  if (into) {
    __sanitizer_start_switch_fiber(&fake_outside, stack, pool->bytes());
  } else {
    __sanitizer_start_switch_fiber(way == Way::for_good ? nullptr : &fake_inside, outside_stack,
                                   outside_bytes);
  }
#endif
#ifdef SKCTS_FIBRE_TSAN
  if (into) tsan_outside = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(into ? tsan_inside : tsan_outside, 0);
#endif
  const context::transfer_t back = context::jump_fcontext(into ? inside : outside, this);
  if (into) {
    inside = back.fctx;
#ifdef SKCTS_FIBRE_ASAN
    __sanitizer_finish_switch_fiber(fake_outside, nullptr, nullptr);
#endif
  } else {
    outside = back.fctx;
    arrived_inside();
  }
}

void Fibre::State::arrived_inside() {
#ifdef SKCTS_FIBRE_ASAN
  __sanitizer_finish_switch_fiber(fake_inside, &outside_stack, &outside_bytes);
#endif
}

void Fibre::State::enter(context::transfer_t from) {
  State& state = *static_cast<State*>(from.data);
  state.outside = from.fctx;
  state.arrived_inside();
  try {
    state.body();
  } catch (...) {
    state.thrown = std::current_exception();
  }
  state.alive = false;
  state.switch_stack(Way::for_good);
}

Fibre::Fibre() : state_(std::make_unique<State>()) {}

Fibre::~Fibre() {
  abandon();
}

void Fibre::start(StackPool& pool, std::function<void()> body) {
  abandon();
  State& state = *state_;
  state.pool = &pool;
  state.stack = pool.take();
  state.body = std::move(body);
  state.alive = true;
  char* const top = static_cast<char*>(state.stack) + pool.bytes();
  state.inside = context::make_fcontext(top, pool.bytes(), &State::enter);
#ifdef SKCTS_FIBRE_ASAN
  __asan_unpoison_memory_region(state.stack, pool.bytes());
#endif
#ifdef SKCTS_FIBRE_TSAN
  state.tsan_inside = __tsan_create_fiber(0);
#endif
}

bool Fibre::resume() {
  State& state = *state_;
  if (!state.alive) return false;
  state.switch_stack(State::Way::into);
  if (state.alive) return true;
  drop_stack();
  if (std::exception_ptr thrown = std::exchange(state.thrown, nullptr)) {
    std::rethrow_exception(thrown);
  }
  return false;
}

void Fibre::pause() {
  state_->switch_stack(State::Way::out_of);
}

void Fibre::abandon() {
  if (!state_->alive) return;
  state_->alive = false;
  drop_stack();
}

void Fibre::drop_stack() {
  State& state = *state_;
  state.pool->give_back(std::exchange(state.stack, nullptr));
#ifdef SKCTS_FIBRE_TSAN
  __tsan_destroy_fiber(state.tsan_inside);
#endif
}

bool Fibre::running() const {
  return state_->alive;
}

}  // namespace skcts::ascendc
