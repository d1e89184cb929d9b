// A Diagnosis in words, and as tacho.why/1.
#pragma once

#include <string>
#include <vector>

#include "diagnose/diagnosis.h"
#include "render/json.h"
#include "render/palette.h"
#include "sample/gap.h"

namespace tacho {

/// The verdict, the five steps with each check against its threshold, evidence, advice, what was
/// ruled out and what could not be measured; no line longer than `width`.
[[nodiscard]] std::string to_text(const Diagnosis& diagnosis, size_t width, const Palette& palette);
/// The verdict alone, one or two lines.
[[nodiscard]] std::string verdict_text(const Diagnosis& diagnosis, size_t width,
                                       const Palette& palette);
/// The design's section 5: stable, additions allowed. `gaps`: what is missing of the time it is of.
[[nodiscard]] Json to_json(const Diagnosis& diagnosis, const std::string& host,
                           const std::vector<Gap>& gaps = {});

}  // namespace tacho
