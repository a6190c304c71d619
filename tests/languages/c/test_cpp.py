"""C++: threads of its library, exceptions."""

from __future__ import annotations

from pathlib import Path

from tests.languages.c.test_reference import Found, explored


def found(folder: Path, text: str, slots: int = 3) -> Found:
    return explored(folder, text, slots, suffix=".cc")


def test_threads_locks_and_conditions_of_the_standard_library(tmp_path: Path) -> None:
    text = """#include <thread>
    #include <mutex>
    #include <condition_variable>
    #include <atomic>
    #include <cassert>
    std::mutex m; std::condition_variable c; bool ready; int total; std::atomic<int> a;
    int main() {
        std::thread t([] { std::unique_lock<std::mutex> g(m); while (!ready) c.wait(g); total = 5; a++; });
        { std::lock_guard<std::mutex> g(m); ready = true; }
        c.notify_one(); t.join(); assert(total == 5); return a; }"""
    result = found(tmp_path, text)
    assert result.exits == {1}
    assert not result.failures
    assert not result.deadlocks


def test_exceptions_are_caught_by_type_and_destructors_run_on_the_way(tmp_path: Path) -> None:
    text = """struct E { int code; virtual ~E() {} }; struct F : E {}; struct G {};
    int log; struct D { int n; ~D() { log = log * 10 + n; } };
    int deep(int n) {
        D d{n}; if (n == 3) { F f; f.code = 40; throw f; }
        if (n == 4) throw 7; if (n == 5) throw G(); return n; }
    int middle(int n) { D d{9}; return deep(n) + 1; }
    int main() {
        int sum = middle(1);
        try { sum += middle(3); } catch (G &) { sum += 1000; } catch (E &e) { sum += e.code; }
        try { sum += middle(4); } catch (E &e) { sum = 0; } catch (int n) { sum += n; }
        try { try { middle(5); } catch (...) { sum += 1; throw; } } catch (G &) { sum += 2; }
        return sum + (log == 19394959 ? 0 : 200); }"""
    # As compiled: 2, 40, 7, 1, 2.
    assert found(tmp_path, text, 1).exits == {52}


def test_an_exception_that_nobody_catches_is_told(tmp_path: Path) -> None:
    text = "int main() { try { throw 1; } catch (char) { return 1; } return 0; }"
    assert found(tmp_path, text, 1).failures == {(20, "an exception is not caught")}
    text = """#include <thread>
    int main() { std::thread t([] { throw 1; }); t.join(); return 0; }"""
    assert found(tmp_path, text).failures == {(20, "an exception is not caught")}


def test_new_and_delete_are_checked(tmp_path: Path) -> None:
    text = "struct N { N *next; }; int main() { N *n = new N[3]; delete[] n; return n->next != 0; }"
    assert {kind for kind, _ in found(tmp_path, text, 1).failures} == {5}


def test_checked_arithmetic_in_templates(tmp_path: Path) -> None:
    text = "template <class T> T twice(T x) { return x + x; } int main() { return twice(4); }"
    assert found(tmp_path, text, 1).exits == {8}


def test_names_that_are_written_in_quotes(tmp_path: Path) -> None:
    """The names of lambdas have characters that others do not have; blocks that are cut are named after them."""
    text = """#include <pthread.h>
    int x;
    int main() {
        pthread_t t;
        auto add = [](void *n) -> void * { if (x) { x += 2; return n; } return nullptr; };
        pthread_create(&t, nullptr, add, &x); x = 1; void *r; pthread_join(t, &r); return x + (r ? 10 : 0); }"""
    assert found(tmp_path, text).exits == {1, 13}


def test_strings_containers_streams_and_destructors_of_variables(tmp_path: Path) -> None:
    text = """#include <iostream>
    #include <map>
    #include <stdexcept>
    #include <string>
    #include <vector>
    struct Last { ~Last() { std::cout << "last" << std::endl; } } last;
    int main() {
        std::string s = "a text that is too long to be kept inside"; s += '!'; s.insert(0, "> ");
        std::vector<int> v; for (int i = 0; i < 5; i++) v.push_back(i * i);
        std::map<std::string, int> m; m["two"] = 2; m["one"] = 1;
        try { v.at(9); } catch (const std::out_of_range &e) { std::cout << "out of range\\n"; }
        try { throw std::runtime_error("oh"); } catch (const std::exception &e) { std::cout << e.what() << '\\n'; }
        std::cout << s << " " << v[3] + m["two"] << std::endl; return (int)s.find("text") + (int)m.size(); }"""
    result = found(tmp_path, text, 1)
    assert (result.exits, result.failures) == ({6}, set())
    said = "out of range\noh\n> a text that is too long to be kept inside! 11\nlast\n"
    assert result.outputs == {said}
