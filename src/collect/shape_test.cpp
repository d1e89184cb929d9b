#include "collect/shape.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "schema/disk.h"
#include "schema/memory.h"
#include "schema/net.h"
#include "schema/system.h"

namespace tacho {
namespace {

/// One row of a table, filled from one source.
struct Parsed {
  Parsed(TableId id, const Source& source, std::string_view text)
      : rows(layout_of(id), std::make_shared<TextPool>()), parser(table_view(id), source) {
    again(text);
  }
  void again(std::string_view text) {
    rows.clear();
    rows.append();
    ranks.reset(rows.width());
    parser.parse(text, rows, 0, ranks);
  }
  [[nodiscard]] uint64_t operator[](Column column) const {
    EXPECT_TRUE(rows.at(0, column).has());
    return rows.at(0, column).bits;
  }
  [[nodiscard]] Absent absent(Column column) const { return rows.at(0, column).absent; }

  Rows rows;
  RowParser parser;
  Ranks ranks;
};

TEST(Keyed, TakesTheNumberBehindTheKey) {
  Parsed memory(TableId::memory, schema::kMeminfo,
                "MemTotal:       24683548 kB\nMemFree:  7 kB\nActive(anon):  1572 kB\n");
  EXPECT_EQ(memory[schema::memory["total"]], 24683548U);
  EXPECT_EQ(memory[schema::memory["free"]], 7U);
  EXPECT_EQ(memory[schema::memory["active_anon"]], 1572U);
  EXPECT_EQ(memory.rows.number(0, schema::memory["free"]).value, 7 * 1024.0);
  EXPECT_EQ(memory.absent(schema::memory["available"]), Absent::not_read);
}

TEST(Keyed, FollowsLinesThatMoved) {
  Parsed memory(TableId::memory, schema::kMeminfo, "MemTotal: 1 kB\nMemFree: 2 kB\n");
  memory.again("MemFree: 3 kB\nMemTotal: 4 kB\n");
  EXPECT_EQ(memory[schema::memory["free"]], 3U);
  EXPECT_EQ(memory[schema::memory["total"]], 4U);
}

TEST(Keyed, APreferredPlaceWinsWhateverTheOrder) {
  // workingset_refault_file replaced workingset_refault; were both there, the newer name counts.
  Parsed first(TableId::vm, schema::kVmstat, "workingset_refault 1\nworkingset_refault_file 2\n");
  EXPECT_EQ(first[schema::vm["refault_file"]], 2U);
  Parsed second(TableId::vm, schema::kVmstat, "workingset_refault_file 2\nworkingset_refault 1\n");
  EXPECT_EQ(second[schema::vm["refault_file"]], 2U);
  Parsed old(TableId::vm, schema::kVmstat, "workingset_refault 1\n");
  EXPECT_EQ(old[schema::vm["refault_file"]], 1U);
}

TEST(Keyed, WhatIsNoNumberIsUnreadable) {
  for (const char* value : {"", "x", "-5", "99999999999999999999999", "1.5", "0x10"}) {
    Parsed memory(TableId::memory, schema::kMeminfo, fmt::format("MemFree: {} kB", value));
    EXPECT_EQ(memory.absent(schema::memory["free"]), Absent::unreadable) << value;
  }
}

TEST(Columns, LoadsAreHundredths) {
  Parsed system(TableId::system, schema::kLoadavg, "0.25 12.50 3 2/345 6789\n");
  EXPECT_EQ(system[schema::system["load_1"]], 25U);
  EXPECT_EQ(system[schema::system["load_5"]], 1250U);
  EXPECT_EQ(system.rows.number(0, schema::system["load_5"]).value, 12.5);
}

TEST(Headed, FindsTheNameInTheLineAboveTheValue) {
  Parsed tcp(TableId::tcp, schema::kSnmp,
             "Ip: Forwarding DefaultTTL\nIp: 1 64\n"
             "Tcp: RtoAlgorithm ActiveOpens CurrEstab RetransSegs\nTcp: 1 20 3 77\n");
  EXPECT_EQ(tcp[schema::tcp["active_opens"]], 20U);
  EXPECT_EQ(tcp[schema::tcp["established"]], 3U);
  EXPECT_EQ(tcp[schema::tcp["retransmits"]], 77U);
  tcp.again("Ip: Forwarding DefaultTTL\nIp: 1 64\nTcp: RetransSegs ActiveOpens\nTcp: 78 21\n");
  EXPECT_EQ(tcp[schema::tcp["retransmits"]], 78U);
  EXPECT_EQ(tcp.absent(schema::tcp["established"]), Absent::not_read);
}

TEST(Headed, AValueLineOfAnotherProtocolIsNotBelieved) {
  Parsed tcp(TableId::tcp, schema::kSnmp, "Tcp: ActiveOpens\nUdp: 5\n");
  EXPECT_EQ(tcp.absent(schema::tcp["active_opens"]), Absent::not_read);
}

TEST(Pairs, ReadsPressureAndSockstat) {
  Parsed pressure(TableId::pressure, schema::kPressureIo,
                  "some avg10=0.00 avg60=1.25 avg300=0.30 total=3055574\n"
                  "full avg10=0.00 avg60=0.00 avg300=0.00 total=12\n");
  EXPECT_EQ(pressure[schema::pressure["io_some"]], 3055574U);
  EXPECT_EQ(pressure[schema::pressure["io_full"]], 12U);
  Parsed tcp(TableId::tcp, schema::kSockstat,
             "sockets: used 9\nTCP: inuse 5 orphan 1 tw 2 mem 3\n");
  EXPECT_EQ(tcp[schema::tcp["sockets_in_use"]], 5U);
  EXPECT_EQ(tcp[schema::tcp["time_wait"]], 2U);
}

TEST(Lines, AnOlderKernelHasFewerColumns) {
  Rows rows(layout_of(TableId::disk), std::make_shared<TextPool>());
  LineParser parser(table_view(TableId::disk), schema::kDiskstats);
  size_t row = rows.append();
  parser.parse("   8       0 sda 100 1 2048 50 200 2 4096 60 3 70 110", rows, row);
  EXPECT_EQ(rows.text(row, schema::disk["device"]), "sda");
  EXPECT_EQ(rows.at(row, schema::disk["reads"]).bits, 100U);
  EXPECT_EQ(rows.number(row, schema::disk["read_bytes"]).value, 2048 * 512.0);
  EXPECT_EQ(rows.at(row, schema::disk["in_flight"]).bits, 3U);
  EXPECT_EQ(rows.at(row, schema::disk["discards"]).absent, Absent::not_supported);
}

TEST(Lines, SoftnetIsHexadecimal) {
  Rows rows(layout_of(TableId::softnet), std::make_shared<TextPool>());
  LineParser parser(table_view(TableId::softnet), schema::kSoftnet);
  size_t row = rows.append();
  parser.parse("0000000e 00000000 000000ff 0 0 0 0 0 0 0 00000001 00000000 0000000a 0 0", rows,
               row);
  EXPECT_EQ(rows.at(row, schema::softnet["processed"]).bits, 14U);
  EXPECT_EQ(rows.at(row, schema::softnet["time_squeeze"]).bits, 255U);
  EXPECT_EQ(rows.at(row, schema::softnet["cpu"]).bits, 10U);
}

}  // namespace
}  // namespace tacho
