#pragma once
// Randomness, for what must differ between processes or spread over time: incarnations, jitter.
// Never in an output.

#include <cstdint>
#include <random>

namespace tidemark::io {

class Random {
 public:
  virtual ~Random() = default;
  virtual std::uint64_t Next() = 0;

  // Uniform in [low, high).
  double Uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(Next() >> 11) * 0x1.0p-53);
  }
};

// Seeded by the operating system. Not thread-safe.
class SystemRandom final : public Random {
 public:
  SystemRandom() : engine_(std::random_device{}()) {}

  std::uint64_t Next() override {
    return (static_cast<std::uint64_t>(engine_()) << 32) | static_cast<std::uint32_t>(engine_());
  }

 private:
  std::mt19937 engine_;
};

// The same sequence for the same seed; for tests and simulations.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t Next() override { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace tidemark::io
