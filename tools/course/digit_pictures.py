"""Pictures of 8 × 8 pixels, each a letter from 0 (white) to g (black): in a terminal, and as an SVG."""

SIDE, GREYS = 8, "0123456789abcdefg"
SHADES = " ·░▒▓█"  # for a terminal, dark ink on whatever ground it has
STYLE = """svg { color-scheme: light dark; --card: #ffffff; --ink: #000000; --edge: #bbbbbb }
@media (prefers-color-scheme: dark) { svg { --card: #0d1117; --ink: #ffffff; --edge: #484f58 } }
text, .ink { fill: var(--ink) }
rect { shape-rendering: crispEdges }"""


def in_terminal(pictures: list[str]) -> str:
    """Side by side, every pixel two characters wide."""
    lines = []
    for row in range(SIDE):
        lines.append("   ".join("".join(2 * _shade(pixel) for pixel in picture[row * SIDE:(row + 1) * SIDE])
                                for picture in pictures).rstrip())
    return "\n".join(lines)


def svg(rows: list[tuple[str, list[str]]], title: str) -> str:
    """Rows of pictures: (caption, pictures) each."""
    pixel, gap, left, height = 4, 6, 100, 8 * 4 + 6
    width, full = left + max(len(pictures) for _, pictures in rows) * (SIDE * pixel + gap), height * len(rows) + gap
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {full}" width="{width}" height="{full}" role="img" '
             f'font-family="sans-serif" font-size="13"><title>{title}</title>\n<style>{STYLE}</style>\n'
             '<rect width="100%" height="100%" fill="var(--card)"/>']
    for number, (caption, pictures) in enumerate(rows):
        top = gap + number * height
        parts.append(f'<text x="8" y="{top + 20}">{caption}</text>')
        for place, picture in enumerate(pictures):
            x = left + place * (SIDE * pixel + gap)
            parts.append(f'<rect x="{x - 1}" y="{top - 1}" width="{SIDE * pixel + 2}" height="{SIDE * pixel + 2}" '
                         'fill="none" stroke="var(--edge)"/>')
            parts += [f'<rect x="{x + at % SIDE * pixel}" y="{top + at // SIDE * pixel}" width="{pixel}" height="{pixel}" '
                      f'class="ink" opacity="{GREYS.index(grey) / 16:g}"/>' for at, grey in enumerate(picture) if grey != "0"]
    return "\n".join(parts) + "\n</svg>\n"


def _shade(pixel: str) -> str:
    return SHADES[round(GREYS.index(pixel) / 16 * (len(SHADES) - 1))]
