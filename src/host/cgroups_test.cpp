#include "host/cgroups.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "host/test_root.h"

namespace tacho {
namespace {

using Names = std::vector<std::string>;

TEST(Hierarchies, OfV1V2AndBoth) {
  auto found = find_hierarchies(
      parse_mountinfo("1 0 0:1 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
                      "2 1 0:2 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
                      "3 1 0:3 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                      "4 1 0:4 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd\n"
                      "5 1 0:5 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw,nsdelegate\n"));
  ASSERT_EQ(found.size(), 3U) << "name=systemd has no controller";
  EXPECT_EQ(found[0].controllers, (Names{"cpu", "cpuacct"}));
  EXPECT_EQ(found[0].folder, "sys/fs/cgroup/cpu,cpuacct");
  EXPECT_TRUE(found[1].has("memory"));
  EXPECT_TRUE(found[2].has("")) << "v2";
}

TEST(Hierarchies, InAContainerTheOwnGroupLiesAtTheTop) {
  auto found = find_hierarchies(
      parse_mountinfo("1 0 0:5 /docker/ab12 /sys/fs/cgroup ro - cgroup2 cgroup rw\n"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(folder_of(found[0], "/docker/ab12"), "sys/fs/cgroup");
  EXPECT_EQ(folder_of(found[0], "/docker/ab12/job"), "sys/fs/cgroup/job");
  EXPECT_FALSE(folder_of(found[0], "/docker")) << "not to be seen from here";
  EXPECT_FALSE(folder_of(found[0], "/docker/ab123")) << "another one with a longer name";
  EXPECT_FALSE(folder_of(found[0], "/../other"));
}

TEST(Hierarchies, WithoutMountinfoTheUsualPlaces) {
  TestRoot v2;
  v2.write("sys/fs/cgroup/cgroup.controllers", "cpu memory\n");
  ASSERT_EQ(find_hierarchies(*v2.machine()).size(), 1U);
  TestRoot v1;
  v1.write("sys/fs/cgroup/cpu/cgroup.procs", "1\n");
  v1.write("sys/fs/cgroup/memory/cgroup.procs", "1\n");
  EXPECT_EQ(find_hierarchies(*v1.machine()).size(), 2U);
  EXPECT_TRUE(find_hierarchies(*TestRoot().machine()).empty());
}

TEST(Groups, ParentsUpToTheRoot) {
  EXPECT_EQ(parent_group("/a/b"), "/a");
  EXPECT_EQ(parent_group("/a"), "/");
  EXPECT_EQ(parent_group("/"), "");
}

TEST(Groups, ThoseWithProcessesAndNoneOfAnEmptyTree) {
  TestRoot root;
  root.write("sys/fs/cgroup/cgroup.controllers", "cpu\n");
  root.write("sys/fs/cgroup/cgroup.procs", "1\n");
  root.write("sys/fs/cgroup/slice/cgroup.procs", "");
  root.write("sys/fs/cgroup/slice/job/cgroup.procs", "42\n");
  root.write("sys/fs/cgroup/gone/cgroup.events", "populated 0\nfrozen 0\n");
  root.write("sys/fs/cgroup/gone/below/cgroup.procs", "43\n");
  auto machine = root.machine();
  Names groups;
  list_populated_groups(*machine, find_hierarchies(*machine)[0], 10, groups);
  std::ranges::sort(groups);
  EXPECT_EQ(groups, (Names{"/", "/slice/job"}));
  groups.clear();
  list_populated_groups(*machine, find_hierarchies(*machine)[0], 1, groups);
  EXPECT_EQ(groups.size(), 1U);
}

TEST(ProcessCgroups, TheLinesOfAProcess) {
  auto found = parse_process_cgroups(
      "4:cpu,cpuacct:/docker/ab12\n1:name=systemd:/docker/ab12\n0::/init.scope\nnonsense\n"
      "0::/removed (deleted)\n");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].controllers[1], "cpuacct");
  EXPECT_EQ(found[0].path, "/docker/ab12");
  EXPECT_EQ(found[2].controllers[0], "");
  EXPECT_EQ(found[2].path, "/init.scope");
}

}  // namespace
}  // namespace tacho
