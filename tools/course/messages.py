"""The messages of one run, as a terminal shows them best: what to fix first comes last, and whole."""

SCREEN = 30  # lines of messages that fit above a lab's table
SHOWN = 8  # of a message that is cut


def arrange(said: list[tuple[str, str]]) -> str:
    """`said` is a list of (message, the command that shows it alone), the one to fix first at its head. What several
    exercises share, such as an error of the compiler, is said once. Where all is more than a screen, the others are cut."""
    commands: dict[str, str] = {}
    for message, command in said:
        commands.setdefault(message, command)
    messages = list(commands)
    if sum(message.count("\n") + 2 for message in messages) > SCREEN:
        messages[1:] = [_cut(message, commands[message]) for message in messages[1:]]
    text = ""
    for message, above in zip(messages, [""] + messages):  # from the last line to the first
        lone_lines = "\n" not in message and "\n" not in above
        text = message + ("" if not text else "\n" if lone_lines else "\n\n") + text
    return text


def _cut(message: str, command: str) -> str:
    lines = message.split("\n")
    if len(lines) <= SHOWN + 1:
        return message
    return "\n".join(lines[:SHOWN] + [f"  … {len(lines) - SHOWN} more lines: {command}"])
