// Ended processes added up by command, user and control group: the rows of process_exit.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "collect/exit_ledger.h"
#include "sample/rows.h"

namespace tacho {

class ExitSums {
 public:
  /// Names of commands and groups are without end over the months: what comes up after so many
  /// goes into the row "(others)".
  static constexpr size_t kMost = 1000;

  void add(const EndedProcess& ended);
  /// A row for each, in the order in which they came up, after one without a command that tells
  /// how many messages were lost.
  void fill(Rows& rows, uint64_t lost, const std::function<std::string(uint64_t uid)>& user_name);

 private:
  struct Key {
    std::string command;
    std::string cgroup;
    uint64_t uid = 0;
    auto operator<=>(const Key&) const = default;
  };
  struct Sum {
    Key key;
    uint64_t exits = 0;
    uint64_t failed = 0;
    uint64_t user_us = 0;
    uint64_t system_us = 0;
    uint64_t run_us = 0;
    uint64_t shown_user_us = 0;
    uint64_t shown_system_us = 0;

    void show();
  };

  std::vector<Sum> sums_;
  std::map<Key, size_t> by_key_;
};

}  // namespace tacho
