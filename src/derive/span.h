// Many samples → a Span: what the figures were over a stretch of time, and since when. The only
// thing that diagnose/ sees.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "derive/figure.h"
#include "derive/window.h"

namespace tacho {

/// A figure's value in each window of a span.
class Series {
 public:
  struct Point {
    int64_t from_ns = 0;  ///< REALTIME
    int64_t to_ns = 0;
    double seconds = 0;  ///< measured, as Window::seconds(): what the value holds for
    Number value;
  };
  using Test = std::function<bool(double)>;

  void add(const Point& point) { points_.push_back(point); }
  void add(const Window& window, const Number& value) {
    points_.push_back({window.begin().clock.realtime_ns, window.end().clock.realtime_ns,
                       window.seconds(), value});
  }
  [[nodiscard]] const std::vector<Point>& points() const { return points_; }
  /// Over measured time, so that a clock which is set and a suspend weigh nothing, of the windows
  /// that have a value; else the reason of the last.
  [[nodiscard]] Number mean() const;
  [[nodiscard]] Number max() const;
  /// In how many windows there is a value of which `test` holds.
  [[nodiscard]] size_t count(const Test& test) const;
  /// Where the last run of windows of which `test` holds began; nothing where there is none. Up to
  /// `pause` windows between two of a run may be others.
  [[nodiscard]] std::optional<int64_t> since(const Test& test, size_t pause = 0) const;

 private:
  std::vector<Point> points_;
};

/// A process over a span.
struct ProcessSpan {
  uint64_t pid = 0;
  uint64_t start = 0;
  std::string command;
  std::string command_line;
  std::string user;
  bool watched = false;
  Number allowed_cpus;
  Number threads;
  Series cpu;   ///< %CPU: 100 is one CPU
  Series wait;  ///< run-queue wait, in % of the time: 100 is one thread that always waits
};

/// An event of the kernel log, a mark …
struct SpanEvent {
  int64_t realtime_ns = 0;
  std::string kind;
  std::string subject;
  std::string detail;
  uint64_t pid = 0;
};

class Span {
 public:
  [[nodiscard]] bool empty() const { return windows_.empty(); }
  [[nodiscard]] const std::vector<Window>& windows() const { return windows_; }
  [[nodiscard]] int64_t from_ns() const;
  [[nodiscard]] int64_t to_ns() const;
  [[nodiscard]] size_t samples() const { return samples_; }
  /// Mean time between two samples.
  [[nodiscard]] double interval_s() const;
  [[nodiscard]] double cpus() const;  ///< CPUs online at the end; 0 where unknown

  /// Names of the instances of a table: the first key, those of the last window first.
  [[nodiscard]] std::vector<std::string> instances(TableId table) const;
  /// A figure of the instance; of a table with one row, `instance` is empty.
  [[nodiscard]] Series figure(std::string_view id, std::string_view instance = "") const;
  [[nodiscard]] Series rate(Column column, std::string_view instance = "") const;
  /// A gauge: in each window the mean of all samples of it.
  [[nodiscard]] Series gauge(Column column, std::string_view instance = "") const;
  /// A text of the instance at the end; empty where there is none.
  [[nodiscard]] std::string text(Column column, std::string_view instance = "") const;

  /// Processes of which CPU time or waiting was seen, the busiest first.
  [[nodiscard]] const std::vector<ProcessSpan>& processes() const { return processes_; }
  /// Whether a tree was watched; otherwise the whole machine is.
  [[nodiscard]] bool has_watched() const { return has_watched_; }
  [[nodiscard]] const std::vector<SpanEvent>& events() const { return events_; }

 private:
  friend class SpanBuilder;
  using Of = std::function<Number(const Window&, size_t row)>;
  Series series(TableId table, std::string_view instance, const Of& of) const;
  void gather_processes();

  std::vector<Window> windows_;
  /// For each window, sums of the gauges of tables with one row, by column.
  struct Means {
    std::map<uint32_t, std::pair<double, size_t>> sums;
  };
  std::vector<Means> means_;
  size_t samples_ = 0;
  bool has_watched_ = false;
  std::vector<ProcessSpan> processes_;
  std::vector<SpanEvent> events_;
};

/// The tables that a Span looks at: what to select when it is fed from a cursor.
[[nodiscard]] Selection span_selection();

/// Feeds consecutive samples into a span.
class SpanBuilder {
 public:
  /// `expected_ns`: how long the span will be; a window is at least that divided by 120.
  explicit SpanBuilder(int64_t expected_ns);
  void add(SamplePtr sample);
  [[nodiscard]] Span finish();

 private:
  void note(const Sample& sample);
  void close(SamplePtr sample);

  int64_t step_ns_;
  Span span_;
  SamplePtr begin_;
  SamplePtr last_;
  Span::Means means_;
};

}  // namespace tacho
