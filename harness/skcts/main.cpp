// skcts: the conformance test suite for SuperKernel.
#include "harness/skcts/program.h"

int main(int argc, char** argv) {
  return static_cast<int>(skcts::program::run_program(argc, argv));
}
