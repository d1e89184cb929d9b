#include "collect/mask.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

std::string masked(std::string text) {
  std::replace(text.begin(), text.end(), '|', '\0');
  return masked_command_line(text + '\0');
}

TEST(Mask, LeavesAnHonestCommandLineAlone) {
  EXPECT_EQ(masked("python3|train.py|--lr=0.1|--tokenizer|bert|--num-keys=4"),
            "python3 train.py --lr=0.1 --tokenizer bert --num-keys=4");
}

TEST(Mask, HidesValuesOfSecretNames) {
  EXPECT_EQ(masked("wandb|login|--token=abc"), "wandb login --token=***");
  EXPECT_EQ(masked("mysql|--password|hunter2|db"), "mysql --password *** db");
  EXPECT_EQ(masked("env|WANDB_API_KEY=abc|python"), "env WANDB_API_KEY=*** python");
  EXPECT_EQ(masked("env|AWS_SECRET_ACCESS_KEY=abc"), "env AWS_SECRET_ACCESS_KEY=***");
  EXPECT_EQ(masked("curl|-H|Authorization: Bearer abc"), "curl -H Authorization: ***");
  EXPECT_EQ(masked("git|clone|https://me:ghp_abc@host/x.git"),
            "git clone https://me:***@host/x.git");
  EXPECT_EQ(masked("sh|-c|export HF_TOKEN=abc; train --secret xyz now"),
            "sh -c export HF_TOKEN=*** train --secret *** now");
}

TEST(Mask, IsEmptyForAKernelThread) {
  EXPECT_EQ(masked_command_line(""), "");
}

TEST(Mask, IsBounded) {
  EXPECT_EQ(masked_command_line(std::string(100'000, 'a')).size(), 4096U);
}

}  // namespace
}  // namespace tacho
