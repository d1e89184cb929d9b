// The parsers of what the kernel says, one after the other. The first byte of the input chooses the
// parser, the rest is its text.
#include <functional>

#include "base/text.h"
#include "collect/kernel_message.h"
#include "collect/mask.h"
#include "collect/nfs_reader.h"
#include "collect/shape.h"
#include "collect/stat_line.h"
#include "host/cgroups.h"
#include "host/ethtool.h"
#include "host/kernel_log.h"
#include "host/mounts.h"
#include "host/sockets.h"
#include "host/system_facts.h"
#include "host/taskstats.h"
#include "schema/process.h"
#include "target.h"

namespace tacho::fuzz {
namespace {

struct Parser {
  std::function<void(std::string_view)> parse;
  std::string seed;
};

/// A row of a table filled from a text, twice, as in two samples.
template <typename P>
auto into_row(TableId table, P parser) {
  return [table, parser](std::string_view text) mutable {
    Rows rows(layout_of(table), std::make_shared<TextPool>());
    Ranks ranks;
    for (int i = 0; i < 2; ++i) {
      size_t row = rows.append();
      ranks.reset(rows.width());
      if constexpr (std::is_same_v<P, RowParser>) {
        parser.parse(text, rows, row, ranks);
      } else {
        (void)parser.parse(text, rows, row);
      }
    }
  };
}

std::string seed_of(const Source& source, const TableView& table) {
  std::string text;
  switch (source.shape) {
    case Shape::keyed:
      for (const Binding& b : bind(table, source))
        text += std::string(b.place.key) + ": 123 kB\n";
      return text;
    case Shape::headed:
      return "Tcp: RtoAlgorithm RtoMin CurrEstab\nTcp: 1 200 7\nTcpExt: SyncookiesSent\nTcpExt: "
             "3\n";
    case Shape::pairs:
      return "some avg10=1.23 avg60=0.00 avg300=0.00 total=4567\nfull avg10=0 total=8\n8:0 "
             "rbytes=1 wbytes=2 rios=3 wios=4\n";
    case Shape::value:
      return "1000\n";
    default:
      return "   8       0 sda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n0000000a 00000001 0 0\n";
  }
}

/// Every text source of every table, by the parser of its shape.
void add_sources(std::vector<Parser>& all) {
  for (size_t i = 0; i < kTableCount; ++i) {
    const TableView& table = table_view(static_cast<TableId>(i));
    for (const Source* source : sources_of(table)) {
      std::string seed = seed_of(*source, table);
      if (source->shape == Shape::rows || source->shape == Shape::hexrows) {
        all.push_back({into_row(table.id, LineParser(table, *source)), seed});
      }
      if (source->shape != Shape::call && source->shape != Shape::record)
        all.push_back({into_row(table.id, RowParser(table, *source)), seed});
    }
  }
}

std::string netlink(uint16_t type, const std::string& body) {
  std::string bytes;
  auto put = [&](auto number) {
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  put(static_cast<uint32_t>(16 + body.size()));
  put(type);
  put(uint16_t{2});
  put(uint32_t{1});
  put(uint32_t{0});
  return bytes + body;
}

const std::vector<Parser>& parsers() {
  static const std::vector<Parser> made = [] {
    std::vector<Parser> all;
    add_sources(all);
    all.push_back(
        {into_row(TableId::process, StatLine(table_view(TableId::process), schema::kPidStat)),
         "7 (a b) c) S 1 7 7 0 -1 4194560 100 0 1 0 12 34 0 0 20 0 1 0 500 4096000 250 "
         "18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n"});
    all.push_back({[](std::string_view t) {
                     for (const Mount& m : parse_mountinfo(t))
                       (void)escape_mount(unescape_mount(m.point));
                   },
                   "36 35 98:0 /mnt1 /mnt\\0402 rw,noatime master:1 - ext3 /dev/root "
                   "rw,errors=continue\n"});
    all.push_back({[](std::string_view t) { (void)parse_process_cgroups(t); },
                   "4:memory:/a\n0::/user.slice\n"});
    all.push_back({[](std::string_view t) { (void)cgroup_path(t); }, "4:cpu,cpuacct:/a\n0::/b\n"});
    all.push_back({[](std::string_view t) { (void)count_cpus(t); }, "0-3,8,10-11\n"});
    all.push_back({[](std::string_view t) { (void)parse_cpu_list(t); }, "0-3,8,10-11\n"});
    all.push_back({[](std::string_view t) { (void)highest_speed(parse_link_modes(t)); },
                   "ffffffff,000000ff\n"});
    all.push_back({[](std::string_view t) {
                     if (auto record = parse_kernel_record(t))
                       (void)classify_kernel_message(record->message);
                   },
                   "6,339,5140900,-;NET: Registered PF_VSOCK\n SUBSYSTEM=net\n"});
    all.push_back({[](std::string_view t) { (void)classify_kernel_message(t); },
                   "NVRM: Xid (PCI:0000:01:00): 79, pid=7, GPU has fallen off the bus."});
    all.push_back({[](std::string_view t) { (void)classify_kernel_message(t); },
                   "Out of memory: Killed process 77 (python) total-vm:1kB, anon-rss:2kB"});
    all.push_back({[](std::string_view t) { (void)masked_command_line(t); },
                   std::string("train\0--token=abc\0-p\0API_KEY=x", 31)});
    all.push_back({[](std::string_view t) {
                     Rows rows(layout_of(TableId::mount_nfs), std::make_shared<TextPool>());
                     parse_mountstats(t, rows);
                   },
                   "device s:/e mounted on /mnt with fstype nfs4 statvers=1.1\n\tper-op "
                   "statistics\n\t        READ: 1 2 3 4 5 6 7 8 9\n"});
    for (SocketProtocol protocol : kSocketProtocols) {
      all.push_back({[protocol](std::string_view t) { (void)parse_socket_line(protocol, t); },
                     "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000005 00:00000000 00000000 "
                     "  0        0 12345 1 0000000000000000 100 0 0 10 0"});
      all.push_back({[protocol](std::string_view t) { (void)parse_inet_diag(protocol, t); },
                     netlink(20, std::string(72, '\1') + std::string("\x08\0\x02\0abcd", 8))});
    }
    all.push_back({[](std::string_view t) { (void)parse_task_exit(t); },
                   netlink(30, std::string("\1\1\0\0", 4) + std::string("\x50\1\4\0", 4) +
                                   std::string(332, '\2'))});
    all.push_back({[](std::string_view t) { (void)parse_duration(t); }, "1h30m"});
    all.push_back({[](std::string_view t) { (void)parse_size(t); }, "1.5GiB"});
    all.push_back({[](std::string_view t) { (void)escape_control(t); }, "a\x1b[31m\xc2\x9b"});
    return all;
  }();
  return made;
}

}  // namespace

std::vector<std::string> seeds() {
  std::vector<std::string> all;
  for (size_t i = 0; i < parsers().size(); ++i)
    all.push_back(std::string(1, static_cast<char>(i)) + parsers()[i].seed);
  return all;
}

}  // namespace tacho::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto& all = tacho::fuzz::parsers();
  if (size == 0) return 0;
  std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  all[data[0] % all.size()].parse(text);
  return 0;
}
