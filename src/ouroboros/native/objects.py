"""Object code: made by LLVM for the processor we run on, kept on disk by content, loaded into memory."""

from __future__ import annotations

from functools import cache as remember
from hashlib import sha256
from typing import Any

import llvmlite
from llvmlite import binding

from ouroboros import cache

THOROUGH_LINES = 15_000
"""Up to so many lines of IR all optimisations run: a second at most."""

QUICK_LINES = 80_000
"""Beyond so many lines the fast instruction selector does it: eight times as fast, for code half as fast."""

CACHE_BYTES = 200 << 20
"""Beyond this much the objects that were not used for longest are dropped."""


def object_code(text: str) -> tuple[bytes, bool]:
    """The object code for LLVM IR, and whether it came from the cache."""
    directory = cache.directory("objects")
    path = directory / _key(text) if directory else None
    if path and (stored := cache.load(path)):
        return stored, True
    code = compiled(text)
    if path:
        cache.save(path, code, CACHE_BYTES)
    return code, False


def load(code: bytes) -> Any:
    """An engine that holds the object code in executable memory for as long as it lives."""
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), target_machine(0))
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


@remember
def target() -> tuple[str, str]:
    """Triple and data layout of the machine we run on."""
    return binding.get_default_triple(), str(target_machine(0).target_data)


@remember
def processor() -> tuple[str, str]:
    """Name and features of the processor we run on."""
    return binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()


def _level(text: str) -> int:
    """How much LLVM should do for a text of this size."""
    lines = text.count("\n")
    return 2 if lines <= THOROUGH_LINES else 1 if lines <= QUICK_LINES else 0


def compiled(text: str) -> bytes:
    module, machine = _optimised(text)
    code: bytes = machine.emit_object(module)
    return code


def assembly(text: str) -> str:
    """What `object_code` has in it, for people."""
    module, machine = _optimised(text)
    return str(machine.emit_assembly(module))


def _optimised(text: str) -> tuple[Any, Any]:
    """The module of LLVM IR, after all passes, and the machine to emit it for."""
    level = _level(text)
    machine = target_machine(level)
    module = binding.parse_assembly(text)
    # Parsing does not see that a value is used where it is not defined; LLVM would make wrong code of it in silence.
    module.verify()
    passes = binding.create_pass_builder(machine, binding.create_pipeline_tuning_options(speed_level=level))
    if level == 2:
        pipeline = passes.getModulePassManager()
    else:
        # The emitter keeps words in registers itself: a large model loses little without LLVM's other passes.
        pipeline = binding.create_new_module_pass_manager()
        pipeline.add_sroa_pass()
        pipeline.add_simplify_cfg_pass()
    pipeline.run(module, passes)
    return module, machine


def target_machine(optimisation: int) -> Any:
    """LLVM for the processor we run on."""
    _initialize()
    cpu, features = processor()
    return binding.Target.from_default_triple().create_target_machine(
        cpu=cpu,
        features=features,
        opt=optimisation,
        jit=True,
    )


def _initialize() -> None:
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()


def _key(text: str) -> str:
    identity = (
        text,
        str(_level(text)),
        llvmlite.__version__,
        *processor(),
    )
    return sha256("\0".join(identity).encode()).hexdigest()
