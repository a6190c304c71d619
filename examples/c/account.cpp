/* Two std::threads move money between two accounts, each under a std::lock_guard. What is moved must be looked at and
 * taken under one lock: between two, another thread takes the same.
 *
 * topic: synchronisation
 * check:
 * expect: holds
 * check: -D LOOKS_FIRST=1
 * expect: violated assertions
 * states: 258  transitions: 446  deadlocks: 2
 */

#include <cassert>
#include <mutex>
#include <thread>

class Account {
    std::mutex mutex;
    int balance;

public:
    explicit Account(int balance) : balance(balance) {}

    int available() {
        std::lock_guard<std::mutex> guard(mutex);
        return balance;
    }

    bool take(int amount) {
#ifdef LOOKS_FIRST
        if (available() < amount)
            return false;
        std::lock_guard<std::mutex> guard(mutex);
#else
        std::lock_guard<std::mutex> guard(mutex);
        if (balance < amount)
            return false;
#endif
        balance -= amount;
        return true;
    }
};

Account account(100);

int main() {
    auto spend = [](int amount) { account.take(amount); };
    std::thread one(spend, 60), other(spend, 70);
    one.join();
    other.join();
    assert(account.available() >= 0);
}
