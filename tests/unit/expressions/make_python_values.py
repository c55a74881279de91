"""Writes python_values.txt: random expressions of a, b and t, and what Python's arithmetic gives for them.

python3 make_python_values.py > python_values.txt

Each line: the expression, then values of a, b and t, then the value, or `none` where Python raises an error or gives no
finite number. Branches that are not taken are not evaluated, as in Python.
"""
import math
import random

UNARY = ["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp", "log",
         "log10", "sqrt", "abs", "floor", "ceil"]
BINARY = ["atan2", "min", "max", "hypot", "mod"]


def number():
    return random.choice(["0", "1", "2", "0.5", "3.25", "1e-3", "7", "10"])


def make(depth):
    """The same expression for Polyform and for Python."""
    if depth == 0 or random.random() < 0.1:
        leaf = random.choice(["a", "b", "t", number(), number(), "pi"])
        return leaf, leaf
    kind = random.random()
    if kind < 0.45:
        op = random.choice(["+", "-", "*", "/", "^"])
        (p, q), (r, s) = make(depth - 1), make(depth - 1)
        if op == "^":
            return f"({p})^({r})", f"power({q}, {s})"
        return f"({p} {op} {r})", f"({q} {op} {s})"
    if kind < 0.7:
        f = random.choice(UNARY)
        p, q = make(depth - 1)
        return f"{f}({p})", f"{f}({q})"
    if kind < 0.8:
        f = random.choice(BINARY)
        (p, q), (r, s) = make(depth - 1), make(depth - 1)
        return f"{f}({p}, {r})", f"{f}({q}, {s})"
    if kind < 0.88:
        p, q = make(depth - 1)
        return f"-{p}" if p[0] != "-" else f"-({p})", f"-({q})"
    op = random.choice(["<", "<=", ">", ">=", "=="])
    (p, q), (r, s), (u, v), (w, z) = (make(depth - 1) for _ in range(4))
    condition = random.choice(["", "not "])
    return f"if({condition}({p}) {op} ({r}), {u}, {w})", f"(({v}) if {condition}(({q}) {op} ({s})) else ({z}))"


def power(x, y):
    if x < 0 and y != math.floor(y):
        raise ValueError
    return math.pow(x, y)


def modulo(x, y):
    return x - y * math.floor(x / y)


def finite(f):
    def call(*x):
        result = f(*x)
        if not math.isfinite(result):
            raise ValueError
        return result
    return call


NAMES = {name: finite(getattr(math, name)) for name in UNARY + ["atan2", "hypot"] if hasattr(math, name)}
NAMES.update(abs=abs, min=min, max=max, mod=modulo, power=power, pi=math.pi, floor=lambda x: float(math.floor(x)),
             ceil=lambda x: float(math.ceil(x)))

random.seed(20)
lines = 0
while lines < 1500:
    text, python = make(random.randint(1, 5))
    values = [random.choice([0.0, 1.0, -1.0, round(random.uniform(-3, 3), 3)]) for _ in range(3)]
    try:
        result = eval(python, {"__builtins__": {}}, dict(NAMES, a=values[0], b=values[1], t=values[2]))
        shown = repr(float(result)) if math.isfinite(result) and abs(result) < 1e100 else None
    except (ZeroDivisionError, ValueError):
        shown = "none"
    except OverflowError:
        shown = None
    if shown is None:  # beyond the largest number: Python raises, where other arithmetic goes on with infinity
        continue
    print(text, *values, shown, sep="\t")
    lines += 1
