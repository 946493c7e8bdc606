"""loss.csv and loss.svg: what a model lost at each step of its training, drawn without a package."""

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 640, 320, 56, 40, 16


def csv(losses: list[float]) -> str:
    return "step,loss\n" + "".join(f"{step},{loss!r}\n" for step, loss in enumerate(losses, 1))


def svg(losses: list[float], title: str) -> str:
    """The loss in nats over the steps, both axes linear from 0."""
    highest, steps = max(losses), len(losses)

    def place(step: float, loss: float) -> str:
        x = LEFT + (WIDTH - LEFT - 16) * step / steps
        y = TOP + (HEIGHT - TOP - BOTTOM) * (1 - loss / highest)
        return f"{x:.1f},{y:.1f}"

    bottom, right = HEIGHT - BOTTOM, WIDTH - 16
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" font-family="sans-serif" '
             f'font-size="12"><title>{title}</title><rect width="100%" height="100%" fill="white"/>',
             f'<path d="M{LEFT},{TOP}V{bottom}H{right}" fill="none" stroke="#888"/>']
    for part in (0, 0.5, 1):
        x, y = place(part * steps, part * highest).split(",")
        parts.append(f'<text x="{x}" y="{bottom + 16}" text-anchor="middle">{round(part * steps)}</text>')
        parts.append(f'<text x="{LEFT - 6}" y="{y}" text-anchor="end" dominant-baseline="middle">{part * highest:.2f}</text>')
    parts.append(f'<text x="{(LEFT + right) // 2}" y="{HEIGHT - 6}" text-anchor="middle">step</text>')
    parts.append(f'<text x="{LEFT + 8}" y="{TOP + 12}">loss in nats: {title}</text>')
    points = " ".join(place(step, loss) for step, loss in enumerate(losses, 1))
    parts.append(f'<polyline points="{points}" fill="none" stroke="#0b6e99" stroke-width="1.5"/></svg>')
    return "\n".join(parts) + "\n"
