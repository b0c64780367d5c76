// One function for each group of tiny mixes.
#pragma once

#include <vector>

#include "generators/tiny_builder.h"

namespace skcts::generators {

/// Starts a sub kernel that has two cores, seldom one or four.
void draw_shape(TinyBuilder& b);

/// A pattern of two cores on shared words. `percent`: how likely each part of a hand-over is there.
void write_exchange(TinyBuilder& b, const std::vector<Way>& ways, int percent);

void write_dma(TinyBuilder& b);
void write_scalar(TinyBuilder& b);
void write_bypass(TinyBuilder& b);
void write_events(TinyBuilder& b);
void write_atomic_adds(TinyBuilder& b);
void write_placement(TinyBuilder& b);
void write_plans(TinyBuilder& b);

void write_flags(TinyBuilder& b);
void write_sync_all(TinyBuilder& b);
void write_soft_barrier(TinyBuilder& b);
void write_ib(TinyBuilder& b);
void write_early_start(TinyBuilder& b);
void write_queues(TinyBuilder& b);
void write_matmul(TinyBuilder& b);
void write_polls(TinyBuilder& b);

}  // namespace skcts::generators
