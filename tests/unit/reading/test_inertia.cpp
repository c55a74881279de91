// Inertias that no body has: by rounding, which is mended, or by mistake, which is told.
#include <catch2/catch.hpp>
#include <string>

#include "framework/host/reading/inertia.hpp"
#include "framework/host/reading/reader.hpp"
#include "tests/unit/reading/fake_catalog.hpp"

using namespace polyform;
using namespace polyform::host;
using namespace polyform::host::testing;
using Catch::Contains;

namespace {

struct ReadBodies {
  Diagnostics said;
  Description model;
  std::string text() const { return said.all().empty() ? "" : host::format(said.all().front()); }
};

ReadBodies read(const std::string& text, bool lenient = false) {
  ReadBodies r;
  bool missing = false;
  r.model = read_model_text("polyform: 1\n" + text, "m.yaml", fake_catalog(), r.said, missing, {lenient});
  return r;
}

ReadBodies body(const std::string& entries, bool lenient = false) {
  return read("bodies:\n  - {name: b, " + entries + "}\n", lenient);
}

}  // namespace

TEST_CASE("what rounding leaves of a tensor that was moved is mended without a word") {
  // A point mass about its own centre: m c² − m c², in doubles.
  const ReadBodies point = body("mass: 1.7, center_of_mass: [0.3, 0, 0.1], inertia: {xx: -2.1e-18, yy: 4e-19, zz: 0}");
  CHECK(point.text() == "");
  CHECK(shortfall(point.model.bodies[0].inertia) == 0);
  CHECK(point.model.bodies[0].inertia.xx >= 0);
  // The same in axes of its own, where no element tells the sign of the principal moments.
  const ReadBodies turned =
      body("mass: 1.7, center_of_mass: [0.3, 0, 0.1], inertia: {xx: 1e-18, yy: 1e-18, zz: 1e-18, xy: 2e-18}");
  CHECK(turned.text() == "");
  CHECK(shortfall(turned.model.bodies[0].inertia) <= 1e-33);
  // A massless frame, whose tensor was subtracted from another's.
  const ReadBodies frame = read(
      "bodies:\n  - {name: a, mass: 12, inertia: {xx: 1, yy: 1, zz: 1}}\n"
      "  - {name: b, mass: 0, center_of_mass: [0.1, 0, 0], inertia: {xx: -1e-19, yy: 0, zz: 0}}\n");
  CHECK(frame.text() == "");
  CHECK(shortfall(frame.model.bodies[1].inertia) == 0);
}

TEST_CASE("the size of a body that rounding is judged by grows with its distances and its mass") {
  const auto sound = [](const char* mass, const char* centre, const char* xx) {
    return body(std::string("mass: ") + mass + ", center_of_mass: [" + centre + ", 0, 0], inertia: {xx: " + xx +
                ", yy: 0, zz: 0}")
        .text()
        .empty();
  };
  CHECK(sound("1", "1", "-1e-14"));
  CHECK_FALSE(sound("1", "1", "-1e-11"));
  CHECK(sound("1", "100", "-1e-11"));
  CHECK(sound("1e4", "1", "-1e-11"));
  CHECK_FALSE(sound("1e-4", "1", "-1e-14"));
}

TEST_CASE("an inertia of a sound body is not touched, and that of a slender rod neither") {
  for (const char* inertia : {"{xx: 0, yy: 0.0833, zz: 0.0833}", "{xx: 1, yy: 2, zz: 3}", "{xx: 0, yy: 0, zz: 0}",
                              "{xx: 2, yy: 3, zz: 4, xy: 0.5, xz: -0.25, yz: 0.125}"}) {
    const ReadBodies r = body(std::string("mass: 1, inertia: ") + inertia);
    CHECK(r.text() == "");
    const Sym3& j = r.model.bodies[0].inertia;
    CHECK(mended(j).xx == Approx(j.xx).margin(1e-15));
    CHECK(mended(j).yz == Approx(j.yz).margin(1e-15));
  }
  CHECK(body("mass: 1, inertia: {xx: 1, yy: 2, zz: 3}").model.bodies[0].inertia.zz == 3);
}

TEST_CASE("the nearest inertia of a body is one, in any axes") {
  // Second moments 1, 2 and −1e-3 in axes turned by 0.6 rad about z: the last becomes 0, the others stay.
  const double c = std::cos(0.6), s = std::sin(0.6), a = 1, b = 2, z = -1e-3;
  const double xx = a * c * c + b * s * s, yy = a * s * s + b * c * c, xy = (a - b) * c * s, trace = a + b + z;
  const Sym3 j{trace - xx, trace - yy, trace - z, -xy, 0, 0};
  CHECK(shortfall(j) == Approx(1e-3).epsilon(1e-12));
  const Sym3 good = mended(j);
  CHECK(shortfall(good) < 1e-15);
  CHECK(good.xx == Approx(a + b - xx).epsilon(1e-14));
  CHECK(good.yy == Approx(a + b - yy).epsilon(1e-14));
  CHECK(good.zz == Approx(a + b).epsilon(1e-14));
  CHECK(good.xy == Approx(-xy).epsilon(1e-13));
}

TEST_CASE("beyond rounding it is an error, and a warning where the model or the command is lenient") {
  const std::string entries = "mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.3}";
  const ReadBodies strict = body(entries), lenient = body(entries, true);
  CHECK(strict.said.failed());
  CHECK_THAT(strict.text(), Contains("triangle") && Contains("--lenient"));
  CHECK_FALSE(lenient.said.failed());
  CHECK_THAT(lenient.text(), Contains("warning") && Contains("used as it is given"));
  CHECK(lenient.model.bodies[0].inertia.zz == 0.3);
  CHECK_FALSE(read("lenient: true\nbodies:\n  - {name: b, " + entries + "}\n").said.failed());
  CHECK(read("lenient: false\nbodies:\n  - {name: b, " + entries + "}\n").said.failed());
  CHECK(body("mass: 1, inertia: {xx: -0.1, yy: 0.1, zz: 0.1}").said.failed());
  CHECK(body("mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1, xy: 0.2}").said.failed());
}
