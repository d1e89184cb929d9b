#include "host/mounts.h"

#include <gtest/gtest.h>

#include "host/test_root.h"

namespace tacho {
namespace {

std::vector<std::string> points(const std::vector<Mount>& mounts) {
  std::vector<std::string> points;
  for (const Mount& mount : mounts)
    points.push_back(mount.point);
  return points;
}
using Points = std::vector<std::string>;

TEST(Mountinfo, ALineWithOptionalFieldsAndAnEscapedSpace) {
  auto mounts = parse_mountinfo(
      "36 35 98:0 /sub /mnt/my\\040data rw,noatime master:1 shared:2 - ext4 /dev/sdb1 "
      "ro,errors=x\n");
  ASSERT_EQ(mounts.size(), 1U);
  EXPECT_EQ(mounts[0].id, 36U);
  EXPECT_EQ(mounts[0].parent, 35U);
  EXPECT_EQ(mounts[0].device, "98:0");
  EXPECT_EQ(mounts[0].root, "/sub");
  EXPECT_EQ(mounts[0].point, "/mnt/my data");
  EXPECT_EQ(mounts[0].type, "ext4");
  EXPECT_EQ(mounts[0].source, "/dev/sdb1");
  EXPECT_TRUE(mounts[0].read_only) << "the file system is, though the mount is not";
}

TEST(Mountinfo, BrokenLinesAreLeftOut) {
  EXPECT_TRUE(parse_mountinfo("").empty());
  EXPECT_TRUE(parse_mountinfo("36 35 98:0 / /mnt rw\n").empty()) << "no hyphen";
  EXPECT_TRUE(parse_mountinfo("36 35 98:0 / mnt rw - ext4 /dev/sdb1 rw\n").empty()) << "no path";
  EXPECT_TRUE(parse_mountinfo("x 35 98:0 / /mnt rw - ext4 /dev/sdb1 rw\n").empty());
}

TEST(Mountinfo, EscapesAreUndoneAndDoneAgain) {
  EXPECT_EQ(unescape_mount("a\\040b\\011c\\134d"), "a b\tc\\d");
  EXPECT_EQ(unescape_mount("ends\\04"), "ends\\04") << "not an escape";
  EXPECT_EQ(escape_mount("a b\\c\n"), "a\\040b\\134c\\012");
}

TEST(LocalMounts, NothingThatAServerAnswersFor) {
  auto mounts = parse_mountinfo(
      "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
      "2 1 0:5 / /dev rw - devtmpfs udev rw\n"
      "3 2 0:6 / /dev/shm rw - tmpfs tmpfs rw\n"
      "4 1 0:40 / /data rw - nfs4 server:/data rw\n"
      "5 1 0:41 / /scratch rw - lustre mgs:/scratch rw\n"
      "6 1 0:42 / /home/me/remote rw - fuse.sshfs me@host: rw\n"
      "7 1 0:43 / /share rw - 9p host rw\n"
      "8 1 0:44 / /win rw - cifs //host/win rw\n"
      "9 1 0:45 / /strange rw - newfs /dev/x rw\n"
      "10 1 0:3 / /proc rw - proc proc rw\n");
  EXPECT_EQ(points(local_mounts(mounts)), (Points{"/", "/dev/shm"}));
}

TEST(LocalMounts, OneOfEachDeviceAndRatherItsWhole) {
  auto mounts = parse_mountinfo(
      "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
      "2 1 8:2 /docker/a /var/lib/a rw - xfs /dev/sda2 rw\n"
      "3 1 8:2 / /var/lib/docker rw - xfs /dev/sda2 rw\n"
      "4 1 8:1 /etc/hosts /var/hosts rw - ext4 /dev/sda1 rw\n");
  EXPECT_EQ(points(local_mounts(mounts)), (Points{"/", "/var/lib/docker"}));
}

TEST(LocalMounts, WhatLiesUnderAnotherMountIsNotAsked) {
  auto mounts = parse_mountinfo(
      "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
      "2 1 8:2 / /mnt/disk rw - ext4 /dev/sda2 rw\n"
      "3 1 0:40 / /mnt rw - nfs4 server:/mnt rw\n"     // over /mnt, and so over /mnt/disk
      "4 3 8:3 / /mnt/local rw - ext4 /dev/sda3 rw\n"  // reached through the server
      "5 1 0:6 / /dev/shm rw - tmpfs old rw\n"
      "6 5 0:7 / /dev/shm rw - tmpfs new rw\n");
  auto local = local_mounts(mounts);
  EXPECT_EQ(points(local), (Points{"/", "/dev/shm"}));
  EXPECT_EQ(local[1].source, "new");
}

TEST(LocalMounts, LinesThatContradictEachOtherEndTheWalk) {
  auto mounts = parse_mountinfo(
      "1 2 8:1 / /a rw - ext4 /dev/sda1 rw\n"
      "2 1 8:2 / /b rw - ext4 /dev/sda2 rw\n"
      "3 3 8:3 / /c rw - ext4 /dev/sda3 rw\n");
  EXPECT_EQ(points(local_mounts(mounts)), Points{"/c"});
}

TEST(FilesystemUse, AsCaptured) {
  TestRoot root;
  root.write("tacho/statfs",
             statfs_line("/mnt/my data", {4096, 1000, 400, 300, 64, 4}) + "/broken 4096 x\n");
  auto use = filesystem_use(*root.machine(), "/mnt/my data");
  ASSERT_TRUE(use);
  EXPECT_EQ(use->block_size, 4096U);
  EXPECT_EQ(use->available, 300U);
  EXPECT_EQ(use->inodes_free, 4U);
  EXPECT_EQ(filesystem_use(*root.machine(), "/broken").error().code, Errc::corrupt);
  EXPECT_EQ(filesystem_use(*root.machine(), "/other").error().code, Errc::not_found);
}

TEST(FilesystemUse, OfThisMachine) {
  auto use = filesystem_use(*Machine::live(), "/");
  ASSERT_TRUE(use);
  EXPECT_GT(use->blocks, 0U);
  EXPECT_LE(use->available, use->free);
}

}  // namespace
}  // namespace tacho
