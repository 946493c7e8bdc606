"""What earlier releases had and this one has not: for one release, each says so and names what to use now."""

from course.errors import CourseError

GONE: dict[tuple[str, ...], str] = {  # command, and where only that went, its option → what to use now
    ("docs", "--epub"): "./course docs --pdf makes one document of all pages",
    ("train", "--sweep"): "train recall with --width, --keys and --seeds 3 measures one point of it; the chapters of labs 08 and 09 "
                          "show them all",
    ("bench", "--gpu-model"): "./course bench --gpu measures the kernels where there is a card",
    ("bench", "--train"): "./course bench --peers also times a training step against PyTorch",
    ("bench", "--install"): "python3 -m pip install torch, then ./course bench --peers",
    ("bench", "--fast-transformers"): "bench/results/2026-11-23-peers-epyc.md has the comparison",
    ("test", "--anew"): "./course test tries everything anew each time",
    ("grade", "--gpu"): "kernels are graded by the CPU run; ctest -L gpu runs them on a GPU of your own",
    ("grade", "--container"): "./course autograder gradescope makes what grades one submission in a container",
    ("grade", "--compare"): "compare gradebook_all.csv of the two results, as in: diff OLD/gradebook_all.csv NEW/gradebook_all.csv",
}


def refuse_gone(words: list[str]) -> None:
    """Raises CourseError where the command, or an option of it, is one of GONE."""
    for gone, instead in GONE.items():
        given = [word.partition("=")[0] for word in words]
        if words and words[0] == gone[0] and set(gone[1:]) <= set(given):
            raise CourseError(f"{' '.join(gone)} is gone; {instead}")
