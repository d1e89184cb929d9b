// The files of one control group, as the schema names them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collect/process_files.h"
#include "collect/reader.h"
#include "collect/shape.h"
#include "host/cgroups.h"

namespace tacho {

/// One of the table's sources and where it lies on this machine.
struct CgroupSource {
  explicit CgroupSource(const Source& source);

  const Source* source;
  std::string controller;  ///< "" for v2
  std::string file;
  std::optional<size_t> hierarchy;  ///< which one holds it, if any
  bool setting = false;             ///< what somebody sets, not what happens: read less often
  bool memory = false;              ///< cannot change while the group does not run
  RowParser parser;

  /// Fills the cells that nothing better has filled.
  void parse(std::string_view text, Rows& rows, size_t row, Ranks& ranks);
  [[nodiscard]] bool wanted(const Ranks& ranks) const;
};

/// All sources of the table cgroup that are files of a group.
[[nodiscard]] std::vector<CgroupSource> cgroup_sources();

/// Kept-open descriptors of a group, one for each source, as far as the budget goes.
class CgroupFiles {
 public:
  CgroupFiles(size_t sources, DescriptorBudget& budget) : slots_(sources), budget_(budget) {}
  ~CgroupFiles();
  CgroupFiles(const CgroupFiles&) = delete;
  CgroupFiles& operator=(const CgroupFiles&) = delete;

  /// The text lies in `buffer`. A file that was not there is not looked for again before retry().
  [[nodiscard]] Result<std::string_view> read(size_t source, const std::string& path,
                                              const Machine& machine, Buffer& buffer);
  void retry();

 private:
  struct Slot {
    Fd fd;
    std::optional<Errc> failed;
  };
  void close(Slot& slot);
  std::vector<Slot> slots_;
  DescriptorBudget& budget_;
};

}  // namespace tacho
