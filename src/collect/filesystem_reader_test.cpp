#include "collect/filesystem_reader.h"

#include <gtest/gtest.h>

#include "collect/nfs_reader.h"
#include "collect/test_rows.h"
#include "collect/tree.h"
#include "host/test_root.h"
#include "schema/disk.h"

namespace tacho {
namespace {

constexpr Column kMount = schema::filesystem["mount"];

TEST(FilesystemReader, LocalMountsWithTheirSpaceAndInodes) {
  auto rows = read_table(test_machine("node-v2"), TableId::filesystem);
  ASSERT_EQ(rows->size(), 4U) << "not /data, which is NFS";
  size_t root = find_row(*rows, kMount, "/");
  EXPECT_EQ(cell(*rows, root, schema::filesystem["size"]), "100000000") << "KiB";
  EXPECT_EQ(cell(*rows, root, schema::filesystem["available"]), "36000000");
  EXPECT_EQ(cell(*rows, root, schema::filesystem["read_only"]), "0");
  size_t shm = find_row(*rows, kMount, "/dev/shm");
  EXPECT_EQ(cell(*rows, shm, schema::filesystem["type"]), "tmpfs");
  EXPECT_EQ(cell(*rows, shm, schema::filesystem["free"]), "4096");
  size_t disk = find_row(*rows, kMount, "/mnt/full disk");
  EXPECT_EQ(cell(*rows, disk, schema::filesystem["available"]), "0");
  EXPECT_EQ(cell(*rows, disk, schema::filesystem["read_only"]), "1");
  size_t ram = find_row(*rows, kMount, "/var/tmp/ram");
  EXPECT_EQ(cell(*rows, ram, schema::filesystem["size"]), "<not_applicable>") << "no limit, not 0";
  EXPECT_EQ(cell(*rows, ram, schema::filesystem["inodes"]), "<not_applicable>");
}

TEST(FilesystemReader, WithoutMountinfoTheTableIsAbsent) {
  TestRoot root;
  EXPECT_EQ(read_table(root.machine(), TableId::filesystem)->absent, Absent::not_supported);
}

TEST(FilesystemReader, AMountThatCannotBeAskedSaysWhy) {
  TestRoot root;
  root.write("proc/self/mountinfo", "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n");
  auto rows = read_table(root.machine(), TableId::filesystem);
  ASSERT_EQ(rows->size(), 1U);
  EXPECT_EQ(cell(*rows, 0, schema::filesystem["size"]), "<not_supported>");
}

TEST(FilesystemReader, AContainersSharedMemoryIsItsOwn) {
  TestRoot root;
  root.write("proc/self/mountinfo", "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n");
  root.link("proc/self/ns/mnt", "mnt:[1]");
  for (const char* pid : {"7", "8", "9"})
    root.link(fmt::format("proc/{}/ns/mnt", pid), pid == std::string("9") ? "mnt:[1]" : "mnt:[2]");
  root.write("proc/7/mountinfo",
             "5 0 0:50 / / rw - overlay overlay rw\n6 5 0:51 / /dev/shm rw - tmpfs shm rw\n");
  root.write("tacho/statfs", "/ 4096 1 1 1 1 1\n/proc/7/root/dev/shm 4096 16 4 4 1 1\n");
  auto list = std::make_shared<WatchList>();
  list->set_members({7, 8, 9});
  auto machine = root.machine();
  Buffer buffer;
  Collecting collecting{*machine, buffer, {}, 1, nullptr};
  Rows rows(layout_of(TableId::filesystem), std::make_shared<TextPool>());
  ASSERT_TRUE(make_filesystem_reader(list)->read(collecting, rows));
  ASSERT_EQ(rows.size(), 2U) << "once for the namespace that 7 and 8 share";
  EXPECT_EQ(cell(rows, 1, kMount), "/proc/7/root/dev/shm");
  EXPECT_EQ(cell(rows, 1, schema::filesystem["size"]), "64");
}

TEST(NfsReader, OperationsThatWereUsed) {
  auto rows = read_table(test_machine("node-v2"), TableId::mount_nfs);
  ASSERT_EQ(rows->size(), 3U) << "NULL, READ, GETATTR; WRITE was never used";
  EXPECT_EQ(cell(*rows, 1, schema::mount_nfs["mount"]), "/data");
  EXPECT_EQ(cell(*rows, 1, schema::mount_nfs["operation"]), "READ");
  EXPECT_EQ(cell(*rows, 1, schema::mount_nfs["device"]), "store:/export/data");
  EXPECT_EQ(cell(*rows, 1, schema::mount_nfs["requests"]), "2000");
  EXPECT_EQ(cell(*rows, 1, schema::mount_nfs["transmissions"]), "2010");
  EXPECT_EQ(cell(*rows, 1, schema::mount_nfs["timeouts"]), "3");
  EXPECT_EQ(cell(*rows, 1, schema::mount_nfs["bytes_received"]), "2000000000");
  EXPECT_EQ(cell(*rows, 1, schema::mount_nfs["rtt_time"]), "90000");
  EXPECT_EQ(cell(*rows, 1, schema::mount_nfs["execute_time"]), "95000");
}

TEST(NfsReader, AMachineWithoutNfsHasNoRows) {
  Rows rows(layout_of(TableId::mount_nfs), std::make_shared<TextPool>());
  parse_mountstats("device tmpfs mounted on /run with fstype tmpfs\n\tREAD: 1 1 1 1 1 1 1 1\n",
                   rows);
  EXPECT_TRUE(rows.empty());
}

TEST(NfsReader, TheUpperOfTwoMountsAtOnePlaceCounts) {
  Rows rows(layout_of(TableId::mount_nfs), std::make_shared<TextPool>());
  parse_mountstats(
      "device a:/x mounted on /data with fstype nfs statvers=1.1\n\tper-op statistics\n"
      "\tREAD: 1 1 0 1 1 1 1 1\n"
      "device b:/y mounted on /data with fstype nfs statvers=1.1\n\tper-op statistics\n"
      "\tREAD: 9 9 0 9 9 9 9 9\n",
      rows);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(cell(rows, 0, schema::mount_nfs["device"]), "b:/y");
  EXPECT_EQ(cell(rows, 0, schema::mount_nfs["requests"]), "9");
}

}  // namespace
}  // namespace tacho
