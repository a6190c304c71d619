// What the headers of libc++ leave to its library: linked where a program needs it.
#include <new>
#include <stdexcept>
#include <string>

template class std::basic_string<char>;

_LIBCPP_BEGIN_NAMESPACE_STD
static const char *copied(const char *text) {
    size_t size = __builtin_strlen(text) + 1;
    char *copy = new char[size];
    __builtin_memcpy(copy, text, size);
    return copy;
}
__libcpp_refstring::__libcpp_refstring(const char *text) : __imp_(copied(text)) {}
__libcpp_refstring::__libcpp_refstring(const __libcpp_refstring &other) noexcept : __imp_(copied(other.__imp_)) {}
__libcpp_refstring &__libcpp_refstring::operator=(const __libcpp_refstring &other) noexcept {
    const char *before = __imp_;
    __imp_ = copied(other.__imp_);
    delete[] before;
    return *this;
}
__libcpp_refstring::~__libcpp_refstring() { delete[] __imp_; }
_LIBCPP_END_NAMESPACE_STD

#define WITH_TEXT(name)                                                                     \
    name::name(const string &text) : __imp_(text.c_str()) {}                                \
    name::name(const char *text) : __imp_(text) {}                                          \
    name::name(const name &other) noexcept : exception(), __imp_(other.__imp_) {}           \
    name &name::operator=(const name &other) noexcept { __imp_ = other.__imp_; return *this; } \
    name::~name() noexcept {}                                                               \
    const char *name::what() const noexcept { return __imp_.c_str(); }

#define BY_NAME(name)                      \
    name::name() noexcept {}               \
    name::~name() noexcept {}              \
    const char *name::what() const noexcept { return "std::" #name; }

namespace std {
exception::~exception() noexcept {}
const char *exception::what() const noexcept { return "std::exception"; }
BY_NAME(bad_alloc)
BY_NAME(bad_array_new_length)
WITH_TEXT(logic_error)
WITH_TEXT(runtime_error)
domain_error::~domain_error() noexcept {}
invalid_argument::~invalid_argument() noexcept {}
length_error::~length_error() noexcept {}
out_of_range::~out_of_range() noexcept {}
range_error::~range_error() noexcept {}
overflow_error::~overflow_error() noexcept {}
underflow_error::~underflow_error() noexcept {}
} // namespace std
