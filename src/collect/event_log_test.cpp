#include "collect/event_log.h"

#include <gtest/gtest.h>

#include "collect/collector.h"
#include "collect/kernel_message.h"
#include "schema/recorder.h"

namespace tacho {
namespace {

TEST(KernelMessage, OomKillNamesTheProcess) {
  Event e = classify_kernel_message(
      "Memory cgroup out of memory: Killed process 4242 (python3) total-vm:1kB, anon-rss:2kB");
  EXPECT_EQ(e.kind, "oom_kill");
  EXPECT_EQ(e.subject, "python3");
  EXPECT_EQ(e.pid, 4242U);
}

TEST(KernelMessage, XidNamesTheGpu) {
  Event e = classify_kernel_message("NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off");
  EXPECT_EQ(e.kind, "xid");
  EXPECT_EQ(e.subject, "0000:3b:00");
  EXPECT_EQ(e.pid, 1234U);
}

TEST(KernelMessage, LinksNameTheInterface) {
  EXPECT_EQ(classify_kernel_message("e1000e 0000:00:19.0 eth0: NIC Link is Down").subject, "eth0");
  Event up = classify_kernel_message("IPv6: ADDRCONF(NETDEV_CHANGE): eno1: link becomes ready");
  EXPECT_EQ(up.kind, "link_up");
  EXPECT_EQ(up.subject, "eno1");
}

TEST(KernelMessage, DisksAndLockups) {
  Event io = classify_kernel_message("I/O error, dev sdb, sector 2048 op 0x0:(READ)");
  EXPECT_EQ(io.kind, "io_error");
  EXPECT_EQ(io.subject, "sdb");
  EXPECT_EQ(
      classify_kernel_message("watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [cc1:77]").kind,
      "soft_lockup");
  EXPECT_EQ(classify_kernel_message("usb 1-1: new device").kind, "");
}

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

}  // namespace
}  // namespace tacho
