"""Machine code that chooses a stubborn set among the steps of a state, as `StubbornTables.chosen` does.

The steps are made first, all of them; then those that are not chosen are taken out. That is less work than it seems:
making a step takes less time than finding out whether it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from llvmlite import ir

from ouroboros.native.conditions import emit_conditions
from ouroboros.native.labels import FAILURE, FLAGS, REDUCED
from ouroboros.native.types import I1, I32, I64, POINTER, Value, constant
from ouroboros.reduce.stubborn import StubbornTables
from ouroboros.system.model import System

_WORD = 64


def emit_reduced_successors(module: ir.Module, system: System, tables: StubbornTables, whole: Value) -> None:
    """Define `i32 successors(state*, out*, labels*)`: as the whole ones, without those steps that are not needed; and
    `more_successors`, with more of them: no transition is wanted that they leave out.

    Steps of which one fails are left as they are. Where some were taken out, the labels of the others say so.
    """
    choose = _Choice(module, system, tables, emit_conditions(module, system, tables.conditions)).function
    for name, again in (("successors", 0), ("more_successors", 1)):
        function = ir.Function(module, ir.FunctionType(I32, [POINTER] * 3), name)
        builder = ir.IRBuilder(function.append_basic_block("entry"))
        steps = builder.call(whole, function.args)
        with builder.if_then(builder.icmp_signed("<=", steps, constant(I32, 1))):
            builder.ret(steps)
        builder.ret(builder.call(choose, [*function.args, steps, constant(I1, again)]))


class _Choice:
    def __init__(self, module: ir.Module, system: System, tables: StubbornTables, conditions: Value) -> None:
        self.tables = tables
        self.count = len(tables.transitions)
        self.words = -(-self.count // _WORD)
        self.vector_words = system.layout.words
        self.module = module
        self.function = ir.Function(module, ir.FunctionType(I32, [POINTER, POINTER, POINTER, I32, I1]), "choose")
        self.function.linkage = "internal"
        self.state, self.out, self.labels, self.steps, self.again = self.function.args
        for argument in (self.state, self.out, self.labels):
            argument.add_attribute("noalias")
        self._tabulate()
        self.at = ir.IRBuilder(self.function.append_basic_block("entry"))
        self.enabled, self.inside, self.todo, self.best = (self.array(self.words) for _ in range(4))
        self.usable = self.array(-(-2 * len(tables.conditions) // _WORD))
        self.best_count, self.inside_count = self.variable(), self.variable()
        self._emit(system, conditions)

    # ── Tables and small code ─────────────────────────────────────────────────────────────────────────────────────────

    def _tabulate(self) -> None:
        tables = self.tables
        first: list[int] = [0]
        of_action: list[int] = []
        by_action: dict[int, list[int]] = {}
        for each in tables.transitions:
            by_action.setdefault(each.action, []).append(each.number)
        for action in range(max(by_action) + 1):
            of_action += by_action.get(action, [])
            first.append(len(of_action))
        self.of_action, self.first_of_action = self.table("of_action", of_action), self.table("first_of_action", first)
        self.discord = self.table("discord", self._rows(tables.discord))
        self.necessary = self.table("necessary", self._rows(tables.necessary))
        self.necessary_of = self.table("necessary_of", [k for each in tables.necessary_of for k in each])
        starts = [0]
        for own in tables.necessary_of:
            starts.append(starts[-1] + len(own))
        self.first_necessary = self.table("first_necessary", starts)
        conditions = len(tables.conditions)
        needed = []
        for each, own in zip(tables.transitions, tables.necessary_of, strict=True):
            needed.append(sum(1 << k for k in own if k < conditions))
            assert len({*each.conjuncts}) == sum(k < conditions for k in own)
        self.condition_words = -(-conditions // _WORD)
        self.needed = self.table("needed", self._rows(needed, self.condition_words))
        self.visible = self.table("visible", self._rows([tables.visible]))
        self.wanted = self.table("wanted", self._rows([tables.wanted]))
        self.allowed = self.table("allowed", self._rows([tables.allowed]))

    def _rows(self, sets: Sequence[int], words: int | None = None) -> list[int]:
        mask = (1 << _WORD) - 1
        return [each >> _WORD * word & mask for each in sets for word in range(words or self.words)]

    def table(self, name: str, values: Sequence[int]) -> Value:
        kind = ir.ArrayType(I64, max(1, len(values)))
        table = ir.GlobalVariable(self.module, kind, f"stubborn.{name}")
        table.linkage, table.global_constant = "internal", True
        table.initializer = ir.Constant(kind, [constant(I64, value) for value in values or [0]])
        return table.gep([constant(I32, 0), constant(I32, 0)])

    def array(self, words: int) -> Value:
        return self.at.alloca(I64, max(1, words))

    def variable(self) -> Value:
        return self.at.alloca(I64)

    def number(self, value: int) -> Value:
        return constant(I64, value)

    def address(self, array: Value, index: Value) -> Value:
        return self.at.gep(array, [index], inbounds=True, source_etype=I64)

    def load(self, array: Value, index: Value) -> Value:
        return self.at.load(self.address(array, index), typ=I64)

    def store(self, array: Value, index: Value, value: Value) -> None:
        self.at.store(value, self.address(array, index))

    def get(self, variable: Value) -> Value:
        return self.at.load(variable, typ=I64)

    def bit(self, array: Value, place: Value) -> Value:
        """Whether a bit is set."""
        word = self.load(array, self.at.lshr(place, self.number(6)))
        return self.at.trunc(self.at.lshr(word, self.at.and_(place, self.number(63))), I1)

    def set_bit(self, array: Value, place: Value) -> None:
        index = self.at.lshr(place, self.number(6))
        mask = self.at.shl(self.number(1), self.at.and_(place, self.number(63)))
        self.store(array, index, self.at.or_(self.load(array, index), mask))

    def ones(self, word: Value) -> Value:
        return self.at.ctpop(word)

    def lowest(self, word: Value) -> Value:
        return self.at.cttz(word, constant(I1, 1))

    def repeat(self, start: Value, stop: Value, body: Callable[[Value], None]) -> None:
        """Run code for each number from `start` to before `stop`."""
        counter = self.variable_at_entry()
        self.at.store(start, counter)

        def step() -> None:
            number = self.get(counter)
            body(number)
            self.at.store(self.at.add(number, self.number(1)), counter)

        self.while_(lambda: self.at.icmp_unsigned("<", self.get(counter), stop), step)

    def while_(self, condition: Callable[[], Value], body: Callable[[], None]) -> None:
        head, inner, after = (self.function.append_basic_block() for _ in range(3))
        self.at.branch(head)
        self.at.position_at_end(head)
        self.at.cbranch(condition(), inner, after)
        self.at.position_at_end(inner)
        body()
        if not self.at.block.is_terminated:
            self.at.branch(head)
        self.at.position_at_end(after)

    def variable_at_entry(self) -> Value:
        """A stack cell that is made once, however often the code around it runs."""
        with self.at.goto_entry_block():
            return self.at.alloca(I64)

    def each_word(self, body: Callable[[Value], None]) -> None:
        for word in range(self.words):
            body(self.number(word))

    # ── The choice ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _emit(self, system: System, conditions: Value) -> None:
        at = self.at
        whole = self.function.append_basic_block("whole")
        steps = at.zext(self.steps, I64)
        for word in range(self.words):
            self.store(self.enabled, self.number(word), self.number(0))
        for word in range(-(-2 * len(self.tables.conditions) // _WORD)):
            self.store(self.usable, self.number(word), self.number(0))
        if system.exclusive:
            # Steps out of a transient state belong to a sequence that was chosen already.
            word, shift, _ = system.layout.placements[system.exclusive.field]
            mask = (1 << system.exclusive.field.bits) - 1 << shift
            held = at.and_(self.load(self.state, self.number(word)), self.number(mask))
            self._leave_if(at.icmp_unsigned("!=", held, self.number(0)), whole)
        at.call(conditions, [self.state, self.usable])
        failed = self.variable_at_entry()
        at.store(self.number(0), failed)

        def mark(step: Value) -> None:
            label = at.load(at.gep(self.labels, [step], inbounds=True, source_etype=I32), typ=I32)
            at.store(at.or_(self.get(failed), at.zext(at.and_(label, constant(I32, FAILURE)), I64)), failed)
            self._each_transition(label, self._mark_if_possible)

        self.repeat(self.number(0), steps, mark)
        self._leave_if(at.icmp_unsigned("!=", self.get(failed), self.number(0)), whole)
        count = self.variable_at_entry()
        at.store(self.number(0), count)
        for word in range(self.words):
            enabled = self.load(self.enabled, self.number(word))
            self.store(self.best, self.number(word), enabled)
            at.store(at.add(self.get(count), self.ones(enabled)), count)
        at.store(self.get(count), self.best_count)
        self._try_all_seeds()
        self._leave_if(at.icmp_unsigned("==", self.get(self.best_count), self.get(count)), whole)
        if self.tables.wanted:
            with at.if_then(self.again):
                at.store(self.get(count), self.best_count)
                self._close_over_wanted()
        self._leave_if(at.icmp_unsigned("==", self.get(self.best_count), self.get(count)), whole)
        at.ret(self._take_out(steps))
        at.position_at_end(whole)
        at.ret(self.steps)

    def _leave_if(self, condition: Value, target: Value) -> None:
        proceed = self.function.append_basic_block()
        self.at.cbranch(condition, target, proceed)
        self.at.position_at_end(proceed)

    def _each_transition(self, label: Value, body: Callable[[Value], None]) -> None:
        """Run code for each transition of the action of a label."""
        action = self.at.zext(self.at.and_(label, constant(I32, ~FLAGS & 0xFFFFFFFF)), I64)
        first = self.load(self.first_of_action, action)
        last = self.load(self.first_of_action, self.at.add(action, self.number(1)))
        self.repeat(first, last, lambda place: body(self.load(self.of_action, place)))

    def _mark_if_possible(self, number: Value) -> None:
        """Of an action that stands in several places, those count whose conditions all hold."""
        at = self.at
        lacking = self.number(0)
        row = at.mul(number, self.number(self.condition_words))
        for word in range(self.condition_words):
            needed = self.load(self.needed, at.add(row, self.number(word)))
            false = self.load(self.usable, self.number(word))
            lacking = at.or_(lacking, at.and_(needed, false))
        with at.if_then(at.icmp_unsigned("==", lacking, self.number(0))):
            self.set_bit(self.enabled, number)

    def _try_all_seeds(self) -> None:
        at = self.at
        for word in range(self.words):
            rest = self.variable_at_entry()
            at.store(self.load(self.enabled, self.number(word)), rest)

            def more(rest: Value = rest) -> Value:
                several = at.icmp_unsigned(">", self.get(self.best_count), self.number(1))
                return at.and_(several, at.icmp_unsigned("!=", self.get(rest), self.number(0)))

            def seed(rest: Value = rest, word: int = word) -> None:
                bits = self.get(rest)
                at.store(at.and_(bits, at.sub(bits, self.number(1))), rest)
                self._closure(at.add(self.lowest(bits), self.number(_WORD * word)))

            self.while_(more, seed)

    def _closure(self, seed: Value) -> None:
        """Find the closure of one transition, and keep it if it is better than the best so far."""
        for word in range(self.words):
            self.store(self.inside, self.number(word), self.number(0))
            self.store(self.todo, self.number(word), self.number(0))
        self.set_bit(self.inside, seed)
        self.set_bit(self.todo, seed)
        self.at.store(self.number(1), self.inside_count)
        give_up = self.function.append_basic_block()
        self._leave_if(self.at.not_(self.bit(self.allowed, seed)), give_up)
        self._close(give_up)

    def _close_over_wanted(self) -> None:
        """Find the closure of what was chosen and of all that is wanted; if it has all steps, that is the best."""
        at = self.at
        at.store(self.number(0), self.inside_count)
        for index in range(self.words):
            word = self.number(index)
            best = self.load(self.best, word)
            start = at.or_(best, self.load(self.wanted, word))
            self.store(self.inside, word, start)
            self.store(self.todo, word, start)
            possible = self.ones(at.and_(start, self.load(self.enabled, word)))
            at.store(at.add(self.get(self.inside_count), possible), self.inside_count)
        give_up = self.function.append_basic_block()
        many = at.icmp_unsigned(">=", self.get(self.inside_count), self.get(self.best_count))
        self._leave_if(many, give_up)
        self._close(give_up)

    def _close(self, give_up: Value) -> None:
        at = self.at
        done, end = (self.function.append_basic_block() for _ in range(2))
        loop, found, poor, none = (self.function.append_basic_block() for _ in range(4))
        place = self.variable_at_entry()
        at.branch(loop)
        # What is possible first: so it is seen soon that too many are.
        at.position_at_end(loop)
        for only_enabled, target in ((True, found), (False, poor)):
            for word in range(self.words):
                index = self.number(word)
                waiting = self.load(self.todo, index)
                if only_enabled:
                    waiting = at.and_(waiting, self.load(self.enabled, index))
                with at.if_then(at.icmp_unsigned("!=", waiting, self.number(0))):
                    low = self.lowest(waiting)
                    mask = at.shl(self.number(1), low)
                    self.store(self.todo, index, at.xor(self.load(self.todo, index), mask))
                    at.store(at.add(low, self.number(_WORD * word)), place)
                    at.branch(target)
        at.branch(none)

        at.position_at_end(found)
        number = self.get(place)
        seen = at.select(self.bit(self.visible, number), self.number(-1), self.number(0))
        row = at.mul(number, self.number(self.words))
        self._add(
            lambda word: at.or_(
                self.load(self.discord, at.add(row, word)), at.and_(seen, self.load(self.visible, word))
            ),
            give_up,
        )
        at.branch(loop)

        at.position_at_end(poor)
        chosen = self._cheapest_necessary(self.get(place))
        self._leave_if(at.icmp_signed("<", chosen, self.number(0)), give_up)
        start = at.mul(chosen, self.number(self.words))
        self._add(lambda word: self.load(self.necessary, at.add(start, word)), give_up)
        at.branch(loop)

        at.position_at_end(none)
        at.branch(done)
        at.position_at_end(done)
        at.store(self.get(self.inside_count), self.best_count)
        self.each_word(
            lambda word: self.store(
                self.best, word, at.and_(self.load(self.inside, word), self.load(self.enabled, word))
            )
        )
        at.branch(end)
        at.position_at_end(give_up)
        at.branch(end)
        at.position_at_end(end)

    def _add(self, added: Callable[[Value], Value], give_up: Value) -> None:
        """Take more transitions in; give up where too many of them are possible, or one that may not be chosen is."""
        at = self.at
        forbidden = self.number(0)
        for index in range(self.words):
            word = self.number(index)
            inside = self.load(self.inside, word)
            new = at.and_(added(word), at.not_(inside))
            self.store(self.inside, word, at.or_(inside, new))
            self.store(self.todo, word, at.or_(self.load(self.todo, word), new))
            possible = at.and_(new, self.load(self.enabled, word))
            at.store(at.add(self.get(self.inside_count), self.ones(possible)), self.inside_count)
            forbidden = at.or_(forbidden, at.and_(possible, at.not_(self.load(self.allowed, word))))
        many = at.icmp_unsigned(">=", self.get(self.inside_count), self.get(self.best_count))
        self._leave_if(at.or_(many, at.icmp_unsigned("!=", forbidden, self.number(0))), give_up)

    def _cheapest_necessary(self, number: Value) -> Value:
        """The necessary set of an impossible transition that brings in the fewest new ones; -1 if there is none."""
        at = self.at
        best, cost = self.variable_at_entry(), self.variable_at_entry()
        at.store(self.number(-1), best)
        at.store(self.number((1 << 62) - 1), cost)
        first = self.load(self.first_necessary, number)
        last = self.load(self.first_necessary, at.add(number, self.number(1)))

        def weigh(entry: Value) -> None:
            k = self.load(self.necessary_of, entry)
            with at.if_then(self.bit(self.usable, k)):
                start = at.mul(k, self.number(self.words))
                total = self.number(0)
                for index in range(self.words):
                    word = self.number(index)
                    new = at.and_(self.load(self.necessary, at.add(start, word)), at.not_(self.load(self.inside, word)))
                    possible = self.ones(at.and_(new, self.load(self.enabled, word)))
                    total = at.add(total, at.add(at.mul(possible, self.number(self.count)), self.ones(new)))
                with at.if_then(at.icmp_unsigned("<", total, self.get(cost))):
                    at.store(total, cost)
                    at.store(k, best)

        self.repeat(first, last, weigh)
        return self.get(best)

    def _take_out(self, steps: Value) -> Value:
        """Keep the steps of chosen transitions, in their order."""
        at = self.at
        kept, wanted = self.variable_at_entry(), self.variable_at_entry()
        at.store(self.number(0), kept)

        def copy(step: Value) -> None:
            label = at.load(at.gep(self.labels, [step], inbounds=True, source_etype=I32), typ=I32)
            at.store(self.number(0), wanted)
            self._each_transition(
                label,
                lambda number: at.store(at.or_(self.get(wanted), at.zext(self.bit(self.best, number), I64)), wanted),
            )
            with at.if_then(at.icmp_unsigned("!=", self.get(wanted), self.number(0))):
                to = self.get(kept)
                at.store(
                    at.or_(label, constant(I32, REDUCED)),
                    at.gep(self.labels, [to], inbounds=True, source_etype=I32),
                )
                for word in range(self.vector_words):
                    origin = at.add(at.mul(step, self.number(self.vector_words)), self.number(word))
                    target = at.add(at.mul(to, self.number(self.vector_words)), self.number(word))
                    self.store(self.out, target, self.load(self.out, origin))
                at.store(at.add(to, self.number(1)), kept)

        self.repeat(self.number(0), steps, copy)
        return at.trunc(self.get(kept), I32)
