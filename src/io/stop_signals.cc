#include "io/stop_signals.h"

#include <csignal>
#include <cstdlib>
#include <semaphore>

namespace tidemark::io {

namespace {

// Wakes the waiting thread when the process ends by itself.
constexpr int kWakeSignal = SIGUSR2;

sigset_t Watched() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, kWakeSignal);
  return set;
}

}  // namespace

StopSignals::StopSignals() {
  const sigset_t watched = Watched();
  pthread_sigmask(SIG_BLOCK, &watched, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  waiter_ = std::jthread([this] { Wait(); });
}

StopSignals::~StopSignals() { pthread_kill(waiter_.native_handle(), kWakeSignal); }

void StopSignals::AwaitStop() const {
  std::binary_semaphore stopped(0);
  const std::stop_callback release(token(), [&stopped] { stopped.release(); });
  stopped.acquire();
}

void StopSignals::Wait() {
  const sigset_t watched = Watched();
  int signal = 0;
  sigwait(&watched, &signal);
  if (signal == kWakeSignal) return;
  source_.request_stop();
  sigwait(&watched, &signal);
  if (signal != kWakeSignal) std::_Exit(128 + signal);
}

}  // namespace tidemark::io
