#include "generators/edit.h"

#include <gtest/gtest.h>

namespace skcts::generators {
namespace {

Instruction on_name(Op op, std::int16_t object, std::int16_t other = -1) {
  Instruction in;
  in.op = op;
  in.object = object;
  in.other = other;
  return in;
}

TEST(Edit, NamesFollowTheirFirstUse) {
  SubKernel s;
  s.names = {"unused", "queue", "pipe"};
  s.aiv = {on_name(Op::tpipe_init, 2), on_name(Op::init_buffer, 1, 2)};
  renumber_names(s);
  EXPECT_EQ(s.names, (std::vector<std::string>{"pipe", "queue"}));
  EXPECT_EQ(s.aiv[1].object, 1);
  EXPECT_EQ(s.aiv[1].other, 0);
}

TEST(Edit, ATensorThatNothingNamesGoes) {
  SubKernel s;
  s.tensors.resize(3);
  s.tensors[2].name = "kept";
  Instruction load;
  load.op = Op::get_value;
  load.src = {Space::tensor, 2, {}};
  s.aic = {load, on_name(Op::tensor_end, 2)};
  drop_unused_tensors(s);
  ASSERT_EQ(s.tensors.size(), 1u);
  EXPECT_EQ(s.tensors[0].name, "kept");
  EXPECT_EQ(s.aic[0].src.index, 0);
  EXPECT_EQ(s.aic[1].object, 0);
}

TEST(Edit, RegionsInUseStayInOrder) {
  Mix mix;
  mix.regions.resize(4);
  for (std::size_t r = 0; r < 4; ++r)
    mix.regions[r].name = std::string(1, static_cast<char>('a' + r));
  SubKernel s;
  Instruction store;
  store.op = Op::raw_store;
  store.dst = {Space::gm, 3, {}};
  Instruction loop;
  loop.op = Op::repeat;
  loop.body = {store};
  s.aiv = {loop};
  mix.sub_kernels = {s};
  const auto place = drop_unused_regions(mix, {false, true});
  EXPECT_EQ(place, (std::vector<std::int16_t>{-1, 0, -1, 1}));
  ASSERT_EQ(mix.regions.size(), 2u);
  EXPECT_EQ(mix.regions[1].name, "d");
  EXPECT_EQ(mix.sub_kernels[0].aiv[0].body[0].dst.index, 1);
}

}  // namespace
}  // namespace skcts::generators
