#include <gtest/gtest.h>

#include "base/clock.h"
#include "views/netstat/netstat.h"
#include "views/netstat/test_sockets.h"

namespace tacho {
namespace {

NetstatOptions tcp() {
  NetstatOptions options;
  options.tcp = options.inet = options.inet6 = true;
  return options;
}

/// A sample at this second, its sockets read just then.
SamplePtr sample(TestSockets& sockets, int64_t second) {
  auto made = std::make_shared<Sample>();
  made->clock = {second * kSecond, second * kSecond, second * kSecond};
  sockets.rows().read_ns = second * kSecond;
  made->put(TableId::socket, sockets.shared());
  return made;
}

/// One socket with `received` bytes in its queue.
SamplePtr one_queue(uint64_t received, int64_t second) {
  TestSockets sockets;
  sockets.add("tcp", "10.0.0.1", 1, "10.0.0.2", 2, "ESTABLISHED").queues(received, 0);
  return sample(sockets, second);
}

TEST(NetstatQueues, OnlyWhatIsQueuedAndTheLongestFirst) {
  TestSockets sockets;
  sockets.add("tcp", "0.0.0.0", 22, "0.0.0.0", 0, "LISTEN").queues(0, 128);
  sockets.add("tcp", "0.0.0.0", 80, "0.0.0.0", 0, "LISTEN").queues(7, 128);
  sockets.add("tcp", "10.0.0.1", 1, "10.0.0.2", 2, "ESTABLISHED").queues(500, 0).owner(0, 9, "a");
  sockets.add("tcp", "10.0.0.1", 3, "10.0.0.2", 4, "ESTABLISHED").queues(0, 90000).timer(1, 5, 3);
  sockets.rows().set(3, schema::socket["retransmits_total"], 12);
  sockets.add("tcp", "10.0.0.1", 5, "10.0.0.2", 6, "ESTABLISHED");
  NetstatQueues queues(sample(sockets, 100), tcp());
  EXPECT_EQ(
      queues.text({}),
      "Proto Recv-Q Send-Q Local Address           Foreign Address         State            For "
      "Retrans PID/Program name\n"
      "tcp        0  90000 10.0.0.1:3              10.0.0.2:4              ESTABLISHED        - "
      "   3/12 -\n"
      "tcp      500      0 10.0.0.1:1              10.0.0.2:2              ESTABLISHED        - "
      "    0/- 9/a\n"
      "tcp        7    128 0.0.0.0:80              0.0.0.0:*               LISTEN             - "
      "    0/- -\n")
      << "a backlog is no queue";
}

TEST(NetstatQueues, LooksBackForTheBeginning) {
  NetstatQueues queues(one_queue(500, 100), tcp());
  EXPECT_TRUE(queues.look_back(*one_queue(400, 95)));
  EXPECT_TRUE(queues.look_back(*one_queue(300, 90)));
  EXPECT_TRUE(queues.look_back(*one_queue(300, 90))) << "carried along in the next sample";
  EXPECT_FALSE(queues.look_back(*one_queue(0, 85))) << "it was empty then";
  EXPECT_EQ(queues.json()[0]["queued_seconds"], 10.0);
  EXPECT_NE(queues.text({}).find("    10 s "), std::string::npos) << queues.text({});
}

TEST(NetstatQueues, IsNotSureOfATimeOfWhichNothingIsKnown) {
  NetstatQueues queues(one_queue(500, 1000), tcp());
  EXPECT_FALSE(queues.look_back(*one_queue(400, 100)));
  EXPECT_EQ(queues.json()[0]["queued_seconds"], nullptr);
  NetstatQueues rebooted(one_queue(500, 10), tcp());
  EXPECT_FALSE(rebooted.look_back(*one_queue(400, 100)));
}

TEST(NetstatQueues, AnotherSocketOfTheSameAddressesIsAnother) {
  NetstatQueues queues(one_queue(500, 100), tcp());
  TestSockets other;
  other.add("tcp", "10.0.0.9", 9, "10.0.0.2", 2, "ESTABLISHED");
  other.add("tcp", "10.0.0.1", 1, "10.0.0.2", 2, "ESTABLISHED").queues(8, 0);
  EXPECT_FALSE(queues.look_back(*sample(other, 95))) << "its inode is another";
}

}  // namespace
}  // namespace tacho
