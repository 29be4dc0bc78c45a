#pragma once
// A coroutine that yields one T to whoever awaits it. Lazy: nothing runs before co_await or Spawn
// (io/async.h). All tasks of a Loop run on that loop's thread; a Task is awaited once.
//
// Rule for callers (g++ 12 destroys some temporaries of co_await expressions twice): pass named
// variables or plain values to a coroutine, no braced aggregates inside a co_await expression.

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace tidemark::io {

template <typename T>
class Task;

namespace internal {

// Hands control to the awaiting coroutine when a task ends.
struct FinalAwaiter {
  bool await_ready() const noexcept { return false; }

  template <typename Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) const noexcept {
    return ended.promise().continuation;
  }

  void await_resume() const noexcept {}
};

struct PromiseBase {
  std::coroutine_handle<> continuation = std::noop_coroutine();

  std::suspend_always initial_suspend() const noexcept { return {}; }

  FinalAwaiter final_suspend() const noexcept { return {}; }

  // No exception crosses a folder (base/result.h): one that gets here is a bug.
  void unhandled_exception() const noexcept { std::terminate(); }
};

template <typename T>
struct Promise : PromiseBase {
  std::optional<T> value;

  Task<T> get_return_object();

  template <typename U>
  void return_value(U&& v) {
    value.emplace(std::forward<U>(v));
  }

  T Take() { return std::move(*value); }
};

template <>
struct Promise<void> : PromiseBase {
  Task<void> get_return_object();

  void return_void() const noexcept {}

  void Take() const noexcept {}
};

}  // namespace internal

template <typename T>
class [[nodiscard]] Task {
 public:
  using promise_type = internal::Promise<T>;

  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}

  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }

  ~Task() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return false; }

  std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) noexcept {
    handle_.promise().continuation = caller;
    return handle_;
  }

  T await_resume() { return handle_.promise().Take(); }

 private:
  std::coroutine_handle<promise_type> handle_;
};

namespace internal {

template <typename T>
Task<T> Promise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<Promise<T>>::from_promise(*this));
}

inline Task<void> Promise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<Promise<void>>::from_promise(*this));
}

}  // namespace internal

}  // namespace tidemark::io
