// The control socket in a recording's folder: one line of JSON asks, one line answers.
// docs/control-socket.md describes the words.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace tacho {

/// The recorder's side. Served between samples; a client that is slow or talks nonsense is dropped
/// and holds nothing up.
class ControlServer {
 public:
  /// Answers a request's text. `writer` is true where the peer may also change things (same user or
  /// root).
  using Handler = std::function<std::string(const std::string& request, bool writer)>;

  [[nodiscard]] static Result<std::unique_ptr<ControlServer>> open(const std::string& folder,
                                                                   bool group_readable,
                                                                   Handler handler);
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

  /// Serves until `deadline_ns` (MONOTONIC), one round at least, or until `stop` says so, which is
  /// asked after every request and signal. While it waits, and only then, signals that the caller
  /// blocks are let in: none can come between the question and the waiting and be overslept.
  void serve_until(int64_t deadline_ns, const std::function<bool()>& stop);
  /// Whether clients still find it: its folder may have been removed.
  [[nodiscard]] bool reachable() const;

 private:
  struct Client {
    Fd fd;
    std::string buffer;
    int64_t since_ns = 0;
  };
  ControlServer(std::string folder, Fd fd, Handler handler);
  void accept_one();
  void serve_round(int64_t wait_ns);
  bool serve(Client& client);

  std::string path_;
  Fd fd_;
  Handler handler_;
  ino_t inode_ = 0;
  dev_t device_ = 0;
  std::vector<Client> clients_;
};

/// The other side: sends one request to the recorder of `folder` and gives its answer. Fails with
/// not_found where no recorder runs there, timed_out where it does not answer within 5 s.
[[nodiscard]] Result<std::string> ask_recorder(const std::string& folder,
                                               const std::string& request);

/// Whether a recorder listens in `folder` to whom this user may speak.
[[nodiscard]] bool recorder_listens(const std::string& folder);

/// Asks the recorder of `folder` to stop and waits until its process has ended, up to `limit_ns`
/// (timed_out). Gives its answer; at once where it refuses. Works across PID namespaces.
[[nodiscard]] Result<std::string> stop_recorder(const std::string& folder, int64_t limit_ns);

}  // namespace tacho
