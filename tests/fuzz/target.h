// What a fuzz target gives: one run on any bytes, and inputs to begin with. The entry point is that
// of libFuzzer, so that clang and others can drive it too; driver.cpp does where there is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace tacho::fuzz {

/// Inputs that are understood, whose mutations reach deep.
std::vector<std::string> seeds();

}  // namespace tacho::fuzz
