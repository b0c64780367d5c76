// One worker stores, another reads after a synchronisation that the caller writes.
#pragma once

#include "generators/fragments.h"

namespace skcts::generators {

/// An exchange in the making: write(), the synchronisation, read().
class Exchange {
 public:
  /// The region is fresh, so that nothing but this fragment touches it in this sub kernel.
  /// `scalar`: by scalar accesses with their refreshes, else by DMA.
  Exchange(Builder& b, const Lane& writer, const Lane& reader, bool scalar);

  /// Drawn for a fragment: DMA mostly.
  static bool draw_scalar(Builder& b);

  [[nodiscard]] bool is_scalar() const { return scalar_; }
  [[nodiscard]] const RegionUse& region() const { return region_; }
  [[nodiscard]] int slot_words() const { return region_.slot_words; }

  /// A reader may hold the line from an earlier, harmless read of another word.
  void touch(const Slot& from);
  void write(const Slot& to);
  void read(const Slot& from);

 private:
  Builder& b_;
  Lane writer_;
  Lane reader_;
  bool scalar_;
  RegionUse region_;
  bool touched_ = false;
};

}  // namespace skcts::generators
