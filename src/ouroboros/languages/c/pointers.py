"""Pointers as 64-bit integers: the number of an object in the upper half, the offset in bytes in the lower.

Arithmetic on pointers is that of integers. An offset is read as a signed number, so that a pointer a little before its
object still belongs to it. A null pointer is 0, and a small integer that was cast to a pointer is of object 0.
"""

from __future__ import annotations

OFFSET_BITS = 32
OFFSET_MASK = (1 << OFFSET_BITS) - 1
HALF = 1 << OFFSET_BITS - 1
MASK = (1 << 64) - 1

STACK = 0x10000000
"""Objects of functions: STACK + slot of the thread, depth of the frame, index of the object in its function."""

SLOT_SHIFT, DEPTH_SHIFT = 20, 8
MOST_OBJECTS_OF_A_FUNCTION = 1 << DEPTH_SHIFT
MOST_DEPTH = 1 << SLOT_SHIFT - DEPTH_SHIFT

HEAP = 0x6F750000
"""The first object of the heap: numbers that hardly any integer has in its upper half, for an aligned word of memory
that looks like a pointer to an object of the heap is taken for one when objects are put in order."""

MOST_HEAP_OBJECTS = 1 << 16


def pointer(number: int, offset: int = 0) -> int:
    """A pointer into an object."""
    return (number << OFFSET_BITS) + offset & MASK


def object_of(value: int) -> int:
    """The number of the object that a pointer points into."""
    return (value + HALF & MASK) >> OFFSET_BITS


def offset_of(value: int) -> int:
    """How far into it, or before it."""
    low = value & OFFSET_MASK
    return low - (1 << OFFSET_BITS) if low >= HALF else low


def stack_number(slot: int, depth: int, index: int) -> int:
    """The number of an object of a function."""
    return STACK + (slot << SLOT_SHIFT) + (depth << DEPTH_SHIFT) + index
