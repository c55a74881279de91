"""Drawings of gears, springs, fields and drives."""

from drawings import DRAWINGS, drawing, two_bodies
from pen import Pen


@drawing("gear")
def gear():
    p = Pen()
    p.circle(130, 100, 46).circle(238, 100, 62).pin(130, 100).pin(238, 100)
    return p.turn(130, 100, 28, 20, 110, "p").turn(238, 100, 38, 110, 20, "q").arrow(176, 130, 176, 70, "F", dx=10, dy=-34)


@drawing("rack-and-pinion")
def rack_and_pinion():
    p = Pen()
    p.circle(210, 80, 50).pin(210, 80).turn(210, 80, 30, 20, 110, "φ").box(210, 142, 260, 22, round=3)
    return p.arrow(90, 172, 170, 172, "x", dy=-5).arrow(210, 131, 255, 131, "F", dx=28, dy=5)


@drawing("screw-thread")
def screw_thread():
    p = Pen()
    p.line((50, 100), (370, 100)).box(210, 100, 90, 70)
    for k in range(12):
        p.line((80 + 24 * k, 92), (88 + 24 * k, 108), thin=True)
    return p.turn(110, 100, 26, -70, 70, "φ").arrow(265, 60, 330, 60, "x")


@drawing("belt", "belt-drive")
def belt():
    p = Pen()
    p.circle(110, 105, 34).circle(300, 105, 54).pin(110, 105).pin(300, 105)
    p.line((106, 71), (294, 51)).line((106, 139), (294, 159))
    return p.turn(110, 105, 18, 20, 110, "").turn(300, 105, 34, 20, 110, "q").text(90, 60, "r₀", italic=True)


@drawing("computed-torque")
def computed_torque():
    p = Pen()
    p.line((60, 150), (170, 90)).line((170, 90), (300, 110)).pin(60, 150).pin(170, 90)
    p.turn(60, 150, 26, 0, 60, "").turn(170, 90, 26, -20, 60, "").text(62, 190, "τ₁").text(172, 130, "τ₂")
    return p.text(300, 60, "τ = M a + h(q, q̇)")


@drawing("differential-gear")
def differential_gear():
    p = Pen()
    p.box(210, 100, 110, 90, "cage").line((60, 100), (155, 100)).line((265, 100), (360, 100))
    p.turn(110, 100, 26, -70, 70, "").turn(310, 100, 26, -70, 70, "").text(110, 60, "left").text(310, 60, "right")
    return p.text(210, 172, "left + right = 2 cage")


@drawing("planetary-gear")
def planetary_gear():
    p = Pen()
    p.circle(210, 95, 80).circle(210, 95, 30, label="sun")
    for x, y in ((210, 40), (162, 122), (258, 122)):
        p.circle(x, y, 24)
    return p.text(320, 50, "ring").line((300, 56), (280, 66), thin=True).text(330, 150, "carrier")


@drawing("cam-profile")
def cam_profile():
    p = Pen()
    p.add('<path d="M150 110 C 150 70, 190 60, 220 80 C 260 105, 230 150, 190 150 C 165 150, 150 135, 150 110 Z" '
          'fill="currentColor" fill-opacity="0.09"/>')
    p.pin(190, 112).turn(190, 112, 24, 20, 110, "φ").box(300, 96, 110, 20, round=3).arrow(330, 70, 380, 70, "x")
    return p.line((240, 96), (245, 96))


@drawing("distance-rod")
def distance_rod():
    p = Pen()
    p.box(70, 110, 90, 80).box(350, 110, 90, 80).line((115, 110), (305, 110)).circle(115, 110, 5).circle(305, 110, 5)
    return p.arrow(115, 70, 305, 70, "length", both=True)


@drawing("constant-velocity")
def constant_velocity():
    p = Pen()
    p.line((40, 130), (190, 130)).circle(210, 122, 26).line((230, 110), (370, 50))
    return p.turn(90, 130, 24, -70, 70, "ω").turn(320, 72, 24, -40, 100, "ω")


@drawing("point-on-curve")
def point_on_curve():
    p = Pen()
    p.add('<path d="M40 140 C 120 20, 200 180, 380 60"/>').circle(214, 104, 7).box(240, 150, 90, 36, "moving")
    return p.line((214, 111), (222, 132)).arrow(120, 70, 178, 84, "way", dy=-10)


@drawing("nonlinear-spring", "gas-spring", "bump-stop")
def spring_with_law():
    p = Pen()
    p.box(50, 60, 60, 60).box(260, 60, 60, 60).spring(80, 60, 230, 60).arrow(80, 20, 230, 20, "l", both=True)
    p.arrow(300, 165, 400, 165, accent=False).arrow(310, 175, 310, 110, accent=False).text(400, 182, "l", italic=True)
    p.add('<path d="M312 160 C 350 158, 370 150, 390 112" class="accent"/>')
    return p.text(298, 112, "f", italic=True)


@drawing("bushing")
def bushing():
    p = Pen()
    p.circle(210, 95, 70).circle(210, 95, 26, label="b").text(262, 60, "a")
    p.spring(210, 121, 210, 163, 4, 6).spring(236, 95, 278, 95, 4, 6).spring(184, 95, 142, 95, 4, 6).spring(210, 69, 210, 27, 4, 6)
    return p.turn(210, 95, 44, 20, 70, "")


@drawing("central-gravity")
def central_gravity():
    p = Pen()
    p.circle(100, 100, 50, label="center").circle(330, 80, 16).line((150, 96), (314, 82), dashed=True, thin=True)
    return p.arrow(314, 82, 250, 87, "F").text(330, 118, "body").text(210, 120, "r", italic=True)


@drawing("magnets")
def magnets():
    p = Pen()
    p.box(100, 110, 90, 36, "N  S").box(310, 80, 90, 36, "N  S", turn=25)
    return p.arrow(120, 76, 70, 76, "m").arrow(145, 110, 185, 105, "F").arrow(268, 94, 228, 99, "F")


@drawing("magnetic-field")
def magnetic_field():
    p = Pen()
    for y in (40, 80, 120, 160):
        p.arrow(40, y, 380, y, accent=False)
    return p.box(210, 100, 100, 36, "body", turn=35).turn(210, 100, 70, 60, 10, "").text(390, 34, "B", italic=True)


@drawing("drag")
def drag():
    p = Pen()
    p.circle(200, 100, 44, label="body").arrow(250, 100, 330, 100, "v", accent=False).arrow(150, 100, 80, 100, "F")
    return p.arrow(380, 50, 320, 50, "wind", accent=False)


@drawing("hydraulic-cylinder")
def hydraulic_cylinder():
    p = Pen()
    p.line((90, 70), (290, 70)).line((90, 130), (290, 130)).line((90, 70), (90, 130)).line((290, 70), (290, 92))
    p.line((290, 108), (290, 130)).box(180, 100, 18, 58, round=2).line((189, 100), (370, 100))
    p.text(135, 105, "p₁", italic=True).text(240, 90, "p₂", italic=True).line((110, 70), (110, 40)).line((270, 70), (270, 40))
    return p.arrow(330, 80, 380, 80, "F").arrow(110, 34, 110, 62, "flow", dx=-24)


@drawing("synchronous-motor")
def synchronous_motor():
    p = Pen()
    p.circle(150, 100, 62).circle(150, 100, 34, label="N S")
    for x, y in ((150, 46), (103, 127), (197, 127)):
        p.box(x, y, 22, 14, round=2)
    return p.line((212, 100), (330, 100)).box(362, 100, 64, 46, "joint").turn(270, 100, 22, -70, 70, "ω")


@drawing("brush-tyre", "magic-formula-tyre")
def rolling_tyre():
    p = DRAWINGS["tyre"]()
    return p.arrow(200, 165, 130, 165, "Fx", dy=-6).arrow(150, 40, 90, 40, "v", accent=False).turn(200, 95, 50, 60, 130, "ω")
