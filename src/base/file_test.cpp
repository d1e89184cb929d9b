#include "base/file.h"

#include <grp.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace tacho {
namespace {

class Unreadable : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "tacho-file-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    chmod(folder_.c_str(), 0700);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string folder_;
};

TEST_F(Unreadable, NamesWhoMayReadTheNearestFolderThatIsThere) {
  const passwd* user = getpwuid(geteuid());
  if (user == nullptr) GTEST_SKIP() << "this user has no name";
  Error error = fail_unreadable(folder_ + "/inner/file").value();
  EXPECT_EQ(error.code, Errc::no_permission);
  EXPECT_EQ(error.what,
            folder_ + ": permission denied; only the user '" + user->pw_name + "' may read it");
}

TEST_F(Unreadable, NamesTheGroupThatMayRead) {
  struct stat status {};
  chmod(folder_.c_str(), 0750);
  stat(folder_.c_str(), &status);
  const group* group = getgrgid(status.st_gid);
  if (group == nullptr) GTEST_SKIP() << "this group has no name";
  EXPECT_EQ(
      fail_unreadable(folder_).value().what,
      folder_ + ": permission denied; members of the group '" + group->gr_name + "' may read it");
}

TEST_F(Unreadable, SaysNoMoreWhereEverybodyShouldHaveBeenAble) {
  chmod(folder_.c_str(), 0755);
  EXPECT_EQ(fail_unreadable(folder_).value().what, folder_ + ": Permission denied");
}

}  // namespace
}  // namespace tacho
