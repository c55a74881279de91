"""A pen for line drawings of mechanics: SVG in the colours of the page."""

from math import cos, hypot, pi, sin


class Pen:
    """Collects the parts of one drawing. Lengths are pixels, y points down, angles are degrees, counted up from x."""

    def __init__(self, width=420, height=190):
        self.width, self.height, self.parts = width, height, []

    def svg(self, title):
        inside = "\n".join(self.parts)
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" role="img" '
                f'aria-label="{title}" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" '
                f'stroke-linejoin="round">\n{inside}\n</svg>')

    def add(self, text):
        self.parts.append(text)
        return self

    def line(self, *points, accent=False, dashed=False, thin=False):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        style = ' class="accent"' if accent else ""
        style += ' stroke-dasharray="5 4"' if dashed else ""
        style += ' stroke-width="1"' if thin else ""
        return self.add(f'<polyline points="{path}"{style}/>')

    def text(self, x, y, words, italic=False, anchor="middle", accent=False):
        css = " ".join(c for c in ("it" if italic else "", "accent" if accent else "") if c)
        css = f' class="{css}"' if css else ""
        return self.add(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" stroke="none"{css}>{words}</text>')

    def box(self, x, y, width, height, label=None, turn=0, round=10):
        """A body; x and y are its middle."""
        self.add(f'<rect x="{x - width / 2:.1f}" y="{y - height / 2:.1f}" width="{width}" height="{height}" rx="{round}" '
                 f'fill="currentColor" fill-opacity="0.09" transform="rotate({-turn} {x:.1f} {y:.1f})"/>')
        if label:
            self.text(x, y + 5, label)
        return self

    def circle(self, x, y, radius, filled=False, label=None, accent=False):
        fill = ' fill="currentColor"' if filled else ' fill="currentColor" fill-opacity="0.09"'
        self.add(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}"{fill}{" class=" + chr(34) + "accent" + chr(34) if accent else ""}/>')
        if label:
            self.text(x, y + 5, label)
        return self

    def ground(self, x, y, width, turn=0):
        """The surface of ground from x to x + width at the height y; the hatching is below."""
        lines = [f'<line x1="{x}" y1="{y}" x2="{x + width}" y2="{y}"/>']
        for k in range(int(width // 10) + 1):
            lines.append(f'<line x1="{x + 10 * k}" y1="{y}" x2="{x + 10 * k - 7}" y2="{y + 8}" stroke-width="1"/>')
        return self.add(f'<g transform="rotate({-turn} {x} {y})">{"".join(lines)}</g>')

    def head(self, x, y, dx, dy, accent=True):
        size = hypot(dx, dy) or 1
        ux, uy = dx / size, dy / size
        a, b = (x - 9 * ux + 4 * uy, y - 9 * uy - 4 * ux), (x - 9 * ux - 4 * uy, y - 9 * uy + 4 * ux)
        css = ' class="accent"' if accent else ""
        return self.add(f'<polygon points="{x:.1f},{y:.1f} {a[0]:.1f},{a[1]:.1f} {b[0]:.1f},{b[1]:.1f}" '
                        f'fill="currentColor" stroke-width="1"{css}/>')

    def arrow(self, x1, y1, x2, y2, label=None, dx=0, dy=-8, accent=True, both=False):
        self.line((x1, y1), (x2, y2), accent=accent)
        self.head(x2, y2, x2 - x1, y2 - y1, accent)
        if both:
            self.head(x1, y1, x1 - x2, y1 - y2, accent)
        if label:
            self.text((x1 + x2) / 2 + dx, (y1 + y2) / 2 + dy, label, italic=True, accent=accent)
        return self

    def turn(self, x, y, radius, begin, end, label=None, accent=True, flat=1.0):
        """An arrow along an arc from the angle begin to the angle end; flat < 1 shows it from the side."""
        steps = 32
        points = [(x + radius * cos(pi / 180 * (begin + (end - begin) * k / steps)),
                   y - flat * radius * sin(pi / 180 * (begin + (end - begin) * k / steps))) for k in range(steps + 1)]
        self.line(*points, accent=accent)
        self.head(*points[-1], points[-1][0] - points[-3][0], points[-1][1] - points[-3][1], accent)
        if label:
            middle = pi / 180 * (begin + end) / 2
            self.text(x + (radius + 13) * cos(middle), y - flat * (radius + 13) * sin(middle) + 5, label, italic=True,
                      accent=accent)
        return self

    def axis(self, x1, y1, x2, y2, label="axis"):
        self.line((x1, y1), (x2, y2), dashed=True, thin=True)
        return self.text(x2 + 4, y2 + 4, label, anchor="start")

    def spring(self, x1, y1, x2, y2, coils=6, width=8):
        length = hypot(x2 - x1, y2 - y1)
        ux, uy = (x2 - x1) / length, (y2 - y1) / length
        points, lead = [(x1, y1)], 0.15 * length
        points.append((x1 + lead * ux, y1 + lead * uy))
        for k in range(2 * coils):
            s, side = lead + (k + 0.5) * (length - 2 * lead) / (2 * coils), width * (1 if k % 2 else -1)
            points.append((x1 + s * ux - side * uy, y1 + s * uy + side * ux))
        points += [(x2 - lead * ux, y2 - lead * uy), (x2, y2)]
        return self.line(*points)

    def damper(self, x1, y1, x2, y2, width=9):
        length = hypot(x2 - x1, y2 - y1)
        ux, uy = (x2 - x1) / length, (y2 - y1) / length

        def at(s, side=0.0):
            return x1 + s * length * ux - side * uy, y1 + s * length * uy + side * ux
        self.line(at(0), at(0.35))
        self.line(at(0.68, -width), at(0.35, -width), at(0.35, width), at(0.68, width))
        self.line(at(0.55, -width + 2), at(0.55, width - 2))
        return self.line(at(0.55), at(1))

    def pin(self, x, y):
        return self.circle(x, y, 5).circle(x, y, 1.5, filled=True)

    def point(self, x, y, label=None, dx=0, dy=-9):
        self.circle(x, y, 2.8, filled=True)
        return self.text(x + dx, y + dy, label, italic=True) if label else self
