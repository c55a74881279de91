"""Drawings of elements, by the name of the type. A type without one of its own is drawn as its kind."""

from pen import Pen

DRAWINGS = {}


def drawing(*names):
    def keep(function):
        for name in names:
            DRAWINGS[name] = function
        return function
    return keep


def two_bodies(gap=70):
    p = Pen()
    p.box(105 - gap / 4, 110, 130, 56, "base").box(315 + gap / 4, 110, 130, 56, "moving")
    return p


@drawing("fixed")
def fixed():
    p = Pen()
    p.box(130, 110, 160, 56, "base").box(290, 110, 160, 56, "moving")
    for k in range(6):
        p.line((204, 84 + 10 * k), (216, 90 + 10 * k))
    return p.text(210, 60, "no coordinate")


@drawing("revolute", "moving-hinge")
def revolute():
    p = two_bodies().pin(210, 110).line((152, 110), (205, 110)).line((215, 110), (268, 110))
    return p.turn(210, 110, 42, -20, 70, "q").text(210, 165, "axis towards you")


@drawing("prismatic")
def prismatic():
    p = Pen()
    p.box(110, 110, 150, 64, "base").box(300, 110, 130, 44, "moving")
    p.line((185, 92), (235, 92)).line((185, 128), (235, 128))
    p.line((10, 110), (35, 110), dashed=True, thin=True).line((185, 110), (235, 110), dashed=True, thin=True)
    p.axis(365, 110, 398, 110, "").text(385, 100, "axis")
    return p.arrow(185, 55, 262, 55, "q")


@drawing("cylindrical")
def cylindrical():
    p = prismatic()
    p.parts = [part for part in p.parts if ">q<" not in part]
    p.text(224, 47, "q₁", italic=True, accent=True)
    return p.turn(300, 110, 50, -50, -130, "q₂")


@drawing("planar")
def planar():
    p = Pen()
    p.add('<polygon points="40,150 310,150 385,70 115,70" fill="currentColor" fill-opacity="0.05"/>')
    p.text(78, 142, "base").box(225, 108, 100, 34, "moving")
    p.arrow(130, 128, 172, 128, "q₁", dy=16).arrow(130, 128, 152, 104, "q₂", dx=-12)
    p.turn(225, 100, 62, 15, 70, "q₃", flat=0.5)
    return p.axis(225, 90, 225, 25, "axis")


@drawing("universal")
def universal():
    p = two_bodies(90)
    p.line((147, 110), (178, 110), (178, 76), (210, 76)).line((178, 110), (178, 144), (210, 144))
    p.line((273, 110), (244, 110), (244, 94), (228, 94)).line((244, 110), (244, 126), (192, 126))
    p.line((210, 70), (210, 150)).line((186, 126), (234, 94)).point(210, 110)
    p.turn(210, 56, 26, 200, -20, "q₁", flat=0.45).turn(180, 150, 22, 150, 320, "q₂", flat=0.7)
    return p.text(218, 168, "axis", anchor="start").text(250, 84, "axis2", anchor="start")


@drawing("spherical")
def spherical():
    p = two_bodies().circle(210, 110, 13).line((197, 110), (152, 110)).line((223, 110), (268, 110))
    p.turn(210, 110, 34, 20, 140).turn(210, 110, 34, 200, 320)
    return p.text(210, 60, "quaternion w x y z").text(210, 172, "v: angular velocity")


@drawing("free")
def free():
    p = Pen()
    p.ground(30, 165, 120).text(90, 155, "base").box(300, 85, 130, 56, "moving", turn=18)
    p.line((90, 135), (300, 85), dashed=True, thin=True).arrow(90, 135, 130, 135).arrow(90, 135, 90, 95)
    p.turn(300, 85, 62, -20, 60)
    return p.text(210, 184, "three displacements, a quaternion")


@drawing("perpendicular")
def perpendicular():
    p = two_bodies(90)
    p.axis(130, 110, 130, 25, "axis, fixed in base").axis(290, 110, 340, 150, "axis2")
    return p.text(210, 178, "the angle between the two axes stays as drawn")


@drawing("parallel")
def parallel():
    p = two_bodies(90)
    p.axis(110, 80, 110, 25, "axis").axis(320, 80, 320, 25, "axis")
    p.turn(320, 60, 26, 200, -20, flat=0.45, label="q₄")
    return p.text(210, 178, "displacements along x, y, z; a turn about the axis")


@drawing("point-on-line")
def point_on_line():
    p = Pen()
    p.box(95, 120, 120, 70, "base").line((40, 70), (380, 70), dashed=True).text(375, 60, "axis")
    p.box(300, 120, 110, 50, "moving").line((300, 95), (270, 70)).circle(270, 70, 6)
    return p.arrow(160, 50, 258, 50, "q₁")


@drawing("point-on-plane")
def point_on_plane():
    p = Pen()
    p.add('<polygon points="40,160 310,160 385,90 115,90" fill="currentColor" fill-opacity="0.05"/>')
    p.text(78, 152, "base").box(260, 48, 110, 44, "moving").line((240, 70), (220, 120)).circle(220, 122, 6)
    return p.arrow(140, 145, 195, 145, "q₁", dy=14).arrow(140, 145, 165, 120, "q₂", dx=-12).axis(350, 100, 350, 40, "axis")


@drawing("cam")
def cam():
    p = Pen()
    p.line((100, 70), (300, 70), (300, 150), (100, 150), (100, 70))
    p.add('<path d="M100 120 C 150 60, 190 170, 240 110 S 290 100, 300 95" class="accent"/>')
    p.circle(205, 126, 6).line((205, 132), (205, 175)).axis(60, 110, 378, 110, "axis")
    return p.turn(320, 110, 26, -70, 70, "")\
        .text(352, 84, "q", italic=True, accent=True).text(205, 55, "lift(q)", italic=True, accent=True)


@drawing("spring-damper")
def spring_damper():
    p = Pen()
    p.box(60, 110, 80, 90).box(360, 110, 80, 90).point(90, 110, "a", -14, 5).point(330, 110, "b", 14, 5)
    p.spring(90, 92, 330, 92).damper(90, 132, 330, 132).line((90, 92), (90, 132)).line((330, 92), (330, 132))
    p.arrow(90, 45, 330, 45, "l", both=True)
    return p.arrow(90, 165, 130, 165, "T", dy=-5).arrow(330, 165, 290, 165, "T", dy=-5)


@drawing("rotational-spring-damper")
def rotational_spring_damper():
    p = two_bodies(90)
    p.add('<path d="M 210 110 m -4 0 a 4 4 0 1 1 8 0 a 8 8 0 1 1 -16 0 a 12 12 0 1 1 24 0 a 16 16 0 1 1 -32 0"/>')
    p.line((147, 110), (194, 110)).line((222, 110), (273, 110)).turn(210, 110, 52, 20, 75, "θ")
    return p.text(95, 72, "a").text(325, 72, "b")


@drawing("joint-spring-damper")
def joint_spring_damper():
    p = revolute()
    p.add('<path d="M 210 110 m -6 0 a 6 6 0 1 1 12 0 a 11 11 0 1 1 -22 0 a 16 16 0 1 1 32 0" class="accent"/>')
    return p.text(210, 30, "effort = −k (q − rest) − d q̇", italic=True)


@drawing("joint-force")
def joint_force():
    p = two_bodies().pin(210, 110).line((152, 110), (205, 110)).line((215, 110), (268, 110))
    p.turn(210, 110, 42, -20, 70, "τ").turn(210, 110, 42, 200, 110)
    return p.text(210, 172, "on moving as it reads, on base the opposite")


@drawing("point-force")
def point_force():
    p = Pen()
    p.box(160, 115, 190, 70, "body").point(235, 95, "point", -30, -6)
    return p.arrow(235, 95, 330, 45, "F").turn(235, 95, 40, -80, -5, "M")


@drawing("cable")
def cable():
    p = Pen()
    p.ground(90, 30, 240, 0).circle(150, 72, 22).circle(270, 72, 22).line((150, 30), (150, 72)).line((270, 30), (270, 72))
    p.line((128, 72), (128, 130)).line((292, 72), (292, 130)).line((150, 50), (270, 50))
    p.box(128, 150, 54, 40).box(292, 150, 54, 40)
    return p.arrow(104, 128, 104, 95, "T", dx=-10, dy=5).arrow(316, 128, 316, 95, "T", dx=10, dy=5)


@drawing("latch")
def latch():
    p = Pen()
    p.ground(40, 140, 340).box(130, 112, 90, 52, "moving").arrow(40, 60, 130, 60, "q")
    p.line((270, 140), (270, 92), (255, 104)).text(285, 84, "place", anchor="start")
    return p.line((270, 150), (270, 165), dashed=True)


@drawing("inertial-sensor")
def inertial_sensor():
    p = Pen()
    p.box(160, 110, 190, 70, "body").box(230, 100, 24, 24, round=3)
    p.arrow(230, 100, 300, 100).text(310, 105, "x", italic=True).arrow(230, 100, 230, 40).text(240, 42, "z", italic=True)
    return p.turn(230, 60, 24, 200, -20, flat=0.4).text(300, 160, "acceleration, angular velocity")


@drawing("contact")
def contact():
    p = Pen()
    p.circle(210, 95, 52).ground(60, 140, 300).text(188, 90, "a").text(90, 168, "b").point(210, 143)
    p.arrow(210, 140, 210, 30, "F", dx=14, dy=-10).arrow(210, 140, 120, 140, "Fₜ", dx=-14, dy=-8)
    p.arrow(240, 60, 300, 60, "v", dy=-6, accent=False)
    p.line((218, 148), (300, 164), thin=True)
    return p.text(304, 170, "overlap δ", anchor="start")


@drawing("tyre")
def tyre():
    p = Pen()
    p.ground(60, 165, 300).circle(200, 95, 72).circle(200, 95, 24).point(200, 95, "wheel", 44, -8)
    p.spring(200, 119, 200, 160, 4, 6).arrow(200, 165, 200, 125)
    p.arrow(300, 95, 300, 23, "R", dx=12, dy=6, both=True, accent=False)
    return p.text(236, 150, "N", italic=True, accent=True).line((200, 95), (310, 95), thin=True, dashed=True)


@drawing("aerodynamic-body")
def aerodynamic_body():
    p = Pen()
    p.add('<path d="M60 110 C 120 80, 280 80, 350 108 C 280 122, 120 124, 60 110 Z" fill="currentColor" fill-opacity="0.09"/>')
    p.point(230, 103).arrow(230, 103, 250, 30, "lift", dx=22).arrow(230, 103, 160, 150, "drag", dx=-22, dy=4)
    p.arrow(400, 150, 340, 132, "wind", dy=22, accent=False).arrow(350, 108, 405, 108, accent=False)
    return p.text(398, 100, "x", italic=True).turn(230, 103, 90, 0, 22, "Cₘ")


@drawing("blade-elements")
def blade_elements():
    p = Pen()
    p.circle(50, 100, 16)
    for k in range(6):
        p.box(100 + 48 * k, 100, 46, 44 - 3 * k, round=2)
    p.axis(50, 100, 395, 100, "y").arrow(244, 100, 244, 35, "lift", dx=20).arrow(244, 100, 275, 140, "drag", dx=36, dy=18)
    return p.text(140, 160, "strips: middle, width, chord, twist")


@drawing("sliding-friction")
def sliding_friction():
    p = Pen()
    p.ground(50, 145, 320).box(200, 118, 120, 52, "body").arrow(270, 80, 340, 80, "v", accent=False)
    return p.arrow(200, 145, 110, 145, "−F", dy=-8)


def of_kind(kind, fields):
    """The plainest drawing that fits: what the fields of a type say that it is attached to."""
    names = {f["name"] for f in fields}
    if kind == "joint":
        return two_bodies().circle(210, 110, 12).line((152, 110), (198, 110)).line((222, 110), (268, 110))
    if kind == "flexible body":
        return DRAWINGS["modal-body"]()
    if {"joint", "other_joint"} <= names:
        return DRAWINGS["coupled"]()
    if "joint" in names:
        return joint_force()
    if {"a", "b"} <= names:
        p = Pen()
        p.box(80, 110, 100, 70).box(340, 110, 100, 70).point(130, 110, "a", -14, 5).point(290, 110, "b", 14, 5)
        return p.arrow(130, 110, 180, 110).arrow(290, 110, 240, 110)
    return point_force()


def draw(kind, name, fields):
    pen = DRAWINGS[name]() if name in DRAWINGS else of_kind(kind, fields)
    return pen.svg(f"Drawing of {name}")
