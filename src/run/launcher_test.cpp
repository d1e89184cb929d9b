#include "run/launcher.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

TEST(Launcher, APlainProgramAndLocalLaunchersKeepTheirTree) {
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{},
                                             {"python3", "train.py"},
                                             {"torchrun", "--nproc-per-node=8", "train.py"},
                                             {"accelerate", "launch", "train.py"},
                                             {"python3", "-m", "torch.distributed.run", "train.py"},
                                             {"deepspeed", "train.py"},
                                             {"mpirun", "-np", "4", "./train"},
                                             {"docker", "ps"},
                                             {"python3", "-m"}}) {
    Launch launch = classify(command);
    EXPECT_EQ(launch.reach, Reach::own_tree);
    EXPECT_TRUE(launch.note.empty());
  }
}

TEST(Launcher, AContainerIsStartedByADaemon) {
  Launch launch = classify({"/usr/bin/docker", "run", "--gpus", "all", "image", "train.py"});
  EXPECT_EQ(launch.reach, Reach::container);
  EXPECT_EQ(launch.note.args, std::vector<std::string>{"docker"});
  EXPECT_EQ(classify({"podman", "--log-level=error", "exec", "box", "train"}).reach,
            Reach::container);
}

TEST(Launcher, AClustersProcessesAreElsewhere) {
  EXPECT_EQ(classify({"srun", "-N2", "train"}).reach, Reach::elsewhere);
  EXPECT_EQ(classify({"kubectl", "exec", "pod", "--", "train"}).reach, Reach::elsewhere);
  EXPECT_EQ(classify({"mpirun", "-H", "a,b", "train"}).reach, Reach::elsewhere);
  EXPECT_EQ(classify({"mpiexec", "--hostfile=nodes", "train"}).reach, Reach::elsewhere);
  Launch launch = classify({"python3", "-m", "deepspeed.launcher.runner", "--hostfile", "nodes"});
  EXPECT_EQ(launch.reach, Reach::elsewhere);
  EXPECT_EQ(launch.note.args, std::vector<std::string>{"deepspeed"});
}

}  // namespace
}  // namespace tacho
