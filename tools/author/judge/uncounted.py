"""What may keep a graded file's steps from being counted: assembler, attributes and pragmas that change how the file is compiled,
and the counter's own name, among the tokens that the file has after preprocessing. Those of the system's and the course's headers
do not count. A line directive, which could make any text seem to be of a header, is looked for in the file as it was written.
"""

import re

HARMLESS = "unused|__unused__|noinline|fallthrough"
TOKEN = re.compile(r'(?:u8|[uUL])?R"(?P<end>[^()\\\s]{0,16})\(.*?\)(?P=end)"|"(?:\\.|[^"\\\n])*"' r"|'(?:\\.|[^'\\\n])*'"
                   r"|\.?\d(?:[eEpP][+-]|'?[\w.])*|[^\W\d]\w*|::|\S", re.S)  # strings first: what stands in one is no token
REFUSED = re.compile(rf"\b(?:__)?asm(?:__)?\b|\b__attribute(?:__)?\b(?! \( \( (?:{HARMLESS}) \) \))|\b(?:__)?gnu(?:__)? :: (?!{HARMLESS})\w+"
                     r"|\busing (?:__)?gnu|\b__sanitizer\w+|# pragma (?!once\b|unroll\b|GCC (?:diagnostic|unroll|ivdep)\b)\w+(?: \w+)?")
MARKER = re.compile(r'# \d+ "(.*)"[ \d]*$')
LINE_DIRECTIVE = re.compile(rb"^(?:.*\*/)?[^\S\n]*(?:#|%:)[^\S\n]*(?:line\b|\d|/\*)", re.M)
LARGEST = 4 << 20  # characters of one file after preprocessing


def found(source: bytes, preprocessed: str, headers: tuple[str, ...]) -> list[str]:
    """What is refused of a file that compiles; `headers` is how the names of trusted ones begin."""
    if LINE_DIRECTIVE.search(re.sub(rb"\\[ \t\r]*\n", b"", source)):
        return ["#line"]
    own, is_own = [], False
    for line in preprocessed.split("\n"):
        if marker := MARKER.match(line):
            is_own = not marker[1].startswith(headers) or "/../" in marker[1]
        elif is_own:
            own.append(line)
    text = "\n".join(own)
    if len(text) > LARGEST:
        return [f"more than {LARGEST >> 20} MiB after preprocessing"]
    tokens = " ".join(token[0] for token in TOKEN.finditer(text) if token[0][-1] not in "\"'")
    return [name.replace("# ", "#").replace(" :: ", "::") for name in dict.fromkeys(REFUSED.findall(tokens))]
