#include "collect/event_log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"
#include "collect/collector.h"
#include "schema/recorder.h"

namespace tacho {
namespace {

TEST(EventLog, EachEventIsInExactlyOneSample) {
  Collector collector(Machine::live(), {TableId::event});
  collector.collect();
  collector.event_log().add({"mark", "", "epoch 3 begins", 0});
  auto with = collector.collect();
  auto after = collector.collect();
  auto marks = [](const Sample& sample) {
    size_t count = 0;
    const Rows& rows = *sample.rows(TableId::event);
    for (size_t row = 0; row < rows.size(); ++row) {
      count += rows.text(row, schema::event["detail"]) == "epoch 3 begins" ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(marks(*with), 1U);
  EXPECT_EQ(marks(*after), 0U);
}

TEST(EventLog, AKernelMessageIsInTheNextSample) {
  auto kmsg = open_file("/dev/kmsg", O_WRONLY);
  if (!kmsg || access("/dev/kmsg", R_OK) != 0) GTEST_SKIP() << "needs root and /dev/kmsg";
  Collector collector(Machine::live(), {TableId::event});
  collector.collect();
  std::string line = fmt::format(
      "<4>NVRM: Xid (PCI:0000:ff:{:02x}): 79, pid={}, tacho's own test\n", getpid() % 32, getpid());
  ASSERT_TRUE(write_all(kmsg->get(), line));
  auto sample = collector.collect();
  const Rows& rows = *sample->rows(TableId::event);
  size_t found = 0;
  for (size_t row = 0; row < rows.size(); ++row) {
    if (rows.at(row, schema::event["pid"]).bits != static_cast<uint64_t>(getpid())) continue;
    ++found;
    EXPECT_EQ(rows.text(row, schema::event["kind"]), "xid");
    auto at = static_cast<int64_t>(rows.at(row, schema::event["time"]).bits) * 1000;
    EXPECT_LT(std::abs(at - sample->clock.realtime_ns), 60 * kSecond);
  }
  EXPECT_EQ(found, 1U);
}

}  // namespace
}  // namespace tacho
