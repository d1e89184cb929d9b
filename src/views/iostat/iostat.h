// iostat (sysstat 12.7.9): the same reports, right where the original is wrong: times that wrap at
// 2^32 ms, counters that fall, %util over 100.
#pragma once

#include <string>
#include <vector>

#include "derive/window.h"
#include "render/json.h"

namespace tacho {

/// What -g NAME and the words behind it ask for: devices, and groups that sum up those before them.
struct IostatEntry {
  bool is_group = false;
  std::string name;         ///< of the group, or of the device without "/dev/"
  bool partitions = false;  ///< -p: with its partitions
};

struct IostatOptions {
  bool cpu = true;
  bool disk = true;
  bool extended = false;     ///< -x
  bool brief = false;        ///< -s
  bool timestamp = false;    ///< -t
  bool omit_idle = false;    ///< -z
  bool dm_names = false;     ///< -N
  bool only_groups = false;  ///< -H
  bool human = false;        ///< --human
  bool pretty = false;       ///< --pretty: the device at the end, -x in several tables
  bool compact = false;      ///< --compact: -x in one table nevertheless
  bool raw_util = false;     ///< --raw-util: %util as the kernel's figures have it
  bool iso_time = false;     ///< S_TIME_FORMAT=ISO
  int digits = 2;            ///< --dec
  /// Bytes in what is shown: 1024 kB, 1048576 MB, 1 << 30 GB, 512 blocks.
  uint64_t unit = 1024;
  bool all = false;              ///< ALL: every whole disk, used or not
  bool all_partitions = false;   ///< -p ALL
  bool used_partitions = false;  ///< -p alone: those that were ever used
  std::vector<IostatEntry> entries;
};

[[nodiscard]] Selection iostat_selection(const IostatOptions& options);

/// "Linux 6.1.0 (host) \t12/01/26 \t_x86_64_\t(8 CPU)" and an empty line.
[[nodiscard]] std::string iostat_banner(const Sample& sample, const IostatOptions& options);
/// One report, empty lines at its end included.
[[nodiscard]] std::string iostat_report(const Window& window, const IostatOptions& options);

/// The original's JSON document, piece by piece: head, one per report, tail.
[[nodiscard]] std::string iostat_document_head(const Sample& sample, const IostatOptions& options);
[[nodiscard]] std::string iostat_document_report(const Window& window, const IostatOptions& options,
                                                 bool first);
[[nodiscard]] std::string iostat_document_tail();

/// tacho's own: measured seconds, absent figures as null, %util over 100 flagged.
[[nodiscard]] Json iostat_json(const Window& window, const IostatOptions& options);

}  // namespace tacho
