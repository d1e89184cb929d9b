#include "derive/window.h"

#include <algorithm>

#include "sample/gap.h"
#include "schema/process.h"

namespace tacho {
namespace {

/// Parts of CPU time that the kernel may report a little smaller than before (proc_stat(5): iowait
/// is not reliable; idle is read from other accounts on tickless CPUs): a fall is no reset of the
/// row.
bool may_fall(TableId id, const ColumnInfo& column) {
  return id == TableId::cpu && (column.name == "iowait" || column.name == "idle" ||
                                column.name == "steal" || column.name == "guest");
}

/// Tables of which each row belongs to the kernel and counts since boot or since the device came.
bool counts_since_boot(TableId id) {
  switch (id) {
    case TableId::cpu:
    case TableId::system:
    case TableId::vm:
    case TableId::pressure:
    case TableId::disk:
    case TableId::mount_nfs:
    case TableId::net:
    case TableId::ip:
    case TableId::tcp:
    case TableId::udp:
    case TableId::softnet:
    case TableId::cgroup:
      return true;
    default:
      return false;
  }
}

}  // namespace

Window::Window(SamplePtr begin, SamplePtr end) : begin_(std::move(begin)), end_(std::move(end)) {
  if (other_boot(*begin_, *end_)) *this = since_boot(end_);
}

Window Window::since_boot(SamplePtr end) {
  auto zero = std::make_shared<Sample>();
  zero->clock = {end->clock.realtime_ns - end->clock.boottime_ns,
                 end->clock.monotonic_ns - end->clock.boottime_ns, 0};
  Window window(zero, std::move(end));
  window.from_boot_ = true;
  return window;
}

double Window::seconds() const {
  return static_cast<double>(end_->clock.monotonic_ns - begin_->clock.monotonic_ns) / 1e9;
}

double Window::suspended_seconds() const {
  int64_t boot = end_->clock.boottime_ns - begin_->clock.boottime_ns;
  int64_t mono = end_->clock.monotonic_ns - begin_->clock.monotonic_ns;
  return static_cast<double>(std::max<int64_t>(boot - mono, 0)) / 1e9;
}

const TableWindow& Window::table(TableId id) const {
  auto& window = tables_[static_cast<size_t>(id)];
  if (!window) {
    window = std::make_unique<TableWindow>();
    prepare(*window, id);
  }
  return *window;
}

void Window::prepare(TableWindow& window, TableId id) const {
  window.id_ = id;
  window.end_ = end_->rows_ptr(id);
  window.from_boot_ = from_boot_;
  window.begin_boottime_ns_ = begin_->clock.boottime_ns;
  if (!window.end_) return;
  window.absent_ = window.end_->absent;
  if (window.absent_ != Absent::no) return;
  if (from_boot_) {
    window.seconds_ = static_cast<double>(window.end_->read_ns - begin_->clock.monotonic_ns) / 1e9;
    // All kernel counters were zero at boot; of other instances it is known only where they say so.
    window.begin_ = std::make_shared<Rows>(window.end_->layout_ptr(), window.end_->pool_ptr());
  } else if (auto begin = begin_->rows_ptr(id); begin && begin->absent == Absent::no) {
    if (begin->read_ns == window.end_->read_ns) {
      window.absent_ = Absent::not_due;
    } else {
      window.seconds_ = static_cast<double>(window.end_->read_ns - begin->read_ns) / 1e9;
      window.begin_ = begin->pool_ptr() == window.end_->pool_ptr()
                          ? begin
                          : begin->rebase(window.end_->pool_ptr());
    }
  } else {
    window.absent_ = Absent::no_second_sample;
  }
  window.match();
}

bool TableWindow::began_inside(size_t row) const {
  if (from_boot_ && counts_since_boot(id_)) return true;
  if (id_ == TableId::process || id_ == TableId::thread) {
    Column start = id_ == TableId::process ? schema::process["start"] : schema::thread["start"];
    Number seconds = end_->number(row, start);
    // A tick of 10 ms either way: the start is rounded down, the sample lies anywhere in its tick.
    return seconds && *seconds * 1e9 >= static_cast<double>(begin_boottime_ns_) - 1e7;
  }
  // The kernel lists every disk: one that was not there has come since, at zero. (An interface may
  // come from another name space, with all it has counted there.)
  if (id_ == TableId::disk) return true;
  // A row that sums up what came to pass since the recorder began starts at zero.
  return id_ == TableId::process_exit || id_ == TableId::cgroup || id_ == TableId::mount_nfs ||
         id_ == TableId::progress || id_ == TableId::source_cost;
}

void TableWindow::match() {
  before_.assign(end_->size(), kUnknown);
  if (!begin_) return;
  // Layouts differ where a recording was begun by one build and continued by another.
  if (begin_->width() != end_->width()) {
    absent_ = Absent::no_second_sample;
    return;
  }
  KeyIndex index(*begin_);
  for (size_t row = 0; row < end_->size(); ++row) {
    size_t before = index.find(*end_, row);
    if (before != KeyIndex::npos) {
      before_[row] = before;
    } else if (began_inside(row)) {
      before_[row] = kBorn;
    }
  }
}

bool TableWindow::fell(size_t row, size_t before) const {
  for (size_t c = 0; c < end_->width(); ++c) {
    const ColumnInfo& column = end_->layout().columns[c];
    if (column.kind != Kind::counter || column.type != Type::u64 || may_fall(id_, column)) continue;
    Value now = end_->at(row, c);
    Value was = begin_->at(before, c);
    if (now && was && now.bits < was.bits) return true;
  }
  return false;
}

Number TableWindow::delta(size_t row, Column column) const {
  if (absent_ != Absent::no) return absent_;
  Value now = end_->at(row, column);
  if (!now) return now.absent;
  const ColumnInfo& info = end_->layout().columns[column.index];
  double factor = info.unit.factor();
  size_t before = before_[row];
  if (before == kBorn) return static_cast<double>(now.bits) * factor;
  if (before == kUnknown) return Absent::no_second_sample;
  Value was = begin_->at(before, column);
  if (!was) return Absent::no_second_sample;
  if (now.bits >= was.bits) return static_cast<double>(now.bits - was.bits) * factor;
  // By a little: the kernel's rounding. By more than the window's length it was reset.
  double fall = static_cast<double>(was.bits - now.bits) * factor;
  if (may_fall(id_, info)) return fall <= seconds_ ? Number(0.0) : Number(Absent::was_reset);
  // A 32-bit counter that is smaller has wrapped, unless a sibling of 64 bits fell with it.
  if (info.type == Type::u32 && !fell(row, before)) {
    return static_cast<double>((now.bits - was.bits) & 0xffffffffU) * factor;
  }
  return Absent::was_reset;
}

Number TableWindow::rate(size_t row, Column column) const {
  Number grown = delta(row, column);
  if (!grown) return grown;
  if (seconds_ <= 0) return Absent::no_second_sample;
  return *grown / seconds_;
}

Number TableWindow::gauge(size_t row, Column column) const {
  return end_->number(row, column);
}

}  // namespace tacho
