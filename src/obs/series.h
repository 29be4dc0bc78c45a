#pragma once
// One series of a gauge or counter, found once (Metrics::GaugeOf, CounterOf) and then written
// without a look-up, a lock or an allocation: for what is written many times a second.

#include <atomic>

namespace tidemark::obs {

// Where a series' value lies; never moves as long as its Metrics lives. Any thread.
class SeriesCell {
 public:
  void Set(double value) {
    value_.store(value, std::memory_order_relaxed);
    exposed_.store(true, std::memory_order_release);
  }

  void Add(double by) {
    value_.fetch_add(by, std::memory_order_relaxed);
    exposed_.store(true, std::memory_order_release);
  }

  double value() const { return value_.load(std::memory_order_relaxed); }

  // A series that was found and not yet written is not there for readers.
  bool exposed() const { return exposed_.load(std::memory_order_acquire); }

 private:
  std::atomic<double> value_ = 0;
  std::atomic<bool> exposed_ = false;
};

// Valid as long as its Metrics. Any thread.
class Gauge {
 public:
  explicit Gauge(SeriesCell& cell) : cell_(&cell) {}

  void Set(double value) const { cell_->Set(value); }

 private:
  SeriesCell* cell_;
};

// As Gauge.
class Counter {
 public:
  explicit Counter(SeriesCell& cell) : cell_(&cell) {}

  void Add(double by = 1) const { cell_->Add(by); }

 private:
  SeriesCell* cell_;
};

}  // namespace tidemark::obs
