"""What can be known of a kernel without a GPU: what nvcc says of its registers, what the CPU run counts in one block, and
from both a lower bound on its time on three cards. Predicted, not measured: nothing here has seen a GPU.
"""

import json
import math
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course.errors import CourseError

SAID = "predicted, not measured"
SECTOR = 32
PRODUCT = 2 * 16 * 16 * 8  # FLOPs of one mma_sync


@dataclass(frozen=True)
class Card:
    """Of the data sheets, SXM versions; the clock follows from the FLOP/s, of which a core does two in a cycle."""
    name: str
    arch: str
    sms: int
    cores: int  # of one SM, for float32
    tflops: float
    tensor_tflops: float  # TF32, dense matrices
    bandwidth: float  # TB/s
    shared: int  # bytes of one SM; a block takes 1 KB more than it asks for

    @property
    def clock(self) -> float:
        return self.tflops * 1e12 / (2 * self.cores * self.sms)


CARDS = (Card("A100", "sm_80", 108, 64, 19.5, 156, 2.04, 164 << 10),
         Card("H100", "sm_90", 132, 128, 67, 495, 3.35, 228 << 10),
         Card("H200", "sm_90", 132, 128, 67, 495, 4.8, 228 << 10))
Run = dict[str, Any]  # as the CPU run's program prints it
WARPS, BLOCKS, REGISTERS = 64, 32, 65536  # of one SM of any of them


@dataclass(frozen=True)
class Work:
    """What a launch is to do."""
    heads: int
    n: int
    d_k: int
    d_v: int
    chunk: int
    columns: int  # of V for one block, where a kernel is parallel over them

    @property
    def chunks(self) -> int:
        return math.ceil(self.n / self.chunk)

    def blocks(self, kernel: str) -> int:
        per_entry = math.ceil(self.heads * self.d_k * (self.d_v + 1) / 128)
        return {"chunkwise_forward": self.heads, "packed_chunkwise_forward": self.heads,  # one sequence of n tokens
                "gated_delta_forward": self.heads, "scan_states": per_entry,
                "chunkwise_forward_tensor_cores": self.heads * math.ceil(self.d_v / self.columns)
                }.get(kernel, self.heads * self.chunks)

    def flops(self, kernel: str) -> float:
        """Of all blocks on CUDA cores, by the chapters' formulas, A and L below the diagonal only; tensor cores' are counted."""
        chunkwise = 4 * self.d_k * self.d_v + (self.chunk + 1) * (self.d_k + self.d_v)
        per_token = {"chunkwise_forward": chunkwise, "packed_chunkwise_forward": chunkwise,
                     "chunk_states": 2 * self.d_k * self.d_v, "scan_states": self.d_k * (self.d_v + 1) / self.chunk,
                     "chunk_outputs": 2 * self.d_k * self.d_v + (self.chunk + 1) * (self.d_k + self.d_v),
                     "gated_delta_forward": 6 * self.d_k * self.d_v + 2 * self.chunk * (self.d_k + self.d_v)}
        return self.heads * self.n * per_token.get(kernel, 0)

    def array_bytes(self, array: str) -> float:
        """How much of device memory an array of this name fills; what lies in it is fetched once at least."""
        rows = self.heads * self.n
        entries = {"borders": 2, "Q": rows * self.d_k, "K": rows * self.d_k, "V": rows * self.d_v, "O": rows * self.d_v,
                   "beta": rows, "log_decay": rows,
                   "S": self.heads * self.chunks * self.d_k * self.d_v, "z": self.heads * self.chunks * self.d_k}
        return 4 * entries.get(array, math.inf)


@dataclass(frozen=True)
class Resources:
    """By nvcc, for one architecture."""
    registers: int
    spilled: int  # bytes
    static_shared: int


@dataclass
class Profile:
    """What the CPU run counted in the first block, as the CPU run's program prints it; sums grow with each further chunk."""
    kernel: str
    runs: list[Run]
    error: str

    def at(self, chunks: int, of: Callable[[Run], Any]) -> float:
        """What a block does for so many chunks: `of(run)` for two and three of them, continued."""
        two, three = float(of(self.runs[0])), float(of(self.runs[1]))
        return two + (three - two) * (chunks - 2)

    def passes(self, chunks: int, which: str = "cost") -> float:
        return self.at(chunks, lambda run: sum(access[which] for access in run["accesses"] if access["shared"]))

    def sectors(self, chunks: int) -> dict[tuple[str, bool], float]:
        """By (array, written or read)."""
        keys = {(access["array"], access["writes"]) for access in self.runs[1]["accesses"] if not access["shared"]}
        return {key: self.at(chunks, lambda run: sum(access["cost"] for access in run["accesses"] if not access["shared"]
                                                     and (access["array"], access["writes"]) == key)) for key in keys}


@dataclass(frozen=True)
class Bound:
    """A lower bound on a kernel's time on one card, in seconds, part by part; the largest part limits the kernel."""
    card: Card
    fit: int  # blocks on one SM at a time
    fit_by: str
    active: int  # SMs
    parts: dict[str, float]

    @property
    def limit(self) -> str:
        return max(self.parts, key=self.parts.__getitem__)

    @property
    def time(self) -> float:
        return self.parts[self.limit]


def profiles(program: Path, sizes: tuple[int, ...], root: Path) -> list[Profile]:
    """Runs a program that prints a line of JSON for each kernel."""
    done = subprocess.run([program, *map(str, sizes)], cwd=root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise CourseError(f"{program.name} ended with status {done.returncode}; its output is above")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return [Profile(entry["kernel"], entry["runs"], entry["error"]) for entry in found]


def find_nvcc() -> str | None:
    return shutil.which("nvcc") or next((path for path in ("/usr/local/cuda/bin/nvcc", "/opt/cuda/bin/nvcc")
                                         if shutil.which(path)), None)


def resources(nvcc: str, root: Path, source: Path, arch: str) -> dict[str, Resources]:
    """What the compiler says about each kernel of a file."""
    folder = root / "build" / "gpu_model"
    folder.mkdir(parents=True, exist_ok=True)
    lab = next(root.glob(f"labs/{source.name[:5]}_*"))
    done = subprocess.run([nvcc, "-std=c++20", "-O2", f"-arch={arch}", "-cubin", "-Xptxas", "-v", "-I", root / "labs", "-I", lab,
                           "-o", folder / f"{source.stem}.{arch}.cubin", source], cwd=root, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise CourseError(f"nvcc does not compile {source.relative_to(root)} for {arch}:\n{done.stdout.rstrip()}")
    return read_resources(done.stdout)


def read_resources(text: str) -> dict[str, Resources]:
    """Of what `nvcc -Xptxas -v` prints."""
    found = {}
    for part in text.split("Compiling entry function")[1:]:
        registers = re.search(r"Used (\d+) registers", part)
        if registers:
            spilled = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", part)
            static = re.search(r"(\d+) bytes smem", part)
            found[_last_name(part.split("'")[1])] = Resources(
                int(registers[1]), int(spilled[1]) + int(spilled[2]) if spilled else 0, int(static[1]) if static else 0)
    return found


def _last_name(mangled: str) -> str:
    """scan_states, of _ZN7linattn7kernels11scan_statesEPfS1_NS_5SizesEi"""
    name, at = mangled, len(mangled) - len(re.sub(r"^_ZN?", "", mangled))
    while length := re.match(r"\d+", mangled[at:]):
        begin = at + length.end()
        at = begin + int(length[0])
        name = mangled[begin:at]
    return name


def blocks_that_fit(card: Card, threads: int, registers: int | None, shared: int) -> tuple[int, str]:
    """On one SM at a time, and what allows no more."""
    warps = math.ceil(threads / 32)
    limits = {"warps": WARPS // warps, "blocks": BLOCKS, "shared memory": card.shared // (shared + 1024)}
    if registers:
        limits["registers"] = REGISTERS // (math.ceil(registers * 32 / 256) * 256 * warps)
    least = min(limits, key=limits.__getitem__)
    return limits[least], least


def bound(card: Card, profile: Profile, used: Resources | None, work: Work) -> Bound:
    """Blocks are spread over the SMs evenly; then each part takes as long as on the SM with the most blocks."""
    blocks, chunks = work.blocks(profile.kernel), work.chunks
    run = profile.runs[0]
    fit, by = blocks_that_fit(card, run["threads"], used.registers if used else None,
                              run["shared_bytes"] + (used.static_shared if used else 0))
    busiest = math.ceil(blocks / card.sms)
    moved = sum(min(sectors * SECTOR * blocks, work.array_bytes(array))
                for (array, _), sectors in profile.sectors(chunks).items())
    tensor = profile.at(chunks, lambda run: run.get("matrix_products", 0)) * PRODUCT
    parts = {"arithmetic": busiest * work.flops(profile.kernel) / blocks / (2 * card.cores * card.clock),
             "tensor cores": busiest * tensor / (card.tensor_tflops * 1e12 / card.sms),
             "shared memory": busiest * profile.passes(chunks) / card.clock,
             "device memory": moved / (card.bandwidth * 1e12)}
    return Bound(card, fit, by, min(card.sms, blocks), parts)


def floor(card: Card, work: Work) -> float:
    """Seconds to read Q, K and V once and to write O."""
    return sum(work.array_bytes(array) for array in "QKVO") / (card.bandwidth * 1e12)


def describe(profile: Profile, compiled: dict[str, dict[str, Resources]], work: Work, place: str) -> str:
    """All that is known of one kernel. \\param compiled by architecture; empty without nvcc   \\param place file and line"""
    run, chunks = profile.runs[0], work.chunks
    barriers = profile.at(chunks, lambda run: run["barriers"])
    sectors = sum(profile.sectors(chunks).values())
    lines = [f"{profile.kernel}  {place}",
             f"  launch      {work.blocks(profile.kernel)} blocks of {run['threads']} threads, {run['shared_bytes']} bytes of "
             "dynamic shared memory each"]
    for arch, kernels in compiled.items():
        used = kernels.get(profile.kernel)
        lines.append(f"  {arch}       " + (f"{used.registers} registers, {used.spilled} bytes spilled, {used.static_shared} bytes "
                                           "of static shared memory, by nvcc" if used else "not in what nvcc compiled"))
    lines.append(f"  one block   {profile.passes(chunks):.0f} passes of shared memory (fewest {profile.passes(chunks, 'fewest'):.0f}), "
                 f"{sectors:.0f} sectors of device memory, {barriers:.0f} barriers, counted by the CPU run")
    for card in CARDS:
        here = bound(card, profile, compiled.get(card.arch, {}).get(profile.kernel), work)
        if here.fit == 0:
            lines.append(f"  {card.name}        no block fits an SM, for its {here.fit_by}")
            continue
        parts = ", ".join(f"{name} {time * 1e3:.3f}" for name, time in here.parts.items() if time > 0)
        lines.append(f"  {card.name}        {here.fit} block{' fits' if here.fit == 1 else 's fit'} an SM ({here.fit_by}), "
                     f"{here.active} of {card.sms} SMs active; {parts} ms\n{'':14}at least {here.time * 1e3:.3f} ms, "
                     f"{here.time / floor(card, work):.1f} times the floor, limited by {here.limit}: {SAID}")
    return "\n".join(lines)


def where(root: Path, source: Path, kernel: str) -> str:
    """The file and the line that a kernel begins in."""
    for number, line in enumerate(source.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        if re.search(rf"\b{kernel}\(", line):
            return f"{source.relative_to(root)}:{number}"
    return str(source.relative_to(root))


def compile_for_cards(root: Path, source: Path) -> dict[str, dict[str, Resources]]:
    """By architecture; says so and gives nothing where there is no nvcc."""
    nvcc = find_nvcc()
    if nvcc is None:
        print("nvcc is not here, so registers are unknown, and how many blocks fit an SM goes by shared memory and warps alone",
              file=sys.stderr)
        return {}
    return {arch: resources(nvcc, root, source, arch) for arch in dict.fromkeys(card.arch for card in CARDS)}


def heading(work: Work) -> str:
    return (f"{work.heads} heads, n = {work.n}, d_k = {work.d_k}, d_v = {work.d_v}, C = {work.chunk}; the floor is one pass over "
            f"Q, K, V and O.\nAll times are {SAID}: bounds from the data sheets, which no kernel goes below and few come near.")
