#!/usr/bin/env python3
"""Makes the models and references of the closed-form problems: python3 make_references.py [NAME...].

Each is solved as a closed equation of its own, in mpmath at 30 digits, with no part of Polyform: simple_pendulum by
Jacobi elliptic functions, slider_crank, governor and bricard by Lagrange's equations in minimal coordinates
(extrapolation, tolerance 1e-18), reactions by the balance of each body, andrews from the published solution. The results
go to apps/models and apps/models/references.
"""
import json
import os
import re
import sys

from mpmath import asin, cos, ellipfun, ellipk, mp, mpf, pi, sin, sqrt

mp.dps = 30
MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "apps", "models")


def number(x):
    """The double next to x, as text that reads back exactly."""
    return repr(float(x))


def write(name, model, reference):
    with open(os.path.join(MODELS, name + ".yaml"), "w") as file:
        file.write(model)
    text = json.dumps(dict(model="../%s.yaml" % name, **reference), indent=1)
    # Lists of numbers stay on one line.
    text = re.sub(r"\[\s+([^\[\]{}\"]*?)\s+\]", lambda m: "[" + re.sub(r"\s+", " ", m.group(1)) + "]", text)
    with open(os.path.join(MODELS, "references", name + ".json"), "w") as file:
        file.write(text + "\n")
    print(name)


def planar(x, y, angle, vx, vy, w):
    """Channels of a body that moves in the x-y plane. The quaternion is continuous from the start on."""
    return dict(x=x, y=y, z=0, qw=cos(angle / 2), qx=0, qy=0, qz=sin(angle / 2), vx=vx, vy=vy, vz=0, wx=0, wy=0, wz=w)


def columns(rows):
    """A list of {channel: value} to {channel: [values]}."""
    return {name: [float(row[name]) for row in rows] for name in rows[0]}


def step_by_extrapolation(rhs, y, h, columns=14):
    """One step of an autonomous equation: the modified midpoint rule with 2, 4, 6, ... substeps, extrapolated."""
    previous = []
    for k in range(1, columns + 1):
        n = 2 * k
        d = h / n
        a, b = y, [p + d * v for p, v in zip(y, rhs(y))]
        for _ in range(n - 1):
            a, b = b, [p + 2 * d * v for p, v in zip(a, rhs(b))]
        row = [[(p + q + d * v) / 2 for p, q, v in zip(a, b, rhs(b))]]
        for j, old in enumerate(previous):
            ratio = (mpf(n) / (2 * (k - j - 1))) ** 2 - 1
            row.append([p + (p - q) / ratio for p, q in zip(row[j], old)])
        if k > 2 and max(abs(p - q) for p, q in zip(row[-1], row[-2])) < mpf(10) ** -18:
            return row[-1]
        previous = row
    raise ArithmeticError("the step is too long")


def solve(rhs, y, times, steps):
    """The solution at equidistant times from 0 on, so many steps between two."""
    rows = [y]
    for t, after in zip(times, times[1:]):
        for _ in range(steps):
            y = step_by_extrapolation(rhs, y, (after - t) / steps)
        rows.append(y)
    return rows


def simple_pendulum():
    """Angle from the downward vertical, released at 90 degrees: sin(a/2) = k sn(K - w t), k = sin 45 degrees."""
    g, length = mpf("9.81"), mpf(1)
    k = sqrt(mpf(1) / 2)
    w, m = sqrt(g / length), k * k
    quarter = ellipk(m)
    rows, times = [], [mpf(i) / 2 for i in range(21)]
    for t in times:
        u = quarter - w * t
        a = -2 * asin(k * ellipfun("sn", u, m))  # starts at -90 degrees: the bob at x = -1
        rate = 2 * k * w * ellipfun("cn", u, m)
        row = {"rod.x": 0, "rod.y": 0, "pin.q": a + pi / 2, "pin.v": rate,
               "bob.x": length * sin(a), "bob.y": -length * cos(a),
               "bob.vx": length * cos(a) * rate, "bob.vy": length * sin(a) * rate,
               "energy.total": 0, "energy.kinetic": g * length * cos(a)}
        # The rod has no mass: both joints carry what moves the bob, the pull 3 m g cos a (half of it weight's share)
        # and no moment. On moving: on the rod towards the pin, on the bob towards the rod.
        for joint in ("pin", "end"):
            row.update({joint + ".fx": -3 * g * cos(a) * sin(a), joint + ".fy": 3 * g * cos(a) ** 2, joint + ".mz": 0})
        rows.append(row)
    model = """# polyform run apps/models/simple_pendulum.yaml --output simple_pendulum.csv
#
# Simple pendulum: IFToMM library of multibody benchmarks, A01. A point of 1 kg at the end of a massless rod of 1 m,
# released at rest from the horizontal. The rod and the bob are two bodies, fixed to each other, without inertia about
# their own centres.
polyform: 1
name: simple pendulum
gravity: [0, -9.81, 0]
bodies:
  - {name: rod, position: [0, 0, 0], mass: 0, inertia: {xx: 0, yy: 0, zz: 0}}
  - {name: bob, position: [-1, 0, 0], mass: 1, inertia: {xx: 0, yy: 0, zz: 0}}
joints:
  - {name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: end, type: fixed, base: rod, moving: bob, position: [-1, 0, 0]}
simulation:
  duration: 10
  integrator: dopri5
  step: 0.001
  tolerance: {relative: 1.0e-12, absolute: 1.0e-13}
  output_interval: 0.1
"""
    write("simple_pendulum", model, dict(
        source="IFToMM multibody benchmark A01 (simple pendulum); exact: Jacobi elliptic functions at 30 digits; the "
               "bearing's force is the pull 3 m g cos a along the rod.",
        times=[float(t) for t in times], channels=columns(rows),
        tolerance=dict(position=1e-9, velocity=1e-8, joint=1e-9, joint_velocity=1e-8, energy=1e-8, force=1e-8,
                       moment=1e-10),
        notes=["The bob starts at (-1, 0) m. pin.q is zero as drawn, pin.q = a + pi/2 with the angle a from the "
               "downward vertical."]))


def slider_crank():
    """M(q) q'' + M'(q) q'^2 / 2 + V'(q) = 0 with the kinetic energy M(q) q'^2 / 2, q the angle of the crank."""
    g, r, l = mpf("9.81"), mpf("0.25"), mpf(1)
    mc, mr, ms = mpf(1), mpf(2), mpf("0.5")

    def pose(q):
        """Angle of the rod, its mass centre, the slider's x; the rod goes from the crank's end down to y = 0."""
        b = -asin(r * sin(q) / l)
        return b, r * cos(q) + l / 2 * cos(b), r * sin(q) + l / 2 * sin(b), r * cos(q) + l * cos(b)

    def derivatives(q):
        """d/dq and d2/dq2 of (b, x, y, s)."""
        b = -asin(r * sin(q) / l)
        b1 = -r * cos(q) / (l * cos(b))
        b2 = (r * sin(q) + l * sin(b) * b1 ** 2) / (l * cos(b))
        x1 = -r * sin(q) - l / 2 * sin(b) * b1
        y1 = r * cos(q) + l / 2 * cos(b) * b1
        x2 = -r * cos(q) - l / 2 * (cos(b) * b1 ** 2 + sin(b) * b2)
        y2 = -r * sin(q) - l / 2 * (sin(b) * b1 ** 2 - cos(b) * b2)
        s1 = -r * sin(q) - l * sin(b) * b1
        s2 = -r * cos(q) - l * (cos(b) * b1 ** 2 + sin(b) * b2)
        return (b1, x1, y1, s1), (b2, x2, y2, s2)

    crank_inertia, rod_inertia = mc * r ** 2 / 3, mr * l ** 2 / 12

    def acceleration(q, v):
        (b1, x1, y1, s1), (b2, x2, y2, s2) = derivatives(q)
        mass = crank_inertia + rod_inertia * b1 ** 2 + mr * (x1 ** 2 + y1 ** 2) + ms * s1 ** 2
        half_slope = rod_inertia * b1 * b2 + mr * (x1 * x2 + y1 * y2) + ms * s1 * s2
        return -(half_slope * v ** 2 + g * (mc * r / 2 * cos(q) + mr * y1)) / mass

    def reactions(q, v):
        """Forces on moving in the plane, from the mass centres' accelerations: Newton for the crank, the rod and the
        slider, and Euler for the rod, whose four unknowns all follow from the guide's normal force."""
        (b1, x1, y1, s1), (b2, x2, y2, s2) = derivatives(q)
        a = acceleration(q, v)
        b, x, y, s = pose(q)
        rod_turn = b1 * a + b2 * v ** 2
        crank = (-r / 2 * (sin(q) * a + cos(q) * v ** 2), r / 2 * (cos(q) * a - sin(q) * v ** 2))
        rod, slider = (x1 * a + x2 * v ** 2, y1 * a + y2 * v ** 2), s1 * a + s2 * v ** 2

        def with_normal(normal):
            gudgeon = (ms * slider, ms * g - normal)
            crankpin = (mr * rod[0] + gudgeon[0], mr * (rod[1] + g) + gudgeon[1])
            lever = (l / 2 * cos(b), l / 2 * sin(b))  # from the rod's centre to the gudgeon, and back to the crankpin
            moment = -sum(lever[0] * f[1] - lever[1] * f[0] for f in (gudgeon, crankpin))
            return gudgeon, crankpin, moment - rod_inertia * rod_turn

        left, right = with_normal(mpf(0))[2], with_normal(mpf(1))[2]
        normal = left / (left - right)
        gudgeon, crankpin, _ = with_normal(normal)
        forces = dict(shaft=(mc * crank[0] + crankpin[0], mc * (crank[1] + g) + crankpin[1]), crankpin=crankpin,
                      gudgeon=gudgeon, guide=(mpf(0), normal))
        row = {"%s.f%s" % (joint, axis): f for joint, pair in forces.items() for axis, f in zip("xy", pair)}
        row.update({joint + ".mz": 0 for joint in forces})
        return row

    q0, v0 = mpf(0), mpf(4)
    rows, times = [], [mpf(i) / 10 for i in range(21)]
    for q, v in solve(lambda y: [y[1], acceleration(*y)], [q0, v0], times, 2):
        b, x, y, s = pose(q)
        (b1, x1, y1, s1), _ = derivatives(q)
        row = {"crank." + k: c for k, c in planar(0, 0, q, 0, 0, v).items()}
        row.update({"rod." + k: c for k, c in planar(r * cos(q), r * sin(q), b, -r * sin(q) * v, r * cos(q) * v,
                                                     b1 * v).items()})
        row.update({"slider.x": s, "slider.vx": s1 * v, "shaft.q": q, "shaft.v": v, "guide.q": s - (r + l),
                    "guide.v": s1 * v, **reactions(q, v)})
        rows.append(row)
    v_rod, w_rod = r * v0, -r * v0 / l
    model = """# polyform run apps/models/slider_crank.yaml --output slider_crank.csv
#
# Slider-crank: a crank of 0.25 m and 1 kg, a rod of 1 m and 2 kg, a slider of 0.5 kg on the x axis, in the x-y plane
# under gravity. Own parameters; drawn stretched out, the crank starts at 4 rad/s and turns over.
polyform: 1
name: slider-crank
gravity: [0, -9.81, 0]
bodies:
  - {name: crank, position: [0, 0, 0], mass: 1, center_of_mass: [0.125, 0, 0], inertia: {xx: 0, yy: %s, zz: %s}}
  - {name: rod, position: [0.25, 0, 0], mass: 2, center_of_mass: [0.5, 0, 0], inertia: {xx: 0, yy: %s, zz: %s}}
  - {name: slider, position: [1.25, 0, 0], mass: 0.5, inertia: {xx: 0.001, yy: 0.001, zz: 0.001}}
joints:
  - {name: shaft, type: revolute, base: ground, moving: crank, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 4}}
  - {name: crankpin, type: revolute, base: crank, moving: rod, position: [0.25, 0, 0], axis: [0, 0, 1], initial: {velocity: -5}}
  - {name: gudgeon, type: revolute, base: rod, moving: slider, position: [1.25, 0, 0], axis: [0, 0, 1], initial: {velocity: 1}}
  - {name: guide, type: prismatic, base: ground, moving: slider, position: [1.25, 0, 0], axis: [1, 0, 0], cut: true}
simulation:
  duration: 2
  integrator: dopri5
  step: 0.001
  tolerance: {relative: 1.0e-12, absolute: 1.0e-13}
  output_interval: 0.02
""" % (number(mc * r ** 2 / 12), number(mc * r ** 2 / 12), number(rod_inertia), number(rod_inertia))
    write("slider_crank", model, dict(
        source="Lagrange's equation in the angle of the crank at 30 digits, extrapolation with tolerance 1e-18; "
               "reactions from the balance of forces and moments of each body.",
        times=[float(t) for t in times], channels=columns(rows),
        tolerance=dict(position=1e-9, orientation=1e-9, velocity=1e-8, angular_velocity=1e-8, joint=1e-9,
                       joint_velocity=1e-8, force=1e-8, moment=1e-8),
        notes=["Reactions in the plane; those out of it are left open by the three redundant constraints.",
               "Rod: frame origin at the crank's end, body x to the slider. Stretched out at the start, where the rod "
               "turns at -1 rad/s."]))


def governor():
    """Flyball governor: turn p about z and arm angle a from the downward axis; the collar hangs on two links."""
    g, l, mball, mcol, k, rest = mpf("9.81"), mpf(1), mpf(2), mpf(3), mpf(40), mpf("0.6")
    shaft = mpf("0.2")  # inertia of the shaft about z
    mlink = mpf("0.6")
    # Arms from the top pin at the origin, massless, a ball at the end of each at (l sin a, -l cos a); links, thin rods
    # of the same length, from the balls to the collar on the axis at -2 l cos a; spring along the axis from the origin.

    def masses(a):
        """Inertia of the turn and half its slope, mass of the arms' motion and half its slope."""
        s, c = sin(a), cos(a)
        turn = 2 * mball + 2 * mlink / 3
        sway = 2 * mball + 2 * mlink * (c ** 2 / 4 + 9 * s ** 2 / 4 + mpf(1) / 12) + mcol * 4 * s ** 2
        return (shaft + turn * l ** 2 * s ** 2, turn * l ** 2 * s * c, l ** 2 * sway,
                l ** 2 * s * c * (2 * mlink * 2 + mcol * 4))

    weight = g * l * (2 * mball + 2 * mlink * mpf("1.5") + 2 * mcol)  # times -cos a: potential

    def rhs(y):
        p, a, w, v = y
        s, c = sin(a), cos(a)
        inertia, half_turn, mass, half_sway = masses(a)
        slope = weight * s + k * (2 * l * c - rest) * (-2 * l * s)
        return [w, v, -2 * half_turn * v * w / inertia, (half_turn * w ** 2 - half_sway * v ** 2 - slope) / mass]

    a0, w0 = pi / 4, mpf(5)
    rows, times = [], [mpf(i) / 5 for i in range(21)]
    for p, a, w, v in solve(rhs, [mpf(0), a0, w0, mpf(0)], times, 4):
        s, c = sin(a), cos(a)
        inertia, _, mass, _ = masses(a)
        kinetic = inertia * w ** 2 / 2 + mass * v ** 2 / 2
        potential = -weight * c + k * (2 * l * c - rest) ** 2 / 2
        row = {"axle.q": p, "axle.v": w, "guide.q": -2 * l * (c - cos(a0)), "guide.v": 2 * l * s * v,
               "arm1_pin.q": a - a0, "arm1_pin.v": v, "arm2_pin.q": a - a0, "arm2_pin.v": v,
               "ball1.x": l * s * cos(p), "ball1.y": l * s * sin(p), "ball1.z": -l * c,
               "ball2.x": -l * s * cos(p), "ball2.y": -l * s * sin(p), "ball2.z": -l * c,
               "ball1.vx": l * (c * v * cos(p) - s * sin(p) * w), "ball1.vy": l * (c * v * sin(p) + s * cos(p) * w),
               "ball1.vz": l * s * v, "energy.kinetic": kinetic, "energy.total": kinetic + potential}
        rows.append(row)
    h, d = number(l * sin(a0)), number(2 * l * cos(a0))
    model = """# polyform run apps/models/governor.yaml --output governor.csv
#
# Flyball governor: a shaft about z with two arms of 1 m, a ball of 2 kg at the end of each, and two links of 1 m
# and 0.6 kg from the balls to a collar of 3 kg on the shaft, which a spring pulls up. Two loops. The arms are massless,
# the balls points, the links thin rods. Own parameters (the IFToMM library's governor has the same shape); released at
# 5 rad/s, the arms at 45 degrees.
polyform: 1
name: flyball governor
gravity: [0, 0, -9.81]
bodies:
  - {name: shaft, position: [0, 0, 0], mass: 1, inertia: {xx: 0.2, yy: 0.2, zz: 0.2}}
  - {name: ball1, position: [H, 0, -H], mass: 2, inertia: {xx: 0, yy: 0, zz: 0}}
  - {name: ball2, position: [-H, 0, -H], mass: 2, inertia: {xx: 0, yy: 0, zz: 0}}
  - {name: link1, position: [H, 0, -H], orientation: {axis: [0, 1, 0], angle: A}, mass: 0.6, center_of_mass: [0.5, 0, 0],
     inertia: {xx: 0, yy: 0.05, zz: 0.05}}
  - {name: link2, position: [-H, 0, -H], orientation: {axis: [0, 1, 0], angle: B}, mass: 0.6, center_of_mass: [0.5, 0, 0],
     inertia: {xx: 0, yy: 0.05, zz: 0.05}}
  - {name: collar, position: [0, 0, -D], mass: 3, inertia: {xx: 0, yy: 0, zz: 0}}
joints:
  - {name: axle, type: revolute, base: ground, moving: shaft, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 5}}
  - {name: arm1_pin, type: revolute, base: shaft, moving: ball1, position: [0, 0, 0], axis: [0, -1, 0]}
  - {name: arm2_pin, type: revolute, base: shaft, moving: ball2, position: [0, 0, 0], axis: [0, 1, 0]}
  - {name: guide, type: prismatic, base: shaft, moving: collar, position: [0, 0, -D], axis: [0, 0, 1]}
  - {name: link1_pin, type: revolute, base: ball1, moving: link1, position: [H, 0, -H], axis: [0, 1, 0]}
  - {name: link2_pin, type: revolute, base: ball2, moving: link2, position: [-H, 0, -H], axis: [0, -1, 0]}
  - {name: collar1_pin, type: revolute, base: link1, moving: collar, position: [0, 0, -D], axis: [0, 1, 0], cut: true}
  - {name: collar2_pin, type: revolute, base: link2, moving: collar, position: [0, 0, -D], axis: [0, 1, 0], cut: true}
forces:
  - {name: spring, type: spring-damper, a: {body: shaft, point: [0, 0, 0]}, b: {body: collar, point: [0, 0, 0]}, stiffness: 40, free_length: 0.6}
simulation:
  duration: 4
  integrator: dopri5
  step: 0.001
  tolerance: {relative: 1.0e-12, absolute: 1.0e-13}
  output_interval: 0.04
""".replace("H", h).replace("A}", number(3 * a0) + "}").replace("B}", number(a0) + "}").replace("-D", "-" + d)
    write("governor", model, dict(
        source="Lagrange's equations in the turn of the shaft and the angle of the arms at 30 digits, extrapolation "
               "with tolerance 1e-18.",
        times=[float(t) for t in times], channels=columns(rows),
        tolerance=dict(position=1e-9, velocity=1e-8, joint=1e-9, joint_velocity=1e-8, energy=1e-8),
        notes=["The spatial loops are planar relative to the shaft: three redundant equations in each."]))


def bricard():
    """Bricard's orthogonal mechanism with links of equal length. Its joint angles are p, q, p, q, p, q, and the loop
    closes where (1 + sin p)(1 + sin q) = 1: a smooth closed curve. The free variable s runs along it with the speed u,
    p' = -F_q, q' = F_p of F = sin p + sin q + sin p sin q, for neither angle alone serves everywhere:
    M(s) u' + M'(s) u^2 / 2 + V'(s) = 0."""
    g, link_inertia = mpf("9.81"), mpf(1) / 12
    axes = [(0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0)]
    links = [(1, 0, 0), (0, -1, 0), (0, 0, 1), (-1, 0, 0), (0, 1, 0)]  # as drawn; the sixth is ground, along z

    def plus(a, b, factor=1):
        return [x + factor * y for x, y in zip(a, b)]

    def cross(a, b):
        return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]

    def dot(a, b):
        return sum(x * y for x, y in zip(a, b))

    def times(r, a):
        return [dot(row, a) for row in r]

    def turn(r, k, angle):
        """r with a further rotation about the drawn axis of joint k, one of x, y, z."""
        i = axes[k].index(1)
        j, m = (i + 1) % 3, (i + 2) % 3
        c, s, out = cos(angle), sin(angle), [list(row) for row in r]
        for row, new in zip(r, out):
            new[j], new[m] = c * row[j] + s * row[m], c * row[m] - s * row[j]
        return out

    def along(p, q):
        """(p', q') and (p'', q'') with respect to s."""
        first = (-cos(q) * (1 + sin(p)), cos(p) * (1 + sin(q)))
        return first, (sin(q) * first[1] * (1 + sin(p)) - cos(q) * cos(p) * first[0],
                       -sin(p) * first[0] * (1 + sin(q)) + cos(p) * cos(q) * first[1])

    def chain(p, q):
        """Per rod its origin, its rotation, and with respect to s: the origin's velocity, the angular velocity, and of
        the mass centre and of the rotation the first and second rates."""
        first, second = along(p, q)
        r = [[mpf(i == j) for j in range(3)] for i in range(3)]
        x, v, a, w, e = ([mpf(0)] * 3 for _ in range(5))
        rods = []
        for k, link in enumerate(links):
            n = times(r, axes[k])
            e = plus(plus(e, n, second[k % 2]), cross(w, n), first[k % 2])
            w = plus(w, n, first[k % 2])
            r = turn(r, k, (p, q)[k % 2])
            d = times(r, link)
            dv = cross(w, d)
            da = plus(cross(e, d), cross(w, dv))
            rods.append((x, v, w, e, plus(v, dv, mpf(1) / 2), plus(a, da, mpf(1) / 2), d, dv, da))
            x, v, a = plus(x, d), plus(v, dv), plus(a, da)
        closed = turn(r, 5, q)
        gap = max([abs(c) for c in plus(x, (0, 0, 1), -1)] +
                  [abs(closed[i][j] - (i == j)) for i in range(3) for j in range(3)])
        return rods, gap

    def rhs(y):
        p, q, u = y
        first, _ = along(p, q)
        rods, _ = chain(p, q)
        # A thin rod's rotational energy is link_inertia |d'|^2 / 2, d the vector along it.
        mass = sum(dot(c1, c1) + link_inertia * dot(d1, d1) for *_, c1, c2, d, d1, d2 in rods)
        half_slope = sum(dot(c1, c2) + link_inertia * dot(d1, d2) for *_, c1, c2, d, d1, d2 in rods)
        push = g * sum(c1[1] for *_, c1, c2, d, d1, d2 in rods)
        return [first[0] * u, first[1] * u, -(half_slope * u ** 2 + push) / mass]

    rows, instants = [], [mpf(i) / 2 for i in range(21)]
    names = ["R1", "R2", "R3", "R4", "R5"]
    for p, q, u in solve(rhs, [mpf(0), mpf(0), mpf(0)], instants, 8):
        first, _ = along(p, q)
        rods, gap = chain(p, q)
        assert gap < mpf(10) ** -15, "the loop is open"
        energy = g * sum(x[1] + d[1] / 2 for x, *_, d, d1, d2 in rods)
        energy += u ** 2 * sum(dot(c1, c1) + link_inertia * dot(d1, d1) for *_, c1, c2, d, d1, d2 in rods) / 2
        assert abs(energy + 3 * g) < mpf(10) ** -14, "the energy has changed"
        row = {"energy.total": -3 * g}
        for k, name in enumerate(names):
            row.update({name + ".q": (p, q)[k % 2], name + ".v": first[k % 2] * u})
        for k, (x, v, w, *_) in enumerate(rods):
            for axis, i in zip("xyz", range(3)):
                row.update({"rod%d.%s" % (k + 1, axis): x[i], "rod%d.v%s" % (k + 1, axis): v[i] * u,
                            "rod%d.w%s" % (k + 1, axis): w[i] * u})
        rows.append(row)
    rod = "  - {name: rod%d, position: [%d, %d, %d], mass: 1, center_of_mass: [%s], inertia: {%s}}\n"
    joint = "  - {name: R%d, type: revolute, base: %s, moving: %s, position: [%d, %d, %d], axis: [%d, %d, %d]%s}\n"
    bodies, joints, at = "", "", (0, 0, 0)
    for k, axis in enumerate(axes):
        joints += joint % (k + 1, "rod%d" % k if k else "ground", "rod%d" % (k + 1) if k < 5 else "ground", *at, *axis,
                           "" if k < 5 else ", cut: true")
        if k == 5:
            break
        bodies += rod % (k + 1, *at, ", ".join("%g" % (c / 2) for c in links[k]), ", ".join(
            "%s: %s" % (2 * name, 0 if c else number(link_inertia)) for name, c in zip("xyz", links[k])))
        at = tuple(plus(at, links[k]))
    model = """# polyform run apps/models/bricard.yaml --output bricard.csv
#
# Bricard's orthogonal mechanism: five rods along edges of a cube and ground as the sixth link, six revolute joints
# whose axes are in turn perpendicular. Counted joint by joint it has no freedom; in truth it has one, with one
# redundant constraint. The rods have no inertia about their own axes: the mass matrix of the bodies is singular as
# well.
polyform: 1
name: Bricard's mechanism
gravity: [0, -9.81, 0]
bodies:
BODIESjoints:
JOINTSsimulation:
  duration: 10
  integrator: dopri5
  step: 0.001
  tolerance: {relative: 1.0e-12, absolute: 1.0e-13}
  output_interval: 0.05
""".replace("BODIES", bodies).replace("JOINTS", joints)
    write("bricard", model, dict(
        source="Bricard's mechanism as in the IFToMM multibody benchmarks (A04); Lagrange's equation in one variable "
               "along the closed form of the loop, (1 + sin p)(1 + sin q) = 1, at 30 digits, extrapolation with "
               "tolerance 1e-18.",
        times=[float(t) for t in instants], channels=columns(rows),
        tolerance=dict(position=1e-9, velocity=1e-8, angular_velocity=1e-8, joint=1e-9, joint_velocity=1e-8,
                       energy=1e-8),
        notes=["The angles of R1, R3, R5 are p, those of R2, R4, R6 are q; both are zero as drawn, at rest.",
               "Reactions are left open by the redundant constraint."]))


def andrews():
    """Published: no equation is solved here. Geometry and values of the IVP test set."""
    par = dict(m1=.04325, m2=.00365, m3=.02373, m4=.00706, m5=.07050, m6=.00706, m7=.05498, i1=2.194e-6, i2=4.410e-7,
               i3=5.255e-6, i4=5.667e-7, i5=1.169e-5, i6=5.667e-7, i7=1.912e-5)
    xa, ya, xb, yb, xc, yc = -.06934, -.00227, -.03635, .03273, .014, .072
    d, da, e, ea, rr, ra, ss, sa, sb = .028, .0115, .02, .01421, .007, .00092, .035, .01874, .01043
    sc, sd, ta, tb, u, ua, ub, zf, zt, fa = .018, .02, .02308, .00916, .04, .01228, .00449, .02, .04, .01421
    start = [mpf(x) for x in (
        "-0.0617138900142764496358948458001", "0", "0.455279819163070380255912382449",
        "0.222668390165885884674473185609", "0.487364979543842550225598953530", "-0.222668390165885884674473185609",
        "1.23054744454982119249735015568")]
    end = [mpf(x) for x in ("15.81077119629904", "-15.75637105984298", "0.04082224013073101", "-0.5347301163226948",
                            "0.5244099658805304", "0.5347301163226948", "1.048080741042263")]
    rates = [mpf(x) for x in ("1139.920302151208", "-1424.379294994111", "11.03291221937134", "19.29337464421385",
                              "0.5735699284790808", "-19.29337464421385", "0.3231791658026955")]
    be, th, ga, ph, de, om, ep = start

    def turned(angle, x, y, at=(mpf(0), mpf(0))):
        """A vector of a frame at that angle, from a point."""
        return at[0] + cos(angle) * x - sin(angle) * y, at[1] + sin(angle) * x + cos(angle) * y

    crank_end = turned(be, rr, 0)
    hub = turned(be + th, -mpf(d), 0, crank_end)          # the point that all three arms hold
    a, b = (mpf(xa), mpf(ya)), (mpf(xb), mpf(yb))
    five_end, seven_end = turned(de, zt, 0, a), turned(ep, 0, -mpf(u), a)
    # Frames: x along the angle of the test set's coordinate; where that is measured from the normal, along the normal.
    bodies = [("K1", be, (0, 0), ra, 0, "m1", "i1"), ("K2", be + th, crank_end, -da, 0, "m2", "i2"),
              ("K3", ga, b, sb, -sa, "m3", "i3"), ("K4", ph + de, five_end, 0, -(e - ea), "m4", "i4"),
              ("K5", de, a, tb, ta, "m5", "i5"), ("K6", om + ep, seven_end, zf - fa, 0, "m6", "i6"),
              ("K7", ep, a, ub, -ua, "m7", "i7")]
    pins = [("beta", "ground", "K1", (0, 0)), ("theta", "K1", "K2", crank_end), ("gamma", "ground", "K3", b),
            ("delta", "ground", "K5", a), ("phi", "K5", "K4", five_end), ("epsilon", "ground", "K7", a),
            ("omega", "K7", "K6", seven_end), ("hub3", "K2", "K3", hub), ("hub4", "K2", "K4", hub),
            ("hub6", "K2", "K6", hub)]
    text = """# polyform run apps/models/andrews.yaml --output andrews.csv
#
# Andrews' squeezing mechanism: seven planar bodies, driven by a constant torque against a spring; IFToMM library of
# multibody benchmarks A03, with the parameters and the start of Hairer and Wanner, Solving Ordinary Differential
# Equations II, Sect. VII.7, and the IVP test set. The pins have the names of their angles. K3's, K5's and K7's mass
# centres matter by their distance from the pin alone. Only the moments of inertia about z matter.
polyform: 1
name: Andrews' squeezing mechanism
gravity: [0, 0, 0]
bodies:
"""
    for name, angle, at, x, y, m, i in bodies:
        text += ("  - {name: %s, position: [%s, %s, 0], orientation: {axis: [0, 0, 1], angle: %s}, mass: %r, "
                 "center_of_mass: [%r, %r, 0],\n     inertia: {xx: %r, yy: %r, zz: %r}}\n"
                 % (name, number(at[0]), number(at[1]), number(angle), par[m], float(x), float(y), par[i], par[i],
                    par[i]))
    text += "joints:\n"
    for name, base, moving, at in pins:
        text += ("  - {name: %s, type: revolute, base: %s, moving: %s, position: [%s, %s, 0], axis: [0, 0, 1]%s}\n"
                 % (name, base, moving, number(at[0]), number(at[1]), ", cut: true" if name.startswith("hub") else ""))
    text += """forces:
  - {name: drive, type: joint-force, joint: beta, effort: 0.033}
  - {name: spring, type: spring-damper, a: {body: K3, point: [%r, %r, 0]}, b: {body: ground, point: [%r, %r, 0]}, stiffness: 4530, free_length: 0.07785}
simulation:
  duration: 0.03
  integrator: dopri5
  step: 0.00001
  tolerance: {relative: 1.0e-12, absolute: 1.0e-13}
  output_interval: 0.0003
""" % (sd, -sc, xc, yc)
    names = ["beta", "theta", "gamma", "phi", "delta", "omega", "epsilon"]
    channels = {}
    for k, name in enumerate(names):
        channels[name + ".q"] = [0.0, float(end[k] - start[k])]
        channels[name + ".v"] = [0.0, float(rates[k])]
    write("andrews", text, dict(
        source="IFToMM multibody benchmark A03; published solution at 0.03 s: Hairer and Wanner, Solving Ordinary "
               "Differential Equations II, Sect. VII.7, and Test Set for IVP Solvers (Andrews' squeezing mechanism).",
        times=[0.0, 0.03], channels=channels, tolerance=dict(joint=1e-8, joint_velocity=1e-5),
        notes=["Angles are relative to the drawn configuration, which is that of the test set at t = 0.",
               "The mechanism is fast: the crank reaches 1140 rad/s; errors of rates are to be seen against that."]))


if __name__ == "__main__":
    chosen = sys.argv[1:] or ["simple_pendulum", "slider_crank", "governor", "bricard", "andrews"]
    for problem in chosen:
        globals()[problem]()
