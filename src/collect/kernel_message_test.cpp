#include "collect/kernel_message.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

std::string kind(const char* message) {
  return classify_kernel_message(message).kind;
}
std::string subject(const char* message) {
  return classify_kernel_message(message).subject;
}
uint64_t pid(const char* message) {
  return classify_kernel_message(message).pid;
}

TEST(KernelMessage, OomKillNamesTheProcess) {
  const char* group =
      "Memory cgroup out of memory: Killed process 4242 (python3) total-vm:1kB, anon-rss:2kB";
  EXPECT_EQ(kind(group), "oom_kill");
  EXPECT_EQ(subject(group), "python3");
  EXPECT_EQ(pid(group), 4242U);
  EXPECT_EQ(subject("Out of memory: Killed process 7 (a (b) c) total-vm:1kB, pgtables:4kB"),
            "a (b");  // ambiguous: the name ends at the first ") "
  EXPECT_EQ(kind("oom_reaper: reaped process 4242 (python3), now anon-rss:0kB"), "");
}

TEST(KernelMessage, XidInBothForms) {
  const char* now = "NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, name=python3, GPU has fallen off";
  EXPECT_EQ(kind(now), "xid");
  EXPECT_EQ(subject(now), "0000:3b:00");
  EXPECT_EQ(pid(now), 1234U);
  const char* older = "NVRM: Xid (0000:01:00): 31, Ch 0000000a, engmask 00000101, intr 10000000";
  EXPECT_EQ(kind(older), "xid");
  EXPECT_EQ(subject(older), "0000:01:00");
  EXPECT_EQ(pid(older), 0U);
  EXPECT_EQ(pid("NVRM: Xid (PCI:0000:3b:00): 119, pid='<unknown>', name=<unknown>, Timeout"), 0U);
}

TEST(KernelMessage, LinksNameTheInterface) {
  EXPECT_EQ(kind("e1000e 0000:00:19.0 eth0: NIC Link is Down"), "link_down");
  EXPECT_EQ(subject("e1000e 0000:00:19.0 eth0: NIC Link is Down"), "eth0");
  EXPECT_EQ(subject("ixgbe 0000:03:00.0 eth2: NIC Link is Up 10 Gbps, Flow Control: RX/TX"),
            "eth2");
  EXPECT_EQ(subject("igb 0000:07:00.0 enp7s0: igb: enp7s0 NIC Link is Up 1000 Mbps Full Duplex, "
                    "Flow Control: RX"),
            "enp7s0");
  EXPECT_EQ(subject("bnxt_en 0000:af:00.0 eth0: NIC Link is Up, 25000 Mbps full duplex"), "eth0");
  EXPECT_EQ(subject("mlx5_core 0000:17:00.0 ens1f0np0: Link up"), "ens1f0np0");
  EXPECT_EQ(kind("mlx5_core 0000:17:00.0 ens1f0np0: Link down"), "link_down");
  EXPECT_EQ(kind("tg3 0000:02:00.0 eth0: Link is up at 1000 Mbps, full duplex"), "link_up");
  const char* ready = "IPv6: ADDRCONF(NETDEV_CHANGE): eno1: link becomes ready";
  EXPECT_EQ(kind(ready), "link_up");
  EXPECT_EQ(subject(ready), "eno1");
}

TEST(KernelMessage, OtherLinksAreNotOfTheNetwork) {
  EXPECT_EQ(kind("ata1: SATA link up 6.0 Gbps (SStatus 133 SControl 300)"), "");
  EXPECT_EQ(kind("pcieport 0000:00:1c.0: pciehp: Slot(0): Link Down"), "");
}

TEST(KernelMessage, DisksNameTheDevice) {
  EXPECT_EQ(kind("blk_update_request: I/O error, dev sda, sector 8 op 0x1:(WRITE)"), "io_error");
  EXPECT_EQ(subject("blk_update_request: I/O error, dev sda, sector 8 op 0x1:(WRITE)"), "sda");
  EXPECT_EQ(subject("I/O error, dev nvme0n1, sector 2048 op 0x0:(READ) flags 0x0"), "nvme0n1");
  EXPECT_EQ(subject("critical medium error, dev sdc, sector 123 op 0x0:(READ)"), "sdc");
  EXPECT_EQ(subject("Buffer I/O error on dev sdb1, logical block 5, async page read"), "sdb1");
  EXPECT_EQ(subject("EXT4-fs error (device dm-0): ext4_lookup:1855: inode #2"), "dm-0");
  EXPECT_EQ(subject("XFS (dm-1): metadata I/O error in \"xfs_imap\" at daddr 0x1"), "dm-1");
  EXPECT_EQ(kind("nvme nvme0: I/O 23 QID 5 timeout, aborting"), "io_error");
  EXPECT_EQ(subject("nvme nvme0: I/O 23 QID 5 timeout, aborting"), "nvme0");
}

TEST(KernelMessage, StuckTasksMayHaveColonsInTheirNames) {
  const char* soft = "watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [kworker/u8:2:77]";
  EXPECT_EQ(kind(soft), "soft_lockup");
  EXPECT_EQ(subject(soft), "kworker/u8:2");
  EXPECT_EQ(pid(soft), 77U);
  const char* hung = "INFO: task kworker/0:1:99 blocked for more than 120 seconds.";
  EXPECT_EQ(kind(hung), "hung_task");
  EXPECT_EQ(subject(hung), "kworker/0:1");
  EXPECT_EQ(pid(hung), 99U);
}

TEST(KernelMessage, EverythingElseIsNothing) {
  EXPECT_EQ(kind(""), "");
  EXPECT_EQ(kind("usb 1-1: new high-speed USB device number 2 using xhci_hcd"), "");
  EXPECT_EQ(kind("Killed process"), "");
  EXPECT_EQ(kind("nvme nvme0: 8/0/0 default/read/poll queues"), "");
}

}  // namespace
}  // namespace tacho
