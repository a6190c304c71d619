"""A base graph that is no model of a language: a sliding puzzle, whose moves a function makes that Numba compiled."""

from __future__ import annotations

from collections.abc import Mapping

import numba
from numba import carray, types
from numpy import uint64

from ouroboros.languages import Abilities
from ouroboros.source import Source
from ouroboros.system.choices import Action, All, Part
from ouroboros.system.expressions import Observed
from ouroboros.system.foreign import Machine
from ouroboros.system.interpret import Step
from ouroboros.system.layout import Field, Layout, Vector
from ouroboros.system.model import Proposition, System

MOVES = ("left", "right", "up", "down")
PROPOSITIONS = ("solved", "corner", "first")
_WORDS = types.CPointer(types.uint64)


class Puzzle:
    """Tiles 1, 2, … in rows, and 0 for the hole: four bits for each cell of a word. The hole moves."""

    most_successors = len(MOVES)

    def __init__(self, rows: int, columns: int) -> None:
        self.rows, self.columns, self.cells = rows, columns, rows * columns
        self.solved = sum((cell + 1) % self.cells << 4 * cell for cell in range(self.cells))

    def machine(self) -> Machine:
        rows, columns, cells, goal = self.rows, self.columns, self.cells, self.solved

        @numba.cfunc(types.int32(_WORDS, _WORDS, types.CPointer(types.uint32)))
        def successors(state, out, labels):  # type: ignore[no-untyped-def]  # Numba infers it
            board, targets, names = carray(state, 1)[0], carray(out, 4), carray(labels, 4)
            hole = 0
            while board >> uint64(4 * hole) & uint64(15):
                hole += 1
            row, column = hole // columns, hole % columns
            found = 0
            for move in range(4):
                to_row = row + (move == 3) - (move == 2)
                to_column = column + (move == 1) - (move == 0)
                if 0 <= to_row < rows and 0 <= to_column < columns:
                    at = uint64(4 * (to_row * columns + to_column))
                    tile = board >> at & uint64(15)
                    targets[found] = board ^ (tile << at) ^ (tile << uint64(4 * hole))
                    names[found] = move
                    found += 1
            return found

        @numba.cfunc(types.uint64(_WORDS))
        def valuation(state):  # type: ignore[no-untyped-def]  # Numba infers it
            board = carray(state, 1)[0]
            corner = board >> uint64(4 * (cells - 1)) & uint64(15) == 0
            first = board & uint64(15) == 1
            return uint64(board == uint64(goal)) | uint64(corner) << uint64(1) | uint64(first) << uint64(2)

        return Machine(successors.address, valuation.address, (successors, valuation))

    def board(self, state: Vector) -> list[int]:
        return [state[0] >> 4 * cell & 15 for cell in range(self.cells)]

    def steps(self, state: Vector) -> list[Step]:
        board = self.board(state)
        row, column = divmod(board.index(0), self.columns)
        found = []
        for move, (down, right) in enumerate([(0, -1), (0, 1), (-1, 0), (1, 0)]):
            if row + down in range(self.rows) and column + right in range(self.columns):
                moved, at = board.copy(), (row + down) * self.columns + column + right
                moved[board.index(0)], moved[at] = board[at], 0
                found.append(Step(move, (sum(tile << 4 * cell for cell, tile in enumerate(moved)),)))
        return found

    def observe(self, state: Vector) -> int:
        board = self.board(state)
        return (state[0] == self.solved) | (board[-1] == 0) << 1 | (board[0] == 1) << 2

    def remarks(self) -> tuple[str, ...]:
        return ()

    def shown(self, state: Vector) -> Mapping[str, int | str]:
        board = self.board(state)
        return {
            f"row {row}": " ".join(map(str, board[row * self.columns : (row + 1) * self.columns]))
            for row in range(self.rows)
        }


class PuzzleModel:
    """What a front end would make of it."""

    abilities = Abilities()

    def __init__(self, rows: int, columns: int) -> None:
        puzzle = Puzzle(rows, columns)
        self.system = System(
            name="puzzle",
            language="puzzles",
            source=Source("puzzle", f"{rows} x {columns}"),
            layout=Layout((Field("board", "board", 64),)),
            initial=((puzzle.solved,),),
            actions=tuple(Action((Part("hole", move, None),), (), name=move) for move in MOVES),
            choices=All(()),
            foreign=puzzle,
        )

    def proposition(self, source: Source) -> Proposition:
        return Proposition(source.text.strip(), Observed(PROPOSITIONS.index(source.text.strip())))
