// tacho netstat: the original's tables, live or over a recording.
#include <fmt/format.h>
#include <unistd.h>

#include <ctime>
#include <functional>

#include "base/clock.h"
#include "cli/classic/feed.h"
#include "cli/classic/netstat_names.h"
#include "cli/classic/netstat_options.h"
#include "cli/commands.h"
#include "cli/folder.h"
#include "cli/output.h"
#include "recording/reader.h"
#include "schema/net.h"

namespace tacho::cli {
namespace {

using What = NetstatJob::What;

/// How far --queues looks back for the beginning of a queue.
constexpr int64_t kFarthest = 24 * 3600 * kSecond;

int complain(const std::string& message) {
  return cli::complain("netstat", message, kFailed);
}

Selection selection_of(const NetstatJob& job) {
  switch (job.what) {
    case What::routes:
      return {TableId::route};
    case What::interfaces:
      return {TableId::net};
    case What::statistics:
      return {TableId::net_counter};
    case What::states:
      return {TableId::socket_state};
    case What::queues:
      return {TableId::socket};
    case What::sockets:
      break;
  }
  Selection selection;
  const NetstatOptions& view = job.view;
  if (view.tcp || view.udp || view.udplite || view.raw) selection.add(TableId::socket);
  if (view.unix) selection.add(TableId::socket_unix);
  // How many there were beside those that were recorded one by one.
  if (job.classic.recorded()) selection.add(TableId::socket_state);
  return selection;
}

CollectorOptions collector_of(const NetstatJob& job) {
  CollectorOptions options;
  options.first_wait_ns = 60 * kSecond;
  options.sockets.all = true;
  options.sockets.tcp_info = job.what == What::queues;
  options.sockets.owners = job.view.programs || job.what == What::queues
                               ? SocketOptions::Owners::complete
                               : SocketOptions::Owners::none;
  return options;
}

/// One sample after the other, each printed whole.
class Printer {
 public:
  explicit Printer(const NetstatJob& job) : job_(job), names_(netstat_names(job)) {}

  int show(const SamplePtr& sample) {
    sample_ = sample;
    json_ = Json{{"time", rfc3339(sample->clock.realtime_ns, 3)}};
    switch (job_.what) {
      case What::routes:
        return routes();
      case What::interfaces:
        return interfaces();
      case What::statistics:
        return one(
            "statistics", TableId::net_counter,
            [&](const Rows& rows) { return netstat_statistics(rows, job_.view); },
            [&](const Rows& rows) { return netstat_statistics_json(rows); });
      case What::states:
        return one(
            "states", TableId::socket_state,
            [&](const Rows& rows) { return netstat_states(rows, job_.view); },
            [&](const Rows& rows) { return netstat_states_json(rows, job_.view); });
      case What::queues:
        return queues();
      case What::sockets:
        return sockets();
    }
    return kFailed;
  }

 private:
  using Text = std::function<std::string(const Rows&)>;
  using ToJson = std::function<Json(const Rows&)>;

  /// The rows of a table, or null after a word on why there are none.
  const Rows* rows(TableId id) {
    const Rows* rows = sample_->rows(id);
    std::string_view name = table_view(id).name;
    if (rows == nullptr) {
      complain(job_.classic.recorded() ? fmt::format("{}: not recorded", name)
                                       : fmt::format("{}: did not answer in time", name));
      return nullptr;
    }
    if (rows->absent != Absent::no) {
      complain(fmt::format("{}: {}", name, describe(rows->absent)));
      return nullptr;
    }
    return rows;
  }

  int one(const char* key, TableId id, const Text& text, const ToJson& to_json) {
    const Rows* found = rows(id);
    if (found == nullptr) return kFailed;
    if (job_.classic.json) {
      json_[key] = to_json(*found);
      print_json();
    } else {
      print(text(*found));
    }
    return kDone;
  }

  int routes() {
    if (job_.cache) return route_cache();
    return one(
        "routes", TableId::route,
        [&](const Rows& rows) {
          std::string text;
          if (job_.view.inet) text += netstat_routes(rows, job_.view, names_);
          if (job_.view.inet6) text += netstat_routes6(rows, names_);
          return text;
        },
        [&](const Rows& rows) { return netstat_routes_json(rows, job_.view); });
  }

  /// Kernels have had none since 3.6: it is always empty.
  int route_cache() const {
    std::string text;
    if (job_.view.inet) {
      text += "Kernel IP routing cache\nSource          Destination     Gateway         Flags ";
      text += job_.view.extended > 0 ? "Metric Ref    Use Iface\n" : "  MSS Window  irtt Iface\n";
    }
    if (job_.view.inet6) text += "Kernel IPv6 routing cache\n";
    print(text);
    return kDone;
  }

  int interfaces() {
    return one(
        "interfaces", TableId::net,
        [&](const Rows& rows) {
          std::string title = shown_ ? "" : "Kernel Interface table\n";
          shown_ = true;
          return title + netstat_interfaces(rows, job_.view);
        },
        [&](const Rows& rows) { return netstat_interfaces_json(rows, job_.view); });
  }

  int sockets() {
    const NetstatOptions& view = job_.view;
    bool ok = true;
    if (view.tcp || view.udp || view.udplite || view.raw) {
      const Rows* found = rows(TableId::socket);
      ok = found != nullptr;
      if (found != nullptr) {
        remark_owners(*found, schema::socket["pid"]);
        remark_left_out();
        if (job_.classic.json) {
          json_["sockets"] = netstat_sockets_json(*found, view);
        } else {
          netstat_sockets(*found, view, names_, print);
        }
      }
    }
    if (view.unix) {
      const Rows* found = rows(TableId::socket_unix);
      // Among others it is no failure that they are not recorded.
      ok = ok && (found != nullptr || view.tcp);
      if (found != nullptr) {
        remark_owners(*found, schema::socket_unix["pid"]);
        if (job_.classic.json) {
          json_["unix"] = netstat_unix_json(*found, view);
        } else {
          print(netstat_unix(*found, view));
        }
      }
    }
    if (job_.classic.json) print_json();
    return ok ? kDone : kFailed;
  }

  int queues() {
    const Rows* found = rows(TableId::socket);
    if (found == nullptr) return kFailed;
    NetstatQueues queues(sample_, job_.view);
    look_back(queues);
    if (job_.classic.json) {
      json_["queues"] = queues.json();
      print_json();
    } else {
      print(queues.text(names_));
    }
    return kDone;
  }

  /// Where no recording tells, nothing is known of before.
  void look_back(NetstatQueues& queues) const {
    auto cursor = open_recording(folder_to_read(job_.classic.dir), {TableId::socket});
    if (!cursor || job_.classic.root) return;
    auto earlier =
        job_.classic.recorded() ? (*cursor)->at(sample_->clock.realtime_ns) : (*cursor)->last();
    if (job_.classic.recorded() && earlier && *earlier) earlier = (*cursor)->previous();
    while (earlier && *earlier) {
      if (sample_->clock.realtime_ns - (*earlier)->clock.realtime_ns > kFarthest) return;
      if (!queues.look_back(**earlier)) return;
      earlier = (*cursor)->previous();
    }
  }

  void remark_owners(const Rows& rows, Column pid) {
    if (!job_.view.programs || remarked_ || !owners_denied(rows, pid)) return;
    remarked_ = true;
    constexpr std::string_view kText =
        "(Not all processes could be identified, non-owned process info\n"
        " will not be shown, you would have to be root to see it all.)\n";
    (void)!write(STDERR_FILENO, kText.data(), kText.size());
  }

  void remark_left_out() {
    auto left_out = sockets_left_out(*sample_);
    if (!left_out) return;
    complain(fmt::format(
        "the recording holds {} of {} TCP sockets: what listened, was queued or sent again",
        left_out->kept, left_out->all));
    if (job_.classic.json) json_["tcp_sockets"] = left_out->all;
  }

  void print_json() { print(to_string(json_) + "\n"); }

  const NetstatJob& job_;
  NetstatNames names_;
  SamplePtr sample_;
  Json json_;
  bool shown_ = false;     ///< something was printed before
  bool remarked_ = false;  ///< about owners
};

int show_again_and_again(const NetstatJob& job, Printer& printer) {
  if (job.classic.recorded()) {
    auto feed = WindowFeed::open(
        job.classic, {selection_of(job), kSecond, First::since_boot, collector_of(job), nullptr});
    if (!feed) return complain(feed.error().what);
    for (;;) {
      auto window = feed->next();
      if (!window) return complain(window.error().what);
      if (!*window) return kDone;
      if (int code = printer.show((*window)->end_ptr()); code != kDone) return code;
    }
  }
  for (;;) {
    auto sample = one_sample(job.classic, selection_of(job), collector_of(job));
    if (!sample) return complain(sample.error().what);
    if (int code = printer.show(*sample); code != kDone) return code;
    timespec pause{1, 0};
    nanosleep(&pause, nullptr);
  }
}

}  // namespace

int netstat(int argc, char** argv) {
  NetstatJob job;
  if (auto code = parse_netstat(argc, argv, job)) return *code;
  Printer printer(job);
  if (job.continuous && job.what != What::statistics) return show_again_and_again(job, printer);
  auto sample = one_sample(job.classic, selection_of(job), collector_of(job));
  if (!sample) return complain(sample.error().what);
  return printer.show(*sample);
}

}  // namespace tacho::cli
