// Little-endian integers, varints and zigzag, over a growing string and a bounded view.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace tacho {

/// Small magnitudes of either sign become small unsigned numbers: 0, -1, 1, -2 → 0, 1, 2, 3.
[[nodiscard]] constexpr uint64_t zigzag(int64_t v) {
  return (static_cast<uint64_t>(v) << 1) ^ static_cast<uint64_t>(v >> 63);
}
[[nodiscard]] constexpr int64_t unzigzag(uint64_t v) {
  return static_cast<int64_t>((v >> 1) ^ (~(v & 1) + 1));
}

/// Sum, difference and product modulo 2^64: what damaged bytes say must not be undefined.
[[nodiscard]] constexpr int64_t wrapping_add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
[[nodiscard]] constexpr int64_t wrapping_subtract(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
[[nodiscard]] constexpr int64_t wrapping_multiply(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

/// Appends to a caller-owned string.
class ByteWriter {
 public:
  explicit ByteWriter(std::string& out) : out_(out) {}

  template <typename T>
  void fixed(T value) {
    static_assert(std::is_integral_v<T>);
    char raw[sizeof(T)];
    for (size_t i = 0; i < sizeof(T); ++i) {
      raw[i] = static_cast<char>(static_cast<std::make_unsigned_t<T>>(value) >> (8 * i));
    }
    out_.append(raw, sizeof(T));
  }
  void varint(uint64_t v) {
    while (v >= 0x80) {
      out_.push_back(static_cast<char>(v | 0x80));
      v >>= 7;
    }
    out_.push_back(static_cast<char>(v));
  }
  void signed_varint(int64_t v) { varint(zigzag(v)); }
  /// Length, then the bytes.
  void text(std::string_view s) {
    varint(s.size());
    out_.append(s);
  }
  void raw(std::string_view s) { out_.append(s); }
  [[nodiscard]] size_t size() const { return out_.size(); }

 private:
  std::string& out_;
};

/// Reads from a view it does not own. A read past the end, or a varint of more than 64 bits, gives
/// zero and leaves ok() false for good; nothing is ever read out of bounds.
class ByteReader {
 public:
  explicit ByteReader(std::string_view in) : in_(in) {}

  template <typename T>
  T fixed() {
    static_assert(std::is_integral_v<T>);
    if (in_.size() < sizeof(T)) return bad<T>();
    uint64_t v = 0;
    for (size_t i = 0; i < sizeof(T); ++i) {
      v |= static_cast<uint64_t>(static_cast<unsigned char>(in_[i])) << (8 * i);
    }
    in_.remove_prefix(sizeof(T));
    return static_cast<T>(v);
  }
  uint64_t varint() {
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64 && !in_.empty(); shift += 7) {
      auto byte = static_cast<unsigned char>(in_.front());
      in_.remove_prefix(1);
      if (shift == 63 && byte > 1) return bad<uint64_t>();
      v |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return v;
    }
    return bad<uint64_t>();
  }
  int64_t signed_varint() { return unzigzag(varint()); }
  /// Moves `position` on by a varint, to below `end`. A step beyond it is not ok().
  bool step(uint64_t& position, uint64_t end) {
    uint64_t by = varint();
    if (!ok_ || position >= end || by >= end - position) {
      bad<uint64_t>();
      return false;
    }
    position += by;
    return true;
  }
  std::string_view text() { return raw(varint()); }
  std::string_view raw(uint64_t length) {
    if (length > in_.size()) return bad<std::string_view>();
    std::string_view s = in_.substr(0, length);
    in_.remove_prefix(length);
    return s;
  }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool empty() const { return in_.empty(); }
  [[nodiscard]] size_t left() const { return in_.size(); }

 private:
  template <typename T>
  T bad() {
    ok_ = false;
    in_ = {};
    return T{};
  }
  std::string_view in_;
  bool ok_ = true;
};

}  // namespace tacho
