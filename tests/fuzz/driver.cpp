// Runs a fuzz target on mutations of its seeds: the same ones for the same --seed, as many as
// --runs says, so that a test is bounded by work and not by time.
//
//   fuzz_x [--runs N] [--seed S] [--write DIR] [FILE...]
//
// FILE...: run these inputs only (one that failed). --write DIR: the seeds as files, for libFuzzer.
// An input is written to "last-input" in the folder of TACHO_FUZZ_DIR before each run, where that
// is set: what is there after a crash is the one that did it.
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>

#include "base/text.h"
#include "target.h"

namespace {

using Bytes = std::string;

const std::vector<Bytes> kWords{"0",
                                "-1",
                                "18446744073709551615",
                                "9223372036854775808",
                                "4294967296",
                                "",
                                "max",
                                " ",
                                "\n",
                                ":",
                                "(",
                                ")",
                                "0x",
                                "nan",
                                "1e999",
                                "\t\t",
                                Bytes(1, '\0'),
                                "\xff\xff\xff\xff\x7f",
                                "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"};

class Mutator {
 public:
  Mutator(std::vector<Bytes> corpus, uint64_t seed) : corpus_(std::move(corpus)), random_(seed) {}

  Bytes next() {
    Bytes bytes = pick(corpus_);
    for (uint64_t i = 1 + below(4); i > 0; --i)
      change(bytes);
    if (bytes.size() > 1 << 20) bytes.resize(1 << 20);
    return bytes;
  }

 private:
  uint64_t below(uint64_t limit) { return limit == 0 ? 0 : random_() % limit; }
  const Bytes& pick(const std::vector<Bytes>& from) { return from[below(from.size())]; }

  void change(Bytes& bytes) {
    size_t at = below(bytes.size() + 1);
    size_t length = 1 + below(std::min<size_t>(bytes.size(), 32));
    switch (below(8)) {
      case 0:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        if (at < bytes.size()) bytes[at] = static_cast<char>(random_());
        break;
      case 2:
        bytes.erase(std::min(at, bytes.size()), length);
        break;
      case 3:
        bytes.insert(at, bytes.substr(below(bytes.size() + 1), length));
        break;
      case 4:
        bytes.insert(at, pick(kWords));
        break;
      case 5: {  // over what is there, so that lengths stay
        const Bytes& word = pick(kWords);
        bytes.replace(at, std::min(word.size(), bytes.size() - at), word);
        break;
      }
      case 6:
        bytes.resize(at);
        break;
      default: {  // the beginning of this, the end of another; the first byte chooses the parser
        const Bytes& other = pick(corpus_);
        size_t from = below(other.size() + 1);
        bytes = bytes.substr(0, std::max<size_t>(at, 1)) + other.substr(from);
      }
    }
  }

  std::vector<Bytes> corpus_;
  std::mt19937_64 random_;
};

void run(const Bytes& input) {
  static const char* folder = std::getenv("TACHO_FUZZ_DIR");
  if (folder != nullptr) {
    std::ofstream(std::string(folder) + "/last-input", std::ios::binary) << input;
  }
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
}

Bytes contents(const char* path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace

int main(int argc, char** argv) {
  uint64_t runs = 2000;
  uint64_t seed = 1;
#ifndef __SANITIZE_ADDRESS__
  // What asks for memory without bound is to fail here, not to take the machine's.
  rlimit limit{rlim_t{2} << 30, rlim_t{2} << 30};
  setrlimit(RLIMIT_AS, &limit);
#endif
  bool files = false;
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i];
    bool has_value = i + 1 < argc;
    if (word == "--runs" && has_value) {
      runs = tacho::parse_u64(argv[++i]).value_or(runs);
    } else if (word == "--seed" && has_value) {
      seed = tacho::parse_u64(argv[++i]).value_or(seed);
    } else if (word == "--write" && has_value) {
      std::string folder = argv[++i];
      int n = 0;
      for (const Bytes& bytes : tacho::fuzz::seeds())
        std::ofstream(fmt::format("{}/seed-{}", folder, n++), std::ios::binary) << bytes;
      return 0;
    } else {
      run(contents(argv[i]));
      files = true;
    }
  }
  if (files) return 0;
  auto corpus = tacho::fuzz::seeds();
  for (const Bytes& bytes : corpus)
    run(bytes);
  Mutator mutator(corpus, seed);
  for (uint64_t i = 0; i < runs; ++i)
    run(mutator.next());
  fmt::print("{} seeds and {} mutations of them (seed {}): nothing happened\n", corpus.size(), runs,
             seed);
  return 0;
}
