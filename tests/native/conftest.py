"""Tests keep their object code to themselves."""

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def private_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OUROBOROS_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield
