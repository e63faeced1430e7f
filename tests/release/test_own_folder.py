"""Folders for temporary files: gone with their owner, and left alone by copies of its process."""

import os
from unittest import mock

from leastnoise.release.measure.own_folder import OwnFolder


def test_a_folder_goes_with_its_owner() -> None:
    folder = OwnFolder()
    path = folder.path
    (path / "rows").write_text("1", "utf-8")
    assert path.stat().st_mode & 0o077 == 0
    del folder
    assert not path.exists()


def test_a_copy_of_the_process_leaves_it_to_its_parent() -> None:
    with OwnFolder() as path:
        with mock.patch("os.getpid", return_value=os.getpid() + 1):
            copied = OwnFolder()
        copied.remove()  # it was another process's
        assert copied.path.exists()
        copied.path.rmdir()
    assert not path.exists()
