// TPipes, queues, TBufs and their tensors as one core of a program uses them.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "spec/mix.h"
#include "spec/profile.h"

namespace skcts {

/// A stretch of one memory.
struct Stretch {
  Space space = Space::none;
  std::int64_t base = 0;
  std::int64_t words = 0;
};

/// Follows the calls of one core, in order, and tells what is wrong with them.
class QueueCheck {
 public:
  /// Takes the key of the field, what is wrong, and what would help.
  using Add = std::function<void(std::string_view field, std::string message, std::string hint)>;
  QueueCheck(const SubKernel& kernel, const Profile& profile, Add add)
      : kernel_(kernel), profile_(profile), add_to_(std::move(add)) {}

  /// Another core begins the program.
  void begin();
  /// A call on a TPipe, a queue or a TBuf.
  void call(const Instruction& in);
  /// Where the local tensor of that name lies now; nullptr when there is none.
  const Stretch* local(std::int16_t name) const;

 private:
  /// What calls made of the buffers behind a name: a queue and a TBuf are different classes.
  enum class Use : std::uint8_t { open, queue, tbuf };
  enum class PipeLife : std::uint8_t { none, live, destroyed };
  struct Queue {
    std::int16_t tpipe = -1;
    bool alive = false;  ///< Its TPipe was not destroyed since InitBuffer.
    Use use = Use::open;
    Position position = Position::vecin;
    Space memory = Space::ub;
    std::int64_t base = 0;
    std::int64_t buffer_words = 0;
    std::vector<bool> out;           ///< Buffers that were allocated and not freed.
    std::size_t next = 0;            ///< The buffer that AllocTensor takes next.
    std::deque<std::size_t> queued;  ///< Buffers between EnQue and DeQue.
  };
  struct LocalTensor {
    std::int16_t queue = -1;  ///< -1: the queue was laid out anew since.
    std::size_t buffer = 0;
    Stretch place;
  };
  /// What a core has at one point of the program.
  struct Held {
    std::unordered_map<std::int16_t, PipeLife> tpipes;
    // One TPipe lives at a time, so that there is one pool.
    std::int16_t live_tpipe = -1;
    std::array<std::int64_t, 9> allocated{};  ///< By Space: the next free word of the pool.
    int buffers = 0;
    std::unordered_map<std::int16_t, Queue> queues;
    std::unordered_map<std::int16_t, LocalTensor> locals;
  };

  void add(std::string_view field, std::string message, std::string hint = {}) {
    add_to_(field, std::move(message), std::move(hint));
  }
  const std::string& name(std::int16_t place) const {
    return kernel_.names[static_cast<std::size_t>(place)];
  }
  bool tpipe_lives(std::int16_t object);
  void construct_tpipe(std::int16_t object);
  void destroy_tpipe(std::int16_t object);
  void end_tpipe(std::int16_t object);
  void init_buffer(const Instruction& in);
  void give(std::int16_t local, std::int16_t queue_name, const Queue& queue, std::size_t buffer);
  /// The queue or TBuf of a call, if it may be called so.
  Queue* called(const Instruction& in);
  void queue_call(const Instruction& in);
  void alloc(const Instruction& in, Queue& queue);
  void take_queued(const Instruction& in, Queue& queue);
  void put_or_free(const Instruction& in, Queue& queue);

  const SubKernel& kernel_;
  const Profile& profile_;
  Add add_to_;
  Held held_;
};

}  // namespace skcts
