#include "dispatch/counters.h"

#include <map>
#include <memory>

namespace torchfl {
namespace {

struct Records {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<OpRecord>> by_name;
};

Records& records() {
  static auto* all = new Records;  // outlives every static destructor
  return *all;
}

template <class Visit>
void each_counter(ChipCounters& counters, Visit visit) {
  visit(counters.native);
  visit(counters.adapted);
  visit(counters.op_specific);
  visit(counters.decomposed);
  visit(counters.onnxruntime);
  visit(counters.cpu);
  visit(counters.declined);
}

}  // namespace

OpRecord& record_of(const std::string& overload) {
  auto& all = records();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto& slot = all.by_name[overload];
  if (slot == nullptr) slot = std::make_unique<OpRecord>(overload);
  return *slot;
}

ChipCounters& OpRecord::make_counters(int chip) {
  auto& slot = counters_[static_cast<size_t>(chip)];
  auto made = std::make_unique<ChipCounters>();
  ChipCounters* expected = nullptr;
  if (slot.compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel)) return *made.release();
  return *expected;
}

bool OpRecord::count_reason(int chip, const Reason& reason) {
  std::lock_guard<std::mutex> lock(reasons_mutex_);
  Entry* same_kind = nullptr;
  for (Entry& entry : reasons_) {
    if (entry.chip != chip || entry.reason.why != reason.why) continue;
    same_kind = &entry;
    if (entry.reason.index != reason.index || entry.reason.value != reason.value) continue;
    ++entry.count;
    return true;
  }
  if (same_kind == nullptr || reasons_.size() < kMaxReasons) return false;
  ++same_kind->count;
  return true;
}

void OpRecord::add_reason(int chip, const Reason& reason, std::string text) {
  std::lock_guard<std::mutex> lock(reasons_mutex_);
  reasons_.push_back({chip, reason, std::move(text), 1});
}

std::vector<std::pair<std::string, std::vector<Counts>>> all_counts() {
  auto& all = records();
  std::lock_guard<std::mutex> lock(all.mutex);
  std::vector<std::pair<std::string, std::vector<Counts>>> result;
  for (auto& [name, record] : all.by_name) {
    std::vector<Counts> per_chip(kMaxChips);
    bool any = false;
    for (size_t chip = 0; chip < kMaxChips; ++chip) {
      ChipCounters* from = record->counters_[chip].load(std::memory_order_acquire);
      if (from == nullptr) continue;
      per_chip[chip] = {from->native,      from->adapted, from->op_specific, from->decomposed,
                        from->onnxruntime, from->cpu,     from->declined};
      each_counter(*from, [&](std::atomic<uint64_t>& counter) { any |= counter.load() != 0; });
    }
    if (any) result.emplace_back(name, std::move(per_chip));
  }
  return result;
}

std::vector<std::pair<int, ReasonCount>> all_reasons() {
  auto& all = records();
  std::lock_guard<std::mutex> lock(all.mutex);
  std::vector<std::pair<int, ReasonCount>> result;
  for (auto& [name, record] : all.by_name) {
    std::lock_guard<std::mutex> inner(record->reasons_mutex_);
    for (const auto& entry : record->reasons_)
      result.emplace_back(entry.chip, ReasonCount{name, "", entry.text, entry.count});
  }
  return result;
}

void reset_counts() {
  auto& all = records();
  std::lock_guard<std::mutex> lock(all.mutex);
  for (auto& [name, record] : all.by_name) {
    std::lock_guard<std::mutex> inner(record->reasons_mutex_);
    record->reasons_.clear();
    for (auto& slot : record->counters_)
      if (ChipCounters* counters = slot.load(std::memory_order_acquire))
        each_counter(*counters, [](std::atomic<uint64_t>& counter) { counter.store(0, std::memory_order_relaxed); });
  }
}

}  // namespace torchfl
