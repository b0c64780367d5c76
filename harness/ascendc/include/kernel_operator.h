// The public Ascend C interfaces that operators are written against, over harness/ascendc/device.h
// and nothing else. Each part of them is a header of its own.
#pragma once

#include "harness/ascendc/include/skcts_missing.h"
