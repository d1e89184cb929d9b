#include "derive/span.h"

#include <algorithm>
#include <array>
#include <utility>

#include "schema/process.h"
#include "schema/recorder.h"
#include "schema/system.h"

namespace tacho {
namespace {

constexpr int64_t kMostWindows = 120;
/// A window of a fast recording spans at least that: counters of 10 ms ticks are coarse.
constexpr int64_t kShortestWindow = kSecond;

/// Tables of which the gauges are averaged over all samples.
constexpr std::array kAveraged{TableId::system, TableId::memory, TableId::tcp};

uint32_t key_of(Column column) {
  return static_cast<uint32_t>(column.table) << 16 | column.index;
}

}  // namespace

Number Series::mean() const {
  double sum = 0;
  double time = 0;
  Absent reason = Absent::not_read;
  for (const Point& p : points_) {
    if (!p.value) {
      reason = p.value.absent;
      continue;
    }
    double seconds = std::max(p.seconds, 1e-9);
    sum += *p.value * seconds;
    time += seconds;
  }
  return time > 0 ? Number(sum / time) : Number(reason);
}

Number Series::max() const {
  Number most = mean();
  for (const Point& p : points_) {
    if (p.value && *p.value > *most) most = p.value;
  }
  return most;
}

size_t Series::count(const Test& test) const {
  return static_cast<size_t>(
      std::ranges::count_if(points_, [&](const Point& p) { return p.value && test(*p.value); }));
}

std::optional<int64_t> Series::since(const Test& test, size_t pause) const {
  std::optional<int64_t> begin;
  size_t others = 0;
  for (const Point& p : points_) {
    if (!p.value || !test(*p.value)) {
      ++others;
      continue;
    }
    if (!begin || others > pause) begin = p.from_ns;
    others = 0;
  }
  return begin;
}

int64_t Span::from_ns() const {
  return windows_.empty() ? 0 : windows_.front().begin().clock.realtime_ns;
}
int64_t Span::to_ns() const {
  return windows_.empty() ? 0 : windows_.back().end().clock.realtime_ns;
}

double Span::interval_s() const {
  double seconds = 0;
  for (const Window& window : windows_)
    seconds += window.seconds();
  return samples_ > 1 ? seconds / static_cast<double>(samples_ - 1) : 0;
}

double Span::cpus() const {
  if (windows_.empty()) return 0;
  size_t rows = windows_.back().table(TableId::cpu).size();
  return rows > 1 ? static_cast<double>(rows - 1) : 0;  // one row is all of them together
}

std::vector<std::string> Span::instances(TableId table) const {
  std::vector<std::string> names;
  for (auto window = windows_.rbegin(); window != windows_.rend(); ++window) {
    const Rows* rows = window->table(table).rows();
    if (rows == nullptr || rows->layout().keys.empty()) continue;
    uint16_t key = rows->layout().keys[0];
    for (size_t row = 0; row < rows->size(); ++row) {
      std::string name(rows->text(row, Column{table, key}));
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
  }
  return names;
}

Series Span::series(TableId table, std::string_view instance, const Of& of) const {
  Series series;
  for (const Window& window : windows_) {
    const TableWindow& rows = window.table(table);
    Number value = rows.absent() != Absent::no ? rows.absent() : Absent::gone;
    for (size_t row = 0; row < rows.size(); ++row) {
      const auto& keys = rows.rows()->layout().keys;
      if (!instance.empty() && rows.text(row, Column{table, keys[0]}) != instance) continue;
      value = of(window, row);
      break;
    }
    series.add(window, value);
  }
  return series;
}

Series Span::figure(std::string_view id, std::string_view instance) const {
  const Figure* figure = find_figure(id);
  return figure == nullptr ? Series{} : series(figure->table, instance, figure->of);
}

Series Span::rate(Column column, std::string_view instance) const {
  return series(column.table, instance, [&](const Window& window, size_t row) {
    return window.table(column.table).rate(row, column);
  });
}

Series Span::gauge(Column column, std::string_view instance) const {
  if (std::ranges::find(kAveraged, column.table) == kAveraged.end()) {
    return series(column.table, instance, [&](const Window& window, size_t row) {
      return window.table(column.table).gauge(row, column);
    });
  }
  Series series;
  for (size_t i = 0; i < windows_.size(); ++i) {
    auto found = means_[i].sums.find(key_of(column));
    Number value = Absent::not_read;
    if (found != means_[i].sums.end()) {
      value = found->second.first / static_cast<double>(found->second.second);
    } else if (windows_[i].table(column.table).size() > 0) {
      value = windows_[i].table(column.table).gauge(0, column);  // its reason
    }
    series.add(windows_[i], value);
  }
  return series;
}

std::string Span::text(Column column, std::string_view instance) const {
  if (windows_.empty()) return "";
  const TableWindow& rows = windows_.back().table(column.table);
  for (size_t row = 0; row < rows.size(); ++row) {
    const auto& keys = rows.rows()->layout().keys;
    if (!instance.empty() && rows.text(row, Column{column.table, keys[0]}) != instance) continue;
    return std::string(rows.text(row, column));
  }
  return "";
}

void Span::gather_processes() {
  std::map<std::pair<uint64_t, uint64_t>, ProcessSpan> all;
  for (const Window& window : windows_) {
    const TableWindow& table = window.table(TableId::process);
    for (size_t row = 0; row < table.size(); ++row) {
      Number cpu = figure::process_cpu(window, row);
      Number wait = table.rate(row, schema::process["run_delay"]);
      if (wait) wait = *wait * 100;
      const Rows& rows = *table.rows();
      uint64_t pid = rows.at(row, schema::process["pid"]).bits;
      uint64_t start = rows.at(row, schema::process["start"]).bits;
      Value watched = rows.at(row, schema::process["watched"]);
      bool is_watched = watched && watched.bits == 1;
      has_watched_ = has_watched_ || is_watched;
      if (cpu.value_or(0) <= 0 && wait.value_or(0) <= 0 && !is_watched) continue;
      ProcessSpan& process = all[{pid, start}];
      process.pid = pid;
      process.start = start;
      process.command = rows.text(row, schema::process["command"]);
      process.command_line = rows.text(row, schema::process["command_line"]);
      process.user = rows.text(row, schema::process["user"]);
      process.watched = process.watched || is_watched;
      process.allowed_cpus = rows.number(row, schema::process["allowed_cpus"]);
      process.threads = rows.number(row, schema::process["threads"]);
      process.cpu.add(window, cpu);
      process.wait.add(window, wait);
    }
  }
  for (auto& [identity, process] : all)
    processes_.push_back(std::move(process));
  std::ranges::stable_sort(processes_, [](const ProcessSpan& a, const ProcessSpan& b) {
    return a.cpu.mean().value_or(0) > b.cpu.mean().value_or(0);
  });
}

Selection span_selection() {
  // What costs and no rule asks for is left out.
  Selection selection = Selection::all();
  for (TableId id : {TableId::thread, TableId::source_cost, TableId::softnet, TableId::socket_unix,
                     TableId::route, TableId::net_counter})
    selection.remove(id);
  return selection;
}

SpanBuilder::SpanBuilder(int64_t expected_ns)
    : step_ns_(std::max(expected_ns / kMostWindows, kShortestWindow)) {}

void SpanBuilder::note(const Sample& sample) {
  for (TableId id : kAveraged) {
    const Rows* rows = sample.rows(id);
    if (rows == nullptr || rows->empty() || !sample.fresh(id)) continue;
    for (size_t c = 0; c < rows->width(); ++c) {
      if (rows->layout().columns[c].kind != Kind::gauge) continue;
      Number value = rows->number(0, c);
      if (!value) continue;
      auto& [sum, count] = means_.sums[key_of(Column{id, static_cast<uint16_t>(c)})];
      sum += *value;
      ++count;
    }
  }
  const Rows* events = sample.rows(TableId::event);
  for (size_t row = 0; events != nullptr && sample.fresh(TableId::event) && row < events->size();
       ++row) {
    SpanEvent event;
    event.realtime_ns = static_cast<int64_t>(events->at(row, schema::event["time"]).bits * 1000);
    event.kind = events->text(row, schema::event["kind"]);
    event.subject = events->text(row, schema::event["subject"]);
    event.detail = events->text(row, schema::event["detail"]);
    event.pid = events->at(row, schema::event["pid"]).bits;
    span_.events_.push_back(std::move(event));
  }
}

void SpanBuilder::close(SamplePtr sample) {
  span_.windows_.emplace_back(begin_, sample);
  span_.means_.push_back(std::exchange(means_, {}));
  begin_ = std::move(sample);
}

void SpanBuilder::add(SamplePtr sample) {
  ++span_.samples_;
  note(*sample);
  if (!begin_) {
    begin_ = sample;
    means_ = {};  // the first sample only begins the first window
  } else {
    int64_t length = sample->clock.monotonic_ns - begin_->clock.monotonic_ns;
    // A tenth early counts: samples of 1 s make windows of 1 s, not of 2.
    if (length < 0 || length >= step_ns_ - step_ns_ / 10) close(sample);
  }
  last_ = std::move(sample);
}

Span SpanBuilder::finish() {
  if (begin_ && last_ && last_ != begin_) close(last_);
  span_.gather_processes();
  return std::move(span_);
}

}  // namespace tacho
