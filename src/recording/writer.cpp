#include "recording/writer.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/bytes.h"
#include "base/text.h"
#include "recording/folder.h"
#include "recording/format.h"
#include "recording/index.h"
#include "recording/tail.h"

namespace tacho {
namespace {

std::shared_ptr<const RecordedSchema> own_schema() {
  auto schema = decode_schema(encode_schema());
  return std::make_shared<RecordedSchema>(std::move(*schema));  // what we wrote we can read
}

void sync_folder(const std::string& folder) {
  if (auto fd = open_file(folder, O_RDONLY | O_DIRECTORY)) fsync(fd->get());
}

/// Whether the path still leads to the file that was opened, and not to nothing or to another one.
bool leads_to(const std::string& path, const Fd& fd) {
  struct stat there {};
  struct stat opened {};
  return stat(path.c_str(), &there) == 0 && fstat(fd.get(), &opened) == 0 &&
         there.st_dev == opened.st_dev && there.st_ino == opened.st_ino;
}

/// How many cells a reader makes room for.
size_t cells_of(const SampleDelta& delta) {
  size_t cells = 0;
  for (const TableDelta& table : delta.tables) {
    cells += table.birth_cells.size() + table.changes.size() + table.reasons.size();
  }
  return cells;
}

}  // namespace

Writer::Writer(std::string folder, const WriterOptions& options)
    : folder_(std::move(folder)), options_(options), schema_(own_schema()), builder_(schema_) {}

Writer::~Writer() = default;

Result<std::unique_ptr<Writer>> Writer::open(const std::string& folder,
                                             const WriterOptions& options) {
  auto made = make_folders(folder, options.group_readable ? 0750 : 0700);
  if (!made) return tl::unexpected(made.error());
  std::unique_ptr<Writer> writer(new Writer(folder, options));
  auto format = check_format(folder);
  if (!format && format.error().code != Errc::not_found) return tl::unexpected(format.error());
  if (auto free = format ? format : check_may_begin(folder); !free)
    return tl::unexpected(free.error());
  auto ready = writer->take_lock();
  if (ready && !format) {
    ready = write_format(folder, writer->mode());
    sync_folder(folder);
    sync_folder(folder + "/..");  // the folder itself may be new
  }
  if (ready) ready = writer->recover();
  if (!ready) return tl::unexpected(ready.error());
  return writer;
}

Result<void> Writer::take_lock() {
  auto fd = open_file(path("lock"), O_RDWR | O_CREAT, mode());
  if (!fd) return tl::unexpected(fd.error());
  if (flock(fd->get(), LOCK_EX | LOCK_NB) != 0) {
    auto owner = read_file(path("lock"));
    return fail(Errc::busy, "{}: another recorder (process {}) is recording there", folder_,
                owner ? trim(*owner) : std::string_view("unknown"));
  }
  if (!leads_to(path("lock"), *fd)) {
    return fail(Errc::busy, "{}: its lock was replaced just now; try again", folder_);
  }
  std::string pid = fmt::format("{}\n", getpid());
  if (ftruncate(fd->get(), 0) != 0 || pwrite(fd->get(), pid.data(), pid.size(), 0) < 0) {
    // Only the pid in a later message is missing then; the lock itself holds.
    notes_.push_back("the lock file could not be written");
  }
  lock_ = std::move(*fd);
  return {};
}

Result<void> Writer::recover() {
  auto list = list_folder(folder_);
  if (!list) return tl::unexpected(list.error());
  if (!list->segments.empty()) number_after(list->segments.back());
  for (const std::string& tail : list->tails) {
    auto recovered = recover_tail(tail);
    if (!recovered) {
      // It stays; none of its samples' numbers, and so not its name, may be given again.
      notes_.push_back(fmt::format("{} could not be taken over: {}", tail, recovered.error().what));
      next_number_ = std::max(next_number_, first_number_of(tail).value_or(0) + kChunkSamples);
    }
  }
  last_number_ = next_number_ - 1;
  return {};
}

void Writer::number_after(const std::string& segment) {
  uint64_t next = first_number_of(segment).value_or(0);
  auto entries = load_index(folder_, segment, nullptr);
  for (const IndexEntry& entry : entries ? *entries : std::vector<IndexEntry>{}) {
    auto head = read_at(path(segment), entry.offset, kChunkHeader);
    auto info = head ? read_chunk_header(*head) : fail(Errc::corrupt, "no chunk");
    next = (info ? info->first_number : next) + entry.samples;
  }
  // One that cannot be read still has its name, which the next must not have.
  if (!entries || entries->empty()) next += kChunkSamples;
  next_number_ = std::max(next_number_, next);
}

Result<void> Writer::recover_tail(const std::string& name) {
  auto reader = TailReader::open(path(name));
  if (!reader && reader.error().code == Errc::corrupt) {
    // Killed while its header was being written: nothing had been acknowledged.
    notes_.push_back(fmt::format("{} held no sample and was removed", name));
    unlink(path(name).c_str());
    return {};
  }
  if (!reader) return tl::unexpected(reader.error());
  ChunkBuilder builder(reader->schema());
  Applier applier(reader->schema(), Selection::all());
  uint64_t first = 0;
  uint64_t last = 0;
  uint64_t good_bytes = reader->good_bytes();
  while (!builder.full()) {
    auto delta = reader->next();
    // What cannot be applied could not be read from a chunk either: the tail ends there.
    if (!delta || !*delta || (*delta)->number <= last || !applier.apply(**delta)) break;
    if (builder.samples() == 0) first = (*delta)->number;
    last = (*delta)->number;
    good_bytes = reader->good_bytes();
    builder.add(**delta);
  }
  struct stat status {};
  if (stat(path(name).c_str(), &status) != 0) return fail_errno(errno, path(name));
  if (auto size = static_cast<uint64_t>(status.st_size); size > good_bytes) {
    notes_.push_back(
        fmt::format("{}: a torn end of {} bytes was cut off", name, size - good_bytes));
  }
  next_number_ = std::max(next_number_, last + 1);
  if (builder.samples() > 0 && !stands_in_chunk(first)) {
    size_t samples = builder.samples();
    int64_t first_ns = builder.first_realtime_ns();
    int64_t last_ns = builder.last_realtime_ns();
    segment_.clear();  // its schema is the tail's: a segment of its own
    auto written =
        append_chunk(builder.finish(), first, first_ns, last_ns, samples, reader->schema());
    segment_.clear();
    if (!written) return written;
  }
  unlink(path(name).c_str());
  sync_folder(folder_);
  return {};
}

bool Writer::stands_in_chunk(uint64_t number) const {
  auto list = list_folder(folder_);
  if (!list) return false;
  std::string holder;  // the last segment that began by then
  for (const std::string& segment : list->segments) {
    if (first_number_of(segment) <= number) holder = segment;
  }
  auto entries =
      holder.empty() ? fail(Errc::not_found, "no segment") : load_index(folder_, holder, nullptr);
  if (!entries) return false;
  return std::ranges::any_of(*entries, [&](const IndexEntry& entry) {
    auto head = read_at(path(holder), entry.offset, kChunkHeader);
    auto info = head ? read_chunk_header(*head) : fail(Errc::corrupt, "no chunk");
    return info && info->first_number <= number && number < info->first_number + info->samples;
  });
}

Result<void> Writer::begin_tail(uint64_t number) {
  std::string name = tail_name(number);
  auto fd = open_file(path(name), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, mode());
  if (!fd) return tl::unexpected(fd.error());
  std::string header = file_header(kTailMagic);
  auto written = write_all(fd->get(), header);
  if (!written) {
    unlink(path(name).c_str());
    return written;
  }
  tail_ = std::move(*fd);
  tail_name_ = name;
  tail_bytes_ = header.size();
  bytes_written_ += header.size();
  sync_folder(folder_);
  return {};
}

Result<void> Writer::write_frame(const std::string& frame) {
  while (true) {
    auto written = write_all(tail_.get(), frame);
    if (written) break;
    // Half a frame must not stand between whole ones.
    if (ftruncate(tail_.get(), static_cast<off_t>(tail_bytes_)) != 0) tail_.reset();
    bool full = written.error().code == Errc::no_space;
    if (!tail_ || !full || !drop_for_space()) return written;
  }
  tail_bytes_ += frame.size();
  bytes_written_ += frame.size();
  return {};
}

bool Writer::vanished() const {
  return !lock_ || !leads_to(path("lock"), lock_) || (tail_ && !leads_to(path(tail_name_), tail_));
}

Result<void> Writer::make_anew() {
  // Said once, also where it takes many attempts (a file system that is not mounted yet).
  if (lock_)
    notes_.push_back(fmt::format("{} vanished with what it held; making it anew", folder_));
  tail_.reset();
  segment_.clear();
  builder_ = ChunkBuilder(schema_);
  lock_.reset();
  auto made = make_folders(folder_, options_.group_readable ? 0750 : 0700);
  if (made) made = take_lock();
  if (made) made = check_format(folder_);
  if (!made && made.error().code == Errc::not_found) made = write_format(folder_, mode());
  // Another recording may have been put in its place: what it holds is kept.
  if (made) made = recover();
  if (!made) lock_.reset();
  return made;
}

Result<void> Writer::append(const Sample& sample) {
  // Of a folder that was removed under us the descriptors would write into nothing.
  if (vanished()) {
    auto made = make_anew();
    if (!made) return made;
  }
  if (tail_ && chunk_due(sample)) {
    auto closed = close_chunk();
    if (!closed) notes_.push_back(closed.error().what);
  }
  uint64_t number = next_number_++;
  if (!tail_) {
    differ_.reset();
    builder_ = ChunkBuilder(schema_);
    auto begun = begin_tail(number);
    while (!begun && begun.error().code == Errc::no_space && drop_for_space())
      begun = begin_tail(number);
    if (!begun) return begun;
  }
  SampleDelta delta = differ_.diff(sample, number);
  std::string frame = encode_frame(delta, *schema_);
  bool fits = frame.size() <= kMaxPlain && cells_of(delta) <= kMaxChanges - kChunkChanges;
  auto written = fits
                     ? write_frame(frame)
                     : fail(Errc::not_supported, "a sample of {} bytes is too large", frame.size());
  if (!written) {
    // The chain is broken: the tail is kept for recovery, the next sample begins a new one.
    if (builder_.samples() == 0) unlink(path(tail_name_).c_str());
    tail_.reset();
    tail_name_.clear();
    return written;
  }
  builder_.add(delta);
  ++samples_;
  last_number_ = number;
  bool each = options_.interval_ns >= 10 * kSecond;
  if (each || sample.clock.monotonic_ns - synced_ns_ >= 10 * kSecond) {
    bool synced = fdatasync(tail_.get()) == 0;
    if (!synced && !unsafe_) {
      notes_.push_back(fmt::format("{}: what is written may not outlive a power cut: {}",
                                   tail_name_, std::strerror(errno)));
    }
    unsafe_ = !synced;
    synced_ns_ = sample.clock.monotonic_ns;
  }
  return {};
}

bool Writer::chunk_due(const Sample& sample) const {
  if (builder_.samples() == 0) return false;
  // A gap lies between two chunks, so that the index alone tells of it.
  int64_t step = sample.clock.boottime_ns - builder_.last_clock().boottime_ns;
  return builder_.full() || tail_bytes_ >= kChunkBytes ||
         sample.clock.monotonic_ns - builder_.first_monotonic_ns() >= kChunkTime ||
         step > longest_step(options_.interval_ns);
}

Result<void> Writer::close_chunk() {
  std::string tail = tail_name_;
  tail_.reset();
  if (builder_.samples() == 0) {
    unlink(path(tail).c_str());
    return {};
  }
  size_t samples = builder_.samples();
  int64_t first_ns = builder_.first_realtime_ns();
  int64_t last_ns = builder_.last_realtime_ns();
  uint64_t first = first_number_of(tail).value_or(next_number_ - samples);
  auto written = append_chunk(builder_.finish(), first, first_ns, last_ns, samples, schema_);
  if (!written) {
    tail_name_.clear();
    segment_.clear();  // the tail stays and is taken over later; chunks after it come behind it
    return written;
  }
  unlink(path(tail).c_str());
  sync_folder(folder_);
  enforce_retention(last_ns);
  return {};
}

Result<void> Writer::begin_segment(uint64_t first_number, int64_t realtime_ns) {
  segment_ = segment_name(first_number, realtime_ns);
  segment_day_ = local_time(realtime_ns, "%Y-%m-%d");
  auto segment = open_file(path(segment_), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, mode());
  if (!segment) return tl::unexpected(segment.error());
  auto index =
      open_file(path(index_name(segment_)), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, mode());
  if (!index) return tl::unexpected(index.error());
  segment_fd_ = std::move(*segment);
  index_fd_ = std::move(*index);
  segment_bytes_ = 0;
  // Its name must be safe before the tail of its first chunk is removed.
  sync_folder(folder_);
  return {};
}

Result<void> Writer::append_chunk(const std::string& chunk, uint64_t first_number, int64_t first_ns,
                                  int64_t last_ns, size_t samples,
                                  const std::shared_ptr<const RecordedSchema>& schema) {
  std::string bytes;
  uint64_t offset = 0;
  // Of a segment that somebody removed the descriptor would write into nothing.
  if (!segment_.empty() && !leads_to(path(segment_), segment_fd_)) segment_.clear();
  while (true) {
    bytes.clear();
    if (segment_.empty() || segment_day_ != local_time(first_ns, "%Y-%m-%d") ||
        segment_bytes_ >= largest_segment()) {
      auto begun = begin_segment(first_number, first_ns);
      if (!begun) return begun;
    }
    // The header of a segment made from an older build's tail must carry that build's schema.
    if (segment_bytes_ == 0) bytes = file_header(kSegmentMagic, *schema);
    offset = segment_bytes_ + bytes.size();
    bytes += chunk;
    auto written = write_all(segment_fd_.get(), bytes);
    if (written) break;
    bool truncated = ftruncate(segment_fd_.get(), static_cast<off_t>(segment_bytes_)) == 0;
    if (truncated && written.error().code == Errc::no_space && drop_for_space()) continue;
    if (segment_bytes_ == 0) remove_segment(segment_);
    segment_.clear();
    return written;
  }
  segment_bytes_ += bytes.size();
  bytes_written_ += bytes.size() + kIndexEntry;
  if (fdatasync(segment_fd_.get()) != 0) return fail_errno(errno, path(segment_));
  IndexEntry entry;
  entry.first_realtime_ns = first_ns;
  entry.offset = offset;
  entry.length = static_cast<uint32_t>(chunk.size());
  entry.set_last(last_ns);
  entry.samples = static_cast<uint32_t>(samples);
  auto indexed = write_all(index_fd_.get(), encode_index_entry(entry));
  if (!indexed) return {};  // the index is made anew from the segment when it is read
  fdatasync(index_fd_.get());
  return {};
}

Result<void> Writer::close() {
  if (!tail_) return {};
  return close_chunk();
}

std::vector<std::string> Writer::take_notes() {
  return std::exchange(notes_, {});
}

}  // namespace tacho
