# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules about the code itself. Each takes the root of a checkout and returns a list of sentences,
one a violation; an empty list means that the rule holds."""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import tempfile

CODE_FOLDERS = ("core", "widgets", "app")
SOURCE_ENDINGS = {".h", ".cpp", ".py", ".sh"}
TEXT_ENDINGS = SOURCE_ENDINGS | {".md", ".txt", ".cmake", ".json", ".svg", ".xml", ".desktop", ".qrc", ".qss"}

# Low to high. Folders of one level may include each other, capabilities may not.
LEVELS = [["base"], ["run"], ["hdf5", "select"], ["paging"], ["anndata", "matrix"], ["query"], ["write"],
          ["canonical", "convert", "validate", "export", "impute", "analyse"], ["recipe"]]
CAPABILITIES = set(LEVELS[7])
LEVEL_OF = {folder: i for i, level in enumerate(LEVELS) for folder in level}

MAX_LINES = 600
# Nothing is excused. A name that goes in here comes with the reason beside it.
LONG_FILES = frozenset()

ROOT_FOLDERS = {"app", "core", "widgets", "resources", "tests", "installer", ".ci"}
ROOT_FILES = {"CMakeLists.txt", "CMakePresets.json", "README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md",
              ".clang-format", ".clang-tidy", ".gitignore"}
# Never part of the project: named in .gitignore, or git's own.
NOT_OURS = {".git", "build", ".cache", "__pycache__", "compile_commands.json", "CMakeUserPresets.json"}

# Spelled in two halves, so that this file does not trip over itself.
FORBIDDEN_WORDS = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]
FORBIDDEN_PATHS = ["/wo" + "rk/"]
QT_HABITS = {"process" + "Events(": "runs the event loop from within, so anything may happen meanwhile",
             "sen" + "der()": "says nothing of which object; connect with a lambda and a context",
             "QMessage" + "Box": "belongs to app: below it, nothing opens a dialog"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def files_below(root, folders, endings):
    root = pathlib.Path(root)
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in endings and path.is_file() and "__pycache__" not in path.parts:
                yield path


def text_of(path):
    return path.read_text(encoding="utf-8")


def is_qt(name):
    return re.match(r"Qt?[A-Z]\w*(/|$|\.h$)", name) is not None or re.match(r"q[a-z]+\.h$", name) is not None


def is_hdf5(name):
    return re.match(r"(.*/)?(hdf5(_hl)?|H5\w*)\.h(pp)?$", name) is not None


def included_path(root, path, quoted, name):
    """The included file relative to root, or None when it is not one of the project."""
    if quoted and (path.parent / name).is_file():
        return (path.parent / name).resolve().relative_to(root.resolve())
    if (root / name).is_file() or name.split("/")[0] in CODE_FOLDERS:
        return pathlib.PurePosixPath(name)
    return None


def includes(root):
    """Layers: who may include whom."""
    root = pathlib.Path(root)
    faults, seen = [], 0
    for path in files_below(root, CODE_FOLDERS, {".h", ".cpp"}):
        seen += 1
        here = path.relative_to(root)
        layer = here.parts[0]
        for mark, name in INCLUDE.findall(text_of(path)):
            def fault(why):
                faults.append(f"{here} includes {name}: {why}")

            if is_hdf5(name) and not (here.parts[:2] == ("core", "hdf5") and path.suffix == ".cpp"):
                fault("only .cpp files of core/hdf5 know HDF5")
            if is_qt(name) and layer == "core":
                fault("core knows no Qt")
            if is_qt(name) and here.parts[:2] == ("app", "cli"):
                fault("the command line knows no Qt")
            target = included_path(root, path, mark == '"', name)
            if target is None:
                continue
            if layer == "core":
                if target.parts[0] != "core":
                    fault("core includes nothing but core")
                else:
                    why = core_layer_fault(here, target)
                    if why:
                        fault(why)
            elif layer == "widgets" and target.parts[0] not in ("widgets", "core"):
                fault("widgets includes widgets and core only")
            elif here.parts[:2] == ("app", "cli") and target.parts[0] == "widgets":
                fault("the command line does without widgets")
    if seen == 0:
        faults.append("no source file was found, so nothing was checked")
    return faults


def core_layer_fault(here, target):
    if len(here.parts) < 3 or len(target.parts) < 3:
        return "files of core lie in one of its folders"
    mine, other = here.parts[1], target.parts[1]
    for folder in (mine, other):
        if folder not in LEVEL_OF:
            return f"core/{folder} is no known layer"
    if LEVEL_OF[other] > LEVEL_OF[mine]:
        return f"{other} stands above {mine}"
    if mine != other and mine in CAPABILITIES and other in CAPABILITIES:
        return "a capability never includes another"
    return None


def compile_flags(build, root):
    """Include, define and standard flags of one source a folder, from the compilation database."""
    database = json.loads((pathlib.Path(build) / "compile_commands.json").read_text())
    flags = {}
    for entry in database:
        path = pathlib.Path(entry["file"])
        try:
            here = path.relative_to(root)
        except ValueError:
            continue
        key = "/".join(here.parts[:2]) if here.parts[0] == "app" else here.parts[0]
        if key in flags:
            continue
        words = shlex.split(entry["command"])
        kept, take_next = [], False
        for word in words[1:]:
            if take_next:
                kept.append(word)
                take_next = False
            elif word in ("-I", "-isystem", "-D"):
                kept.append(word)
                take_next = True
            elif word.startswith(("-I", "-D", "-isystem", "-std=", "-f")) and not word.startswith("-fsanitize"):
                kept.append(word)
        compiler = next(w for w in words if re.search(r"(c\+\+|g\+\+|clang\+\+)(-\d+)?$", w))
        flags[key] = (compiler, kept)
    return flags


def proven_by_build(path):
    """The source of the same name includes the header before anything else, so the build has compiled it alone."""
    source = path.with_suffix(".cpp")
    if not source.is_file():
        return False
    first = INCLUDE.search(text_of(source))
    return first is not None and first.group(2).split("/")[-1] == path.name


def headers_alone(root, build, only=None):
    """Every header compiles as the first and only thing in a file. Only those that the build does not prove are
    compiled here."""
    root = pathlib.Path(root).resolve()
    flags = compile_flags(build, root)
    groups, seen = {}, 0
    for path in files_below(root, CODE_FOLDERS, {".h"}):
        here = path.relative_to(root)
        seen += 1
        if only is not None and str(here) not in only or proven_by_build(path):
            continue
        key = "/".join(here.parts[:2]) if here.parts[0] == "app" else here.parts[0]
        if key in flags:  # a folder that this build leaves out has no flags
            groups.setdefault(key, []).append(here)
    if seen == 0 or only is not None and not groups:
        return ["no header was found, so nothing was checked"]

    def check(key, batch):
        compiler, words = flags[key]
        with tempfile.TemporaryDirectory() as scratch:
            # One translation unit a header, several a run of the compiler: start-up counts.
            units = []
            for i, header in enumerate(batch):
                unit = pathlib.Path(scratch) / f"{i}_{header.stem}.cpp"
                unit.write_text(f'#include "{root / header}"\n')
                units.append(str(unit))
            done = subprocess.run([compiler, *words, f"-I{root}", "-w", "-fsyntax-only", *units],
                                  capture_output=True, text=True)
        if done.returncode == 0:
            return []
        lines = [line for line in done.stderr.splitlines() if "error" in line]
        return ["a header does not compile alone: " + line for line in lines[:20]] or [done.stderr[-2000:]]

    work = [(key, headers[i:i + 8]) for key, headers in groups.items() for i in range(0, len(headers), 8)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = pool.map(lambda job: check(*job), work)
        return [fault for answer in answers for fault in answer]


def links_no_gui(program):
    """What the program loads, through all libraries, holds nothing of Qt."""
    program = pathlib.Path(program)
    if not program.is_file():
        return [f"{program} is not built, so nothing was checked"]
    done = subprocess.run(["ldd", str(program)], capture_output=True, text=True)
    if done.returncode != 0:
        return [f"ldd {program} failed: {done.stderr.strip()}"]
    return [f"{program.name} loads {line.split()[0]}" for line in done.stdout.splitlines()
            if re.search(r"\blib(Qt\d|X11|xcb|wayland|GL)", line)]


def short_files(root):
    """Nobody reads a file of more than 600 lines."""
    root = pathlib.Path(root)
    faults = []
    for path in files_below(root, (*CODE_FOLDERS, "tests", "installer"), SOURCE_ENDINGS):
        lines = len(text_of(path).splitlines())
        if lines > MAX_LINES and str(path.relative_to(root)) not in LONG_FILES:
            faults.append(f"{path.relative_to(root)} has {lines} lines, more than {MAX_LINES}")
    return faults


def licence_lines(root):
    """The first line (the second after a #!) of each source names the licence."""
    root = pathlib.Path(root)
    faults = []
    for path in files_below(root, (*CODE_FOLDERS, "tests", "installer"), SOURCE_ENDINGS):
        lines = text_of(path).splitlines()
        first = lines[1:2] if lines and lines[0].startswith("#!") else lines[:1]
        mark = "//" if path.suffix in (".h", ".cpp") else "#"
        if first != [f"{mark} SPDX-License-Identifier: GPL-3.0-or-later"]:
            faults.append(f"{path.relative_to(root)} does not begin with the SPDX line")
    return faults


def root_folders(root):
    """The root holds what it always held."""
    faults = []
    for path in sorted(pathlib.Path(root).iterdir()):
        if path.name in NOT_OURS:
            continue
        if path.is_dir() and path.name not in ROOT_FOLDERS:
            faults.append(f"the folder {path.name}/ has no place at the root")
        if path.is_file() and path.name not in ROOT_FILES:
            faults.append(f"the file {path.name} has no place at the root")
    for name in sorted(ROOT_FOLDERS | ROOT_FILES):
        if not (pathlib.Path(root) / name).exists():
            faults.append(f"{name} is missing at the root")
    return faults


def folder_pages(root):
    """Each code folder opens with a page that says what lives there."""
    root = pathlib.Path(root)
    folders = [root / name for name in ("core", "widgets", "app", "tests", "installer", "resources")]
    folders += [path for name in ("core", "widgets") for path in sorted((root / name).iterdir())
                if path.is_dir() and any(path.glob("*.h"))]
    return [f"{folder.relative_to(root)} has no README.md" for folder in folders
            if not (folder / "README.md").is_file()]


def words(root):
    """Nothing is put off, and nothing names the machine it was written on."""
    root = pathlib.Path(root)
    faults = []
    pattern = re.compile(r"\b(" + "|".join(FORBIDDEN_WORDS) + r")\b|" + "|".join(map(re.escape, FORBIDDEN_PATHS)))
    paths = list(files_below(root, (*CODE_FOLDERS, "tests", "installer", "resources"), TEXT_ENDINGS))
    paths += [root / name for name in sorted(ROOT_FILES - {"LICENSE"}) if (root / name).is_file()]
    for path in paths:
        if path.name == "expected.json":
            continue
        for number, line in enumerate(text_of(path).splitlines(), 1):
            if found := pattern.search(line):
                faults.append(f"{path.relative_to(root)}:{number} holds {found.group(0)}")
    return faults


def links(root):
    """Every page and picture that a Markdown page points to is there."""
    root = pathlib.Path(root)
    faults = []
    pages = list(files_below(root, (*CODE_FOLDERS, "tests", "installer", "resources"), {".md"}))
    for page in pages + sorted(root.glob("*.md")):
        for target in re.findall(r"\]\(([^)\s]+)\)", text_of(page)):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            if path and not (page.parent / path).exists():
                faults.append(f"{page.relative_to(root)} points to {path}, which is not there")
            elif anchor and anchor not in anchors(page.parent / path if path else page):
                faults.append(f"{page.relative_to(root)} points to #{anchor}, and there is no such heading")
    return faults


def anchors(page):
    headings = re.findall(r"^#+ (.*)$", text_of(page), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def qt_habits(root):
    """What makes a window freeze or crash later is not used below app."""
    root = pathlib.Path(root)
    faults = []
    for path in files_below(root, ("widgets", "app"), {".h", ".cpp"}):
        in_app = path.relative_to(root).parts[0] == "app"
        for number, line in enumerate(text_of(path).splitlines(), 1):
            code = line.split("//")[0]
            for word, why in QT_HABITS.items():
                if re.search(r"(?<!\w)" + re.escape(word), code) and not (in_app and word.startswith("QMessage")):
                    faults.append(f"{path.relative_to(root)}:{number} uses {word}: it {why}")
    return faults


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def bad_files(program, files, timeout=60):
    """Whatever the file, the command line ends by itself, with a code of the contract, one JSON object,
    no stack of the library's errors, and leaves the file as it was."""
    faults = []
    commands = (["info"], ["validate"], ["stats", "X"], ["view", "X", "--obs", "0:2", "--var", "0:2"],
                ["view", "obs", "--obs", "0:2"])
    if not files:
        faults.append("no damaged file was found, so nothing was checked")

    def check(path):
        found, before = [], digest(path)
        for command in commands:
            line = [str(program), command[0], str(path), *command[1:]]
            for options in ([], ["--json"]):
                shown = f"{' '.join(command)}{' --json' if options else ''} on {path.name}"
                try:
                    done = subprocess.run([*line, *options], capture_output=True, timeout=timeout)
                except subprocess.TimeoutExpired:
                    found.append(f"{shown} did not end within {timeout} s")
                    continue
                if done.returncode not in (0, 1, 2, 3):
                    found.append(f"{shown} ended with {done.returncode}: {done.stderr[-300:]!r}")
                if b"HDF5-DIAG" in done.stdout + done.stderr:
                    found.append(f"{shown} shows HDF5-DIAG")
                if done.returncode != 0 and not options and not done.stderr.strip():
                    if command[0] != "validate":
                        found.append(f"{shown} failed without a word")
                if options:
                    try:
                        json.loads(done.stdout)
                    except ValueError as why:
                        found.append(f"{shown} is not one JSON object: {why}")
        if digest(path) != before:
            found.append(f"{path.name} was changed")
        return found

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(check, files):
            faults += found
    return faults
