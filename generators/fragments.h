// The fragments of semantics §6: each writes one stage into the sub kernel that is being built.
#pragma once

#include "generators/builder.h"

namespace skcts::generators {

/// Writes a stage. The plan has seen to it that the sub kernel can host it.
void write_stage(Builder& b, Stage stage);

// --- pieces that several fragments use -----------------------------------------------------

/// A slot of a region: `at` is its first word.
struct Slot {
  RegionUse region;
  Expr at;
};

/// The worker's own slot, or that of a neighbour.
Slot own_slot(const Lane& lane, const RegionUse& r);
Slot shifted_slot(const Lane& lane, const RegionUse& r, int shift);
/// The slot of a block's cube core, for its vector cores.
inline Slot cube_slot(const RegionUse& r) {
  return {r, {.block = r.slot_words}};
}

/// Stores fresh values to the slot by DMA: the store is the last instruction.
void produce(Builder& b, const Lane& lane, const Slot& to, int count, bool add = false);
/// Loads the slot by DMA and stores what became of it to an output region of its own.
void consume(Builder& b, const Lane& lane, const Slot& from, int count);

void consume_on_cube(Builder& b, const Lane& lane, Operand from, Operand to, int count);

/// Loads one word by scalar into a register, refreshed so that the value is the latest one:
/// what other sub kernels, and with `in_this_sub` other cores or DMA of this one, stored.
int scalar_load(Builder& b, const Lane& lane, const Slot& from, bool in_this_sub);
/// Stores a value by scalar. With `hand_over` it has landed after the last instruction written;
/// otherwise at the latest when the next sub kernel starts.
void scalar_store(Builder& b, const Lane& lane, const Slot& to, const Value& value, bool hand_over);
/// Stores a register to an output region of its own.
void keep_register(Builder& b, const Lane& lane, int reg);

void write_vector_stage(Builder& b, Stage stage);
void write_queue_stage(Builder& b, Stage stage);
void write_cube_stage(Builder& b, Stage stage);
void write_scalar_stage(Builder& b, Stage stage);
void write_full_core_stage(Builder& b, Stage stage);
void write_block_stage(Builder& b, Stage stage);
void write_gm_sync_stage(Builder& b, Stage stage);
/// What only the 950 has, and what it has in another way.
void write_stage_of_3510(Builder& b, Stage stage);

}  // namespace skcts::generators
