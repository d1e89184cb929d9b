#include "collect/unix_reader.h"

#include <array>

#include "base/text.h"
#include "collect/socket_holders.h"
#include "schema/net.h"

namespace tacho {
namespace {

class UnixReader : public Reader {
 public:
  UnixReader(SocketOptions::Owners owners, std::shared_ptr<SocketHolders> holders)
      : owners_(owners), holders_(std::move(holders)) {}
  TableId table() const override { return TableId::socket_unix; }
  bool slow() const override { return true; }

  Result<void> read(Collecting& collecting, Rows& rows) override {
    auto text = collecting.machine.read("proc/net/unix", collecting.buffer);
    if (!text) return tl::unexpected(text.error());
    parse_unix_sockets(*text, rows);
    if (owners_ != SocketOptions::Owners::complete) return {};
    auto held = holders_->look(collecting);
    for (size_t row = 0; row < rows.size(); ++row) {
      uint64_t inode = rows.at(row, schema::socket_unix["inode"]).bits;
      auto [pid, program] = held->of(inode);
      if (pid) {
        rows.set(row, schema::socket_unix["pid"], pid.bits);
        rows.set_text(row, schema::socket_unix["program"], program);
      } else {
        rows.set_absent(row, schema::socket_unix["pid"], pid.absent);
        rows.set_absent(row, schema::socket_unix["program"], pid.absent);
      }
    }
    return {};
  }

 private:
  SocketOptions::Owners owners_;
  std::shared_ptr<SocketHolders> holders_;
};

}  // namespace

void parse_unix_sockets(std::string_view text, Rows& rows) {
  std::string_view line;
  next_line(text, line);  // the names of the columns
  while (next_line(text, line)) {
    // Num RefCount Protocol Flags Type St Inode Path
    std::array<std::string_view, 7> f;
    for (auto& field : f)
      field = next_field(line);
    auto references = parse_u64(f[1], 16);
    auto flags = parse_u64(f[3], 16);
    auto type = parse_u64(f[4], 16);
    auto state = parse_u64(f[5], 16);
    auto inode = parse_u64(f[6]);
    if (!f[0].ends_with(':') || !references || !flags || !type || !state || !inode) continue;
    size_t row = rows.append();
    rows.set(row, schema::socket_unix["inode"], *inode);
    rows.set(row, schema::socket_unix["references"], *references);
    rows.set(row, schema::socket_unix["flags"], *flags);
    rows.set(row, schema::socket_unix["type"], *type);
    rows.set(row, schema::socket_unix["state"], *state);
    // One space, then the path, which may have others in it.
    std::string_view path = line.starts_with(' ') ? line.substr(1) : line;
    if (path.empty()) {
      rows.set_absent(row, schema::socket_unix["path"], Absent::not_applicable);
    } else {
      rows.set_text(row, schema::socket_unix["path"], path);
    }
  }
}

std::unique_ptr<Reader> make_unix_reader(SocketOptions::Owners owners,
                                         std::shared_ptr<SocketHolders> holders) {
  return std::make_unique<UnixReader>(owners, std::move(holders));
}

}  // namespace tacho
