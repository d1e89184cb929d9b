// The readers of the machine-wide text files: a table that is one row, and a table that is a line
// per instance. Which files and which columns, the schema says.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "collect/reader.h"
#include "collect/shape.h"

namespace tacho {

/// Hands out one SharedFile per path.
class FileSet {
 public:
  [[nodiscard]] SharedFilePtr get(const std::string& path);

 private:
  std::map<std::string, SharedFilePtr> files_;
};

/// One row, from all the sources that the table's metrics name: system, memory, vm, pressure, ip,
/// tcp, udp. A source that cannot be read makes its own columns absent; all of them, the table.
[[nodiscard]] std::unique_ptr<Reader> make_row_reader(TableId table, FileSet& files);

/// Fills cells of a row that the line of its instance does not hold.
class RowFacts {
 public:
  virtual ~RowFacts() = default;
  virtual void fill(Collecting& collecting, Rows& rows, size_t row) = 0;
};

/// A row per line of proc/stat's "cpu…" lines, proc/diskstats, proc/net/dev, proc/net/softnet_stat.
/// `facts` may be null.
[[nodiscard]] std::unique_ptr<Reader> make_line_reader(TableId table, const Source& source,
                                                       FileSet& files,
                                                       std::unique_ptr<RowFacts> facts);

/// Facts in files of one value under a folder of the instance (shape `value`, a {key} in the path):
/// read when the instance is first seen and again every `seconds`.
[[nodiscard]] std::unique_ptr<RowFacts> make_value_facts(TableId table, int seconds);

}  // namespace tacho
