#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The commit and branch that topdown reads of a checkout are git's own: attached, detached, packed, in
worktrees, submodules and folders below; and what CI systems say takes their place only where the checkout
says nothing. Environment: TOPDOWN_BUILD."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(os.environ["TOPDOWN_BUILD"]).resolve() / "tests" / "history_checkout"
CLEAN = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@b",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@b",
}
complaints = []


def git(folder, *words):
    return subprocess.run(
        ["git", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always", *words],
        cwd=folder,
        env=CLEAN,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


def found(folder, **variables):
    return subprocess.run(
        [PROGRAM], cwd=folder, env=CLEAN | variables, capture_output=True, text=True, check=True
    ).stdout.split()


def expect(what, have, want):
    if have != want:
        complaints.append(f"{what}: {have}, expected {want}")


def as_git(what, folder, **variables):
    """What git itself says there."""
    branch = subprocess.run(
        ["git", "symbolic-ref", "-q", "--short", "HEAD"],
        cwd=folder,
        env=CLEAN,
        capture_output=True,
        text=True,
        check=False,
    )
    expect(what, found(folder, **variables), [git(folder, "rev-parse", "HEAD"), branch.stdout.strip() or "-"])


def commit(folder, text):
    (folder / "file").write_text(text)
    git(folder, "add", "file")
    git(folder, "commit", "-m", text)


def check_layouts(place):
    folder = place / "one"
    folder.mkdir()
    git(folder, "init")
    expect("no commit yet", found(folder), ["-", "main"])
    commit(folder, "first")
    as_git("a branch", folder)
    below = folder / "a" / "b"
    below.mkdir(parents=True)
    as_git("a folder below", below)
    git(folder, "checkout", "-b", "feature/deep/er")
    commit(folder, "second")
    as_git("a branch with slashes", folder)
    git(folder, "pack-refs", "--all")
    as_git("packed references", folder)
    commit(folder, "third")
    as_git("a reference that is newer than the packed one", folder)
    git(folder, "checkout", "--detach", "HEAD~1")
    as_git("a detached HEAD", folder)
    git(folder, "worktree", "add", "-b", "other", place / "two", "main")
    as_git("a worktree", place / "two")
    git(folder, "pack-refs", "--all")
    as_git("a worktree, packed", place / "two")
    git(place / "two", "submodule", "add", str(folder), "sub")
    as_git("a submodule", place / "two" / "sub")
    expect("GIT_DIR", found(place, GIT_DIR=str(folder / ".git")), [git(folder, "rev-parse", "HEAD"), "-"])
    return folder


def check_ci(place, folder):
    """Of a detached HEAD the commit is the checkout's, the branch the CI system's; without a checkout both
    are its."""
    head = git(folder, "rev-parse", "HEAD")
    github = {"GITHUB_SHA": "f" * 40, "GITHUB_REF_NAME": "17/merge", "GITHUB_HEAD_REF": "topic"}
    expect("GitHub, detached", found(folder, **github), [head, "topic"])
    expect("GitHub, attached", found(place / "two", **github)[1], "other")
    expect("GitHub, no checkout", found(place, **github), ["f" * 40, "topic"])
    expect(
        "GitLab, no checkout",
        found(place, CI_COMMIT_SHA="e" * 40, CI_COMMIT_REF_NAME="main"),
        ["e" * 40, "main"],
    )
    expect(
        "Jenkins, no checkout",
        found(place, GIT_COMMIT="d" * 40, GIT_BRANCH="origin/x"),
        ["d" * 40, "origin/x"],
    )
    expect("nothing", found(place), ["-", "-"])


def check_odd(place):
    """What is no repository, or a broken one, is no error."""
    for name, head in (
        ("empty", ""),
        ("word", "word\n"),
        ("loop", "ref: refs/heads/a\n"),
        ("short", "abcdef\n"),
        ("far", "ref: ../../../etc/passwd\n"),
    ):
        git_folder = place / name / ".git"
        (git_folder / "refs/heads").mkdir(parents=True)
        (git_folder / "HEAD").write_text(head)
        (git_folder / "refs/heads/a").write_text("ref: refs/heads/a\n")
        expect(name, found(place / name)[0], "-")
    (place / "file").mkdir()
    (place / "file/.git").write_text("gitdir: /nowhere\n")
    expect("a .git that names nothing", found(place / "file"), ["-", "-"])


def main():
    if not shutil.which("git"):
        print("skipped: there is no git")
        return 77
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        folder = check_layouts(place)
        check_ci(place, folder)
        check_odd(place)
    print("\n".join(complaints) or "commits and branches are git's")
    return int(bool(complaints))


if __name__ == "__main__":
    sys.exit(main())
