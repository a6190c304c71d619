"""Machine code that chooses a stubborn set among the steps of a state, as `StubbornTables.chosen` does.

It is the same code for all models with about as many transitions, which only the first of them has to wait for: the
tables, and the code of the model, are found by way of addresses that are filled in when it is loaded.

The steps are made first, all of them; then those that are not chosen are taken out. That is less work than it seems:
making a step takes less time than finding out whether it is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from llvmlite import ir

from ouroboros.native.labels import FAILURE, FLAGS, REDUCED
from ouroboros.native.sets import SetEmitter
from ouroboros.native.types import I1, I32, I64, POINTER, Block, Value, constant

LINK = "link"
"""The name of the words that are filled in when the code is loaded: one for each of `Link`, in their order."""


class Link(NamedTuple):
    """Numbers, and addresses of functions and tables. A set of transitions takes as many words as the code is made for,
    and a set of conditions `condition_words`."""

    whole: int
    """Function: makes all steps."""
    conditions: int
    """Function: writes the set of the conditions that hold."""
    condition_words: int
    vector_words: int
    """Of a state."""
    transitions: int
    transient_word: int
    transient_mask: int
    """The bits of a state which say that it is transient; zero if none is."""
    first_of_action: int
    """Where, in the list of all transitions by their actions, those of an action begin; and for one action more."""
    of_action: int
    needed: int
    """For each transition, the conditions that hold where it is possible."""
    discord: int
    """For each transition, a set of transitions."""
    necessary: int
    """For each condition, the transitions that are necessary where it is false; then the same for where it is true.
    Each half is filled up to whole words."""
    necessary_of: int
    """For each transition, its necessary sets, as a set of their numbers: twice as many words as for conditions."""
    visible: int
    wanted: int
    allowed: int


_NUMBERS = ("condition_words", "vector_words", "transitions", "transient_word", "transient_mask")
_KINDS = {
    "whole": ir.FunctionType(I32, [POINTER] * 3).as_pointer(),
    "conditions": ir.FunctionType(ir.VoidType(), [POINTER] * 2).as_pointer(),
    **dict.fromkeys(_NUMBERS, I64),
}


def closure_assembly(module: ir.Module, words: int) -> str:
    """Define `i32 successors(state*, out*, labels*)`: as the whole ones, without those steps that are not needed; and
    `more_successors`, with more of them: no transition is wanted that they leave out.

    Steps of which one fails are left as they are. Where some were taken out, the labels of the others say so.
    """
    kind = ir.ArrayType(I64, len(Link._fields))
    link = ir.GlobalVariable(module, kind, LINK)
    link.initializer = ir.Constant(kind, [constant(I64, 0)] * len(Link._fields))
    choose = _Choice(module, words, link).function
    for name, again in (("successors", 0), ("more_successors", 1)):
        function = ir.Function(module, ir.FunctionType(I32, [POINTER] * 3), name)
        builder = ir.IRBuilder(function.append_basic_block("entry"))
        steps = builder.call(_linked(builder, link, "whole"), function.args)
        with builder.if_then(builder.icmp_signed("<=", steps, constant(I32, 1))):
            builder.ret(steps)
        builder.ret(builder.call(choose, [*function.args, steps, constant(I1, again)]))
    return str(module)


def _linked(builder: Value, link: Value, name: str) -> Value:
    place = builder.gep(link, [constant(I32, 0), constant(I32, Link._fields.index(name))], inbounds=True)
    return builder.load(place, typ=_KINDS.get(name, POINTER))


class _Choice(SetEmitter):
    def __init__(self, module: ir.Module, words: int, link: Value) -> None:
        function = ir.Function(module, ir.FunctionType(I32, [POINTER, POINTER, POINTER, I32, I1]), "choose")
        function.linkage = "internal"
        function.attributes.add("noinline")
        super().__init__(function, words)
        self.state, self.out, self.labels, self.steps, self.again = function.args
        for argument in (self.state, self.out, self.labels):
            argument.add_attribute("noalias")
        self.link = Link(*(_linked(self.at, link, name) for name in Link._fields))
        self.enabled, self.inside, self.todo, self.best, self.seeds = (self.array() for _ in range(5))
        self.usable_words = self.at.shl(self.link.condition_words, self.number(1))
        self.usable = self.at.alloca(I64, self.usable_words)
        self.best_count, self.inside_count = self.variable(), self.variable()
        self._emit()

    def _emit(self) -> None:
        at = self.at
        whole = self.function.append_basic_block("whole")
        # Steps out of a transient state belong to a sequence that was chosen already.
        held = at.and_(self.load(self.state, self.link.transient_word), self.link.transient_mask)
        self.leave_if(self.is_not_zero(held), whole)
        self._evaluate()
        steps = at.zext(self.steps, I64)
        self.each_word(lambda word: self.store(self.enabled, word, self.number(0)))
        failed, known = self.variable(), self.variable()
        at.store(self.number(0), failed)

        def mark(step: Value) -> None:
            label = at.load(at.gep(self.labels, [step], inbounds=True, source_etype=I32), typ=I32)
            self.include(failed, at.zext(at.and_(label, constant(I32, FAILURE)), I64))
            at.store(self.number(0), known)
            self._each_transition(label, lambda number: self._mark_if_possible(number, known))
            # A step that nobody knows of is no step to be left out, nor one that others can be left out for.
            self.include(failed, at.zext(self.is_zero(self.get(known)), I64))

        self.repeat(self.number(0), steps, mark)
        self.leave_if(self.is_not_zero(self.get(failed)), whole)
        count = self.variable()
        at.store(self.number(0), count)

        def take_all(word: Value) -> None:
            enabled = self.load(self.enabled, word)
            self.store(self.best, word, enabled)
            self.store(self.seeds, word, enabled)
            self.increase(count, self.ones(enabled))

        self.each_word(take_all)
        at.store(self.get(count), self.best_count)
        self._try_seeds()
        self.leave_if(at.icmp_unsigned("==", self.get(self.best_count), self.get(count)), whole)
        with at.if_then(self.again):
            at.store(self.get(count), self.best_count)
            self._close_over_wanted()
        self.leave_if(at.icmp_unsigned("==", self.get(self.best_count), self.get(count)), whole)
        at.ret(self._take_out(steps))
        at.position_at_end(whole)
        at.ret(self.steps)

    def _evaluate(self) -> None:
        """Find out which necessary sets may be used: first those of false conditions, then those of true ones."""
        at = self.at
        holds = self.address(self.usable, self.link.condition_words)
        at.call(self.link.conditions, [self.state, holds])
        self.repeat(
            self.number(0),
            self.link.condition_words,
            lambda word: self.store(self.usable, word, at.not_(self.load(holds, word))),
        )

    def _each_transition(self, label: Value, body: Callable[[Value], None]) -> None:
        """Run code for each transition of the action of a label."""
        action = self.at.zext(self.at.and_(label, constant(I32, ~FLAGS & 0xFFFFFFFF)), I64)
        first = self.load(self.link.first_of_action, action)
        last = self.load(self.link.first_of_action, self.at.add(action, self.number(1)))
        self.repeat(first, last, lambda place: body(self.load(self.link.of_action, place)))

    def _mark_if_possible(self, number: Value, known: Value) -> None:
        """Of an action that stands in several places, those count whose conditions all hold; `known` says that there is
        one.
        """
        at = self.at
        lacking = self.variable()
        at.store(self.number(0), lacking)
        row = at.mul(number, self.link.condition_words)

        def compare(word: Value) -> None:
            needed = self.load(self.link.needed, at.add(row, word))
            self.include(lacking, at.and_(needed, self.load(self.usable, word)))

        self.repeat(self.number(0), self.link.condition_words, compare)
        with at.if_then(self.is_zero(self.get(lacking))):
            self.set_bit(self.enabled, number)
            at.store(self.number(1), known)

    def _try_seeds(self) -> None:
        at = self.at

        def several() -> Value:
            return at.icmp_unsigned(">", self.get(self.best_count), self.number(1))

        def try_word(word: Value) -> None:
            def more() -> Value:
                return at.and_(several(), self.is_not_zero(self.load(self.seeds, word)))

            def seed() -> None:
                low = self.lowest(self.load(self.seeds, word))
                number = at.add(low, at.shl(word, self.number(6)))
                self._remove_discord(number)
                self._close_over_seed(number)

            self.while_(more, seed)

        # Not unrolled: this is most of the code.
        self.repeat(self.number(0), self.number(self.words), try_word)

    def _remove_discord(self, seed: Value) -> None:
        """Those that are not in accord with a seed are in each other's closures."""
        at = self.at
        row = at.mul(seed, self.number(self.words))

        def remove(word: Value) -> None:
            others = self.load(self.link.discord, at.add(row, word))
            self.store(self.seeds, word, at.and_(self.load(self.seeds, word), at.not_(others)))

        self.each_word(remove)

    def _close_over_seed(self, seed: Value) -> None:
        """Find the closure of one transition, and keep it if it is better than the best so far."""

        def clear(word: Value) -> None:
            self.store(self.inside, word, self.number(0))
            self.store(self.todo, word, self.number(0))

        self.each_word(clear)
        self.set_bit(self.inside, seed)
        self.set_bit(self.todo, seed)
        self.at.store(self.number(1), self.inside_count)
        give_up = self.function.append_basic_block()
        self.leave_if(self.at.not_(self.bit(self.link.allowed, seed)), give_up)
        self._close(give_up)

    def _close_over_wanted(self) -> None:
        """Find the closure of what was chosen and of all that is wanted; if it has all steps, that is the best."""
        at = self.at
        at.store(self.number(0), self.inside_count)

        def begin(word: Value) -> None:
            start = at.or_(self.load(self.best, word), self.load(self.link.wanted, word))
            self.store(self.inside, word, start)
            self.store(self.todo, word, start)
            self.increase(self.inside_count, self.ones(at.and_(start, self.load(self.enabled, word))))

        self.each_word(begin)
        give_up = self.function.append_basic_block()
        many = at.icmp_unsigned(">=", self.get(self.inside_count), self.get(self.best_count))
        self.leave_if(many, give_up)
        self._close(give_up)

    def _close(self, give_up: Block) -> None:
        """Close the set that was begun, and make it the best; or give up, and go on behind in any case."""
        at = self.at
        loop, possible, impossible, end = (self.function.append_basic_block() for _ in range(4))
        place = self.variable()
        at.branch(loop)
        # What is possible first: so it is seen soon that too many are.
        at.position_at_end(loop)
        for only_possible, target in ((True, possible), (False, impossible)):

            def take_first(word: Value, only_possible: bool = only_possible, target: Block = target) -> None:
                todo = self.load(self.todo, word)
                waiting = at.and_(todo, self.load(self.enabled, word)) if only_possible else todo
                with at.if_then(self.is_not_zero(waiting)):
                    low = self.lowest(waiting)
                    self.store(self.todo, word, at.xor(todo, at.shl(self.number(1), low)))
                    at.store(at.add(low, at.shl(word, self.number(6))), place)
                    at.branch(target)

            self.each_word(take_first)
        at.store(self.get(self.inside_count), self.best_count)
        self.each_word(
            lambda word: self.store(
                self.best, word, at.and_(self.load(self.inside, word), self.load(self.enabled, word))
            )
        )
        at.branch(end)

        at.position_at_end(possible)
        number = self.get(place)
        seen = at.select(self.bit(self.link.visible, number), self.number(-1), self.number(0))
        row = at.mul(number, self.number(self.words))
        self._add(
            lambda word: at.or_(
                self.load(self.link.discord, at.add(row, word)), at.and_(seen, self.load(self.link.visible, word))
            ),
            give_up,
        )
        at.branch(loop)

        at.position_at_end(impossible)
        chosen = self._cheapest_necessary(self.get(place))
        self.leave_if(at.icmp_signed("<", chosen, self.number(0)), give_up)
        start = at.mul(chosen, self.number(self.words))
        self._add(lambda word: self.load(self.link.necessary, at.add(start, word)), give_up)
        at.branch(loop)

        at.position_at_end(give_up)
        at.branch(end)
        at.position_at_end(end)

    def _add(self, added: Callable[[Value], Value], give_up: Block) -> None:
        """Take more transitions in; give up where too many of them are possible, or one that may not be chosen is."""
        at = self.at
        forbidden = self.variable()
        at.store(self.number(0), forbidden)

        def add(word: Value) -> None:
            inside = self.load(self.inside, word)
            new = at.and_(added(word), at.not_(inside))
            self.store(self.inside, word, at.or_(inside, new))
            self.store(self.todo, word, at.or_(self.load(self.todo, word), new))
            possible = at.and_(new, self.load(self.enabled, word))
            self.increase(self.inside_count, self.ones(possible))
            self.include(forbidden, at.and_(possible, at.not_(self.load(self.link.allowed, word))))

        self.each_word(add)
        many = at.icmp_unsigned(">=", self.get(self.inside_count), self.get(self.best_count))
        self.leave_if(at.or_(many, self.is_not_zero(self.get(forbidden))), give_up)

    def _cheapest_necessary(self, number: Value) -> Value:
        """The necessary set of an impossible transition that brings in the fewest new ones; -1 if there is none."""
        at = self.at
        best, cost, total = self.variable(), self.variable(), self.variable()
        at.store(self.number(-1), best)
        at.store(self.number((1 << 62) - 1), cost)
        done = self.function.append_basic_block()
        row = at.mul(number, self.usable_words)

        def weigh(candidate: Value) -> None:
            start = at.mul(candidate, self.number(self.words))
            at.store(self.number(0), total)

            def add(word: Value) -> None:
                inside = self.load(self.inside, word)
                new = at.and_(self.load(self.link.necessary, at.add(start, word)), at.not_(inside))
                possible = self.ones(at.and_(new, self.load(self.enabled, word)))
                self.increase(total, at.add(at.mul(possible, self.link.transitions), self.ones(new)))

            self.each_word(add)
            with at.if_then(at.icmp_unsigned("<", self.get(total), self.get(cost))):
                at.store(self.get(total), cost)
                at.store(candidate, best)
                # Nothing costs less than nothing.
                self.leave_if(self.is_zero(self.get(total)), done)

        def weigh_word(word: Value) -> None:
            candidates = at.and_(self.load(self.link.necessary_of, at.add(row, word)), self.load(self.usable, word))
            first = at.shl(word, self.number(6))
            self.each_bit(candidates, lambda low: weigh(at.add(first, low)))

        self.repeat(self.number(0), self.usable_words, weigh_word)
        at.branch(done)
        at.position_at_end(done)
        return self.get(best)

    def _take_out(self, steps: Value) -> Value:
        """Keep the steps of chosen transitions, in their order."""
        at = self.at
        kept, chosen = self.variable(), self.variable()
        at.store(self.number(0), kept)

        def copy(step: Value) -> None:
            label = at.load(at.gep(self.labels, [step], inbounds=True, source_etype=I32), typ=I32)
            at.store(self.number(0), chosen)
            self._each_transition(label, lambda number: self.include(chosen, at.zext(self.bit(self.best, number), I64)))
            with at.if_then(self.is_not_zero(self.get(chosen))):
                to = self.get(kept)
                at.store(
                    at.or_(label, constant(I32, REDUCED)),
                    at.gep(self.labels, [to], inbounds=True, source_etype=I32),
                )
                origin, target = (at.mul(each, self.link.vector_words) for each in (step, to))
                self.repeat(
                    self.number(0),
                    self.link.vector_words,
                    lambda word: self.store(self.out, at.add(target, word), self.load(self.out, at.add(origin, word))),
                )
                at.store(at.add(to, self.number(1)), kept)

        self.repeat(self.number(0), steps, copy)
        return at.trunc(self.get(kept), I32)
