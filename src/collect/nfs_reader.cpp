#include "collect/nfs_reader.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"
#include "host/mounts.h"
#include "schema/disk.h"

namespace tacho {
namespace {

/// The metrics in the order of the line; those that are not recorded are no columns.
constexpr std::array kNumbers{
    schema::mount_nfs["requests"],       schema::mount_nfs["transmissions"],
    schema::mount_nfs["timeouts"],       schema::mount_nfs["bytes_sent"],
    schema::mount_nfs["bytes_received"], schema::mount_nfs["queue_time"],
    schema::mount_nfs["rtt_time"],       schema::mount_nfs["execute_time"]};

struct NfsMount {
  std::string device;
  std::string point;
  bool is_nfs = false;
  bool in_operations = false;
};

/// "device S mounted on P with fstype T …".
NfsMount parse_device(std::string_view line) {
  NfsMount mount;
  next_field(line);
  mount.device = unescape_mount(next_field(line));
  bool said = next_field(line) == "mounted" && next_field(line) == "on";
  mount.point = unescape_mount(next_field(line));
  said = said && next_field(line) == "with" && next_field(line) == "fstype";
  std::string_view type = next_field(line);
  mount.is_nfs = said && (type == "nfs" || type == "nfs4");
  return mount;
}

void parse_operation(const NfsMount& mount, std::string_view line, Rows& rows) {
  std::string_view operation = next_field(line);
  if (operation.size() < 2 || !operation.ends_with(':')) return;
  operation.remove_suffix(1);
  std::array<uint64_t, kNumbers.size()> numbers{};
  for (uint64_t& number : numbers) {
    auto value = parse_u64(trim(next_field(line)));
    if (!value) return;
    number = *value;
  }
  if (numbers[0] == 0) return;  // never used
  size_t row = rows.append();
  rows.set_text(row, schema::mount_nfs["mount"], mount.point);
  rows.set_text(row, schema::mount_nfs["operation"], operation);
  rows.set_text(row, schema::mount_nfs["device"], mount.device);
  for (size_t i = 0; i < numbers.size(); ++i)
    rows.set(row, kNumbers[i], numbers[i]);
  // One share mounted twice at one place: the upper one hides the lower.
  for (size_t other = 0; other < row; ++other) {
    if (!rows.same_key(row, rows, other)) continue;
    for (size_t i = 0; i < numbers.size(); ++i)
      rows.set(other, kNumbers[i], numbers[i]);
    rows.set_text(other, schema::mount_nfs["device"], mount.device);
    rows.drop_last();
    return;
  }
}

class NfsReader : public Reader {
 public:
  TableId table() const override { return TableId::mount_nfs; }
  Result<void> read(Collecting& collecting, Rows& rows) override {
    auto text = file_.read(collecting.machine, collecting.buffer);
    if (!text) return tl::unexpected(text.error());
    parse_mountstats(*text, rows);
    return {};
  }

 private:
  KeptFile file_{"proc/self/mountstats"};
};

}  // namespace

void parse_mountstats(std::string_view text, Rows& rows) {
  NfsMount mount;
  std::string_view line;
  while (next_line(text, line)) {
    if (line.starts_with("device ") || line.starts_with("no device ")) {
      mount = parse_device(line);
    } else if (mount.is_nfs && trim(line) == "per-op statistics") {
      mount.in_operations = true;
    } else if (mount.in_operations) {
      parse_operation(mount, line, rows);
    }
  }
}

std::unique_ptr<Reader> make_nfs_reader() {
  return std::make_unique<NfsReader>();
}

}  // namespace tacho
