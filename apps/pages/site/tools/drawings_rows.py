"""Drawings of constraints, modules and flexible bodies."""

from drawings import drawing, two_bodies
from pen import Pen


@drawing("rolling-disc")
def rolling_disc():
    p = Pen()
    p.ground(50, 160, 320).add('<ellipse cx="210" cy="95" rx="40" ry="66" transform="rotate(12 210 95)" fill="currentColor" fill-opacity="0.09"/>')
    p.point(197, 158, "v = 0", 34, 22).axis(210, 95, 290, 78, "axis").arrow(197, 158, 197, 105, "normal", dx=-28)
    return p.arrow(197, 158, 130, 158, "tangent", dy=-8)


@drawing("knife-edge")
def knife_edge():
    p = Pen()
    p.add('<polygon points="40,165 310,165 385,80 115,80" fill="currentColor" fill-opacity="0.05"/>')
    p.line((150, 145), (270, 105)).point(210, 125).arrow(210, 125, 300, 95, "v", accent=False)
    p.arrow(210, 125, 190, 80, "force", dx=-26)
    return p.text(215, 40, "no velocity across the edge")


@drawing("prescribed-motion")
def prescribed_motion():
    p = two_bodies().pin(210, 110).line((152, 110), (205, 110)).line((215, 110), (268, 110))
    return p.turn(210, 110, 42, -20, 70, "").text(276, 70, "q = x(t)", italic=True, accent=True)


@drawing("joint-coupling")
def joint_coupling():
    p = Pen()
    p.circle(130, 105, 56).circle(250, 105, 62).pin(130, 105).pin(250, 105)
    p.turn(130, 105, 34, 20, 110, "p").turn(250, 105, 38, 110, 20, "q")
    return p.text(350, 110, "q = c(p)", italic=True)


@drawing("dc-motor")
def dc_motor():
    p = Pen()
    p.line((40, 60), (120, 60), (120, 75)).line((40, 150), (120, 150), (120, 135)).circle(120, 105, 30, label="M")
    p.text(28, 110, "V", italic=True).arrow(50, 60, 85, 60, "i").spring(62, 150, 100, 150, 4, 5)
    p.line((150, 105), (215, 105)).turn(180, 105, 24, -70, 70, "ω").box(240, 105, 46, 60, "n")
    return p.line((263, 105), (330, 105)).box(365, 105, 70, 50, "joint").turn(300, 105, 22, -70, 70)


@drawing("geared-shaft")
def geared_shaft():
    p = Pen()
    p.line((110, 60), (310, 60)).box(130, 60, 16, 50, round=3).box(290, 60, 16, 66, round=3)
    p.box(130, 125, 16, 76, round=3).box(290, 132, 16, 74, round=3)
    p.line((70, 125), (160, 125)).line((260, 132), (350, 132)).turn(210, 60, 22, -70, 70, "ω")
    return p.text(60, 150, "joint").text(362, 158, "other joint").text(108, 60, "n₁", italic=True).text(314, 60, "n₂", italic=True)


@drawing("rotor")
def rotor():
    p = Pen()
    p.circle(120, 100, 44, label="J").line((164, 100), (225, 100)).turn(195, 100, 22, -70, 70, "ω").box(250, 100, 46, 60, "n")
    return p.line((273, 100), (330, 100)).box(365, 100, 70, 50, "joint")


@drawing("circuit-branch")
def circuit_branch():
    p = Pen()
    p.circle(70, 100, 20, label="V").line((90, 100), (125, 100)).box(150, 100, 50, 20, "R", round=2).line((175, 100), (200, 100))
    p.add('<path d="M200 100 q 8 -22 16 0 q 8 -22 16 0 q 8 -22 16 0 q 8 -22 16 0"/>').text(232, 74, "L", italic=True)
    p.line((264, 100), (300, 100)).line((300, 78), (300, 122)).line((310, 78), (310, 122)).line((310, 100), (370, 100))
    return p.text(305, 68, "C", italic=True).arrow(330, 88, 365, 88, "i", dy=-6).line((50, 100), (30, 100)).point(30, 100).point(370, 100)


@drawing("acceleration-law")
def acceleration_law():
    p = two_bodies().pin(210, 110).line((152, 110), (205, 110)).line((215, 110), (268, 110))
    return p.turn(210, 110, 42, -20, 70, "").text(210, 35, "q̈ = a(t) − d q̇ − k q", italic=True)


@drawing("flexible-beam")
def flexible_beam():
    p = Pen()
    p.axis(60, 120, 375, 120, "x").arrow(60, 120, 60, 50).text(70, 56, "y", italic=True)
    p.add('<path d="M60 120 C 140 120, 240 100, 350 50" stroke-width="7" opacity="0.35"/><path d="M60 120 C 140 120, 240 100, 350 50"/>')
    return p.arrow(350, 120, 350, 58, "η₁ f₁(l)", dx=-36, dy=8).arrow(60, 150, 350, 150, "l", both=True, accent=False)


@drawing("modal-body")
def modal_body():
    p = Pen()
    nodes = [(70, 130), (150, 120), (150, 70), (230, 115), (230, 60), (310, 105), (310, 45)]
    for a, b in ((0, 1), (0, 2), (1, 2), (1, 3), (2, 4), (3, 4), (1, 4), (3, 5), (4, 6), (5, 6), (3, 6)):
        p.line(nodes[a], nodes[b], thin=True)
    for x, y in nodes:
        p.point(x, y)
    return p.arrow(310, 45, 340, 20, "Φη", dx=24, dy=8).text(210, 165, "nodes, mode shapes")


@drawing("coupled")
def coupled():
    p = Pen()
    p.box(100, 60, 110, 44, "module").box(320, 60, 110, 44, "module").circle(210, 140, 9)
    p.line((100, 82), (203, 134)).line((320, 82), (217, 134))
    return p.text(210, 172, "Σ terms = value", italic=True)
