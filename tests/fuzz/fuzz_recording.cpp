// The reader of recordings, on a folder in which one piece is not what was written. The first byte
// of the input says which; the rest is the piece. Pieces behind a checksum get a right one, or
// nothing would ever come past it.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/bytes.h"
#include "base/file.h"
#include "recording/chunk.h"
#include "recording/folder.h"
#include "recording/format.h"
#include "recording/random_samples_test.h"
#include "recording/reader.h"
#include "recording/writer.h"
#include "target.h"

namespace tacho::fuzz {
namespace {

namespace fs = std::filesystem;

enum Piece : uint8_t { kSegment, kIndex, kTail, kMark, kSchema, kFrame, kGroup, kPieces };

/// A recording as it should be: a segment, its index, a tail.
class Original {
 public:
  Original() {
    std::string pattern = (fs::temp_directory_path() / "tacho-fuzz-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    {
      RandomMachine machine(5);
      auto out = std::move(*Writer::open(folder_, {}));
      for (size_t i = 0; i < kChunkSamples + 20; ++i)
        (void)out->append(*machine.next());
      // As a recorder leaves it that is killed: with a tail.
      fs::create_directories(folder_ + "/kept");
      for (const auto& entry : fs::directory_iterator(folder_)) {
        if (entry.is_regular_file()) fs::copy(entry.path(), folder_ + "/kept");
      }
    }
    auto list = *list_folder(folder_ + "/kept");
    segment_name_ = list.segments.at(0);
    tail_name_ = list.tails.at(0);
    segment = *read_file(folder_ + "/kept/" + segment_name_);
    index = *read_file(folder_ + "/kept/" + index_name(segment_name_));
    tail = *read_file(folder_ + "/kept/" + tail_name_);
    mark = *read_file(folder_ + "/kept/" + kMarkFile);
    schema = encode_schema();
    find_frames();
    find_groups();
  }
  ~Original() { fs::remove_all(folder_); }

  /// Reads all there is, forwards, backwards and by time, with the piece in its place.
  void read_with(Piece piece, const std::string& bytes) {
    std::string now = folder_ + "/now";
    fs::remove_all(now);
    fs::create_directories(now);
    put(now, segment_name_, piece == kSegment ? bytes : segment);
    put(now, index_name(segment_name_), piece == kIndex ? bytes : index);
    put(now, tail_name_, piece == kTail ? bytes : tail);
    put(now, kMarkFile, piece == kMark ? bytes : mark);
    (void)describe_recording(now);
    auto cursor = open_recording(now, Selection::all());
    if (!cursor) return;
    (void)(*cursor)->first();
    for (int i = 0; i < 1000; ++i) {
      auto sample = (*cursor)->next();
      if (!sample || !*sample) break;
    }
    for (int i = 0; i < 3; ++i)
      (void)(*cursor)->previous();
    (void)(*cursor)->at(1'700'000'100 * kSecond);
    (void)(*cursor)->last();
    (void)(*cursor)->gaps();
  }

  /// The tail with another payload in its nth frame.
  [[nodiscard]] std::string with_frame(size_t n, const std::string& payload) const {
    const Part& frame = frames[n % frames.size()];
    ByteReader in(std::string_view(tail).substr(frame.at));
    in.fixed<uint32_t>();
    in.fixed<uint32_t>();
    auto number = in.fixed<uint64_t>();
    std::string bytes = tail.substr(0, frame.at);
    ByteWriter out(bytes);
    out.fixed(kFrameMagic);
    out.fixed(static_cast<uint32_t>(payload.size()));
    out.fixed(number);
    out.fixed(checksum(payload, number));
    return bytes + payload + tail.substr(frame.at + kFrameHeader + frame.plain.size());
  }

  /// The segment with another plain text in the nth group of its first chunk.
  [[nodiscard]] std::string with_group(size_t n, const std::string& plain) const {
    size_t which = n % groups.size();
    std::string directory;
    std::string body;
    for (size_t i = 0; i < groups.size(); ++i) {
      const std::string& text = i == which ? plain : groups[i].plain;
      std::string packed = compress(text);
      ByteWriter out(directory);
      out.fixed(groups[i].id);
      out.fixed(static_cast<uint32_t>(packed.size()));
      out.fixed(static_cast<uint32_t>(text.size()));
      out.fixed(uint32_t{0});
      out.fixed(checksum(packed));
      body += packed;
    }
    std::string header;
    ByteWriter out(header);
    out.fixed(kChunkMagic);
    out.fixed(static_cast<uint32_t>(directory.size() + body.size()));
    header += segment.substr(chunk_at + 8, kChunkHeader - 16);
    out.fixed(checksum(directory, checksum(header)));
    return segment.substr(0, chunk_at) + header + directory + body;
  }

  /// A segment's file header with another schema, and the chunks behind it.
  [[nodiscard]] std::string with_schema(const std::string& plain) const {
    std::string packed = compress(plain);
    std::string bytes;
    ByteWriter out(bytes);
    out.fixed(kSegmentMagic);
    out.fixed(kFormatVersion);
    out.fixed(uint16_t{0});
    out.fixed(static_cast<uint32_t>(packed.size()));
    out.fixed(static_cast<uint32_t>(plain.size()));
    out.fixed(checksum(packed, kSegmentMagic));
    return bytes + packed + segment.substr(chunk_at);
  }

  struct Part {
    size_t at = 0;
    uint32_t id = 0;
    std::string plain;
  };
  std::string segment, index, tail, mark, schema;
  std::vector<Part> frames;
  std::vector<Part> groups;
  size_t chunk_at = 0;

 private:
  static void put(const std::string& folder, const std::string& name, const std::string& bytes) {
    std::ofstream(folder + "/" + name, std::ios::binary) << bytes;
  }
  void find_frames() {
    size_t at = parse_file(tail, kTailMagic, "tail")->body;
    while (at + kFrameHeader < tail.size()) {
      ByteReader in(std::string_view(tail).substr(at + 4));
      auto length = in.fixed<uint32_t>();
      frames.push_back({at, 0, tail.substr(at + kFrameHeader, length)});
      at += kFrameHeader + length;
    }
  }
  void find_groups() {
    chunk_at = parse_file(segment, kSegmentMagic, "segment")->body;
    ByteReader in(std::string_view(segment).substr(chunk_at + 20));
    auto count = in.fixed<uint32_t>();
    ByteReader directory(std::string_view(segment).substr(chunk_at + kChunkHeader));
    size_t at = chunk_at + kChunkHeader + count * kGroupEntry;
    for (uint32_t i = 0; i < count; ++i) {
      Part group;
      group.id = directory.fixed<uint32_t>();
      auto packed = directory.fixed<uint32_t>();
      auto plain = directory.fixed<uint32_t>();
      directory.fixed<uint32_t>();
      directory.fixed<uint64_t>();
      group.at = at;
      group.plain = *decompress(std::string_view(segment).substr(at, packed), plain, kMaxPlain);
      groups.push_back(std::move(group));
      at += packed;
    }
  }

  std::string folder_, segment_name_, tail_name_;
};

Original& original() {
  static Original made;
  return made;
}

}  // namespace

std::vector<std::string> seeds() {
  Original& o = original();
  auto with = [](Piece piece, char which, const std::string& bytes) {
    return std::string(1, static_cast<char>(piece)) + which + bytes;
  };
  std::vector<std::string> all{with(kSegment, 0, o.segment), with(kIndex, 0, o.index),
                               with(kTail, 0, o.tail), with(kMark, 0, o.mark),
                               with(kSchema, 0, o.schema)};
  for (size_t i = 0; i < o.frames.size(); ++i)
    all.push_back(with(kFrame, static_cast<char>(i), o.frames[i].plain));
  // Thrice, for most of what can go wrong is in there.
  for (int times = 0; times < 3; ++times) {
    for (size_t i = 0; i < o.groups.size(); ++i)
      all.push_back(with(kGroup, static_cast<char>(i), o.groups[i].plain));
  }
  return all;
}

}  // namespace tacho::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tacho::fuzz;
  if (size < 2) return 0;
  auto& o = original();
  auto piece = static_cast<Piece>(data[0] % kPieces);
  size_t which = data[1];
  std::string bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  if (piece == kSchema) {
    o.read_with(kSegment, o.with_schema(bytes));
  } else if (piece == kFrame) {
    o.read_with(kTail, o.with_frame(which, bytes));
  } else if (piece == kGroup) {
    o.read_with(kSegment, o.with_group(which, bytes));
  } else {
    o.read_with(piece, bytes);
  }
  return 0;
}
