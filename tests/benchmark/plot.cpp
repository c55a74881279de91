// Nanoseconds per body against bodies, both logarithmic, one panel per system, as SVG.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/benchmark/results.hpp"

namespace polyform::benchmark {
namespace {

constexpr double panel_width = 380, panel_height = 290, left = 58, right = 14, top = 34, bottom = 40;
constexpr std::size_t per_line = 2;
constexpr double plot_width = per_line * panel_width;
constexpr std::array colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000",
                             "#e69f00", "#56b4e9", "#7a4f9a", "#7f7f7f", "#a0522d"};

struct Range {
  double low = 1e300, high = 0;
  void add(double x) {
    low = std::min(low, x);
    high = std::max(high, x);
  }
  /// A little room at both ends.
  void widen() {
    low /= 1.5;
    high *= 1.5;
  }
  double first_decade() const { return std::pow(10, std::ceil(std::log10(low))); }
  double at(double x) const { return std::log(x / low) / std::log(high / low); }
};

std::string text(double x, double y, const char* anchor, const std::string& words, const char* more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more, words);
}
std::string line(double x1, double y1, double x2, double y2, const char* colour) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1, x2, y2,
                     colour);
}
constexpr const char* dashed = " stroke-dasharray=\"6 3\"";
/// Round: a formulation; square: an engine. Hollow: the accelerations differ.
std::string mark(double x, double y, bool formulation, bool good, const char* colour) {
  const char* fill = good ? colour : "white";
  return formulation ? fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\" stroke=\"{}\"/>\n", x, y,
                                   fill, colour)
                     : fmt::format(
                           "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"6\" height=\"6\" fill=\"{}\" "
                           "stroke=\"{}\"/>\n",
                           x - 3, y - 3, fill, colour);
}
std::string decade(double x) { return x < 99999 ? fmt::format("{:.0f}", x) : fmt::format("1e{:.0f}", std::log10(x)); }

class Panel {
 public:
  Panel(const Results& results, std::string system, Range x, Range y, double x0, double y0)
      : results_(results), system_(std::move(system)), x_(x), y_(y), x0_(x0 + left), y0_(y0 + top) {}

  std::string draw() const {
    std::string svg = axes();
    for (std::size_t i = 0; i < results_.columns.size(); ++i) svg += curve(i);
    return svg;
  }

 private:
  static constexpr double width = panel_width - left - right, height = panel_height - top - bottom;

  double x(double n) const { return x0_ + width * x_.at(n); }
  double y(double ns) const { return y0_ + height * (1 - y_.at(ns)); }

  std::string axes() const {
    std::string svg = text(x0_ + width / 2, y0_ - 12, "middle", system_, " font-weight=\"bold\"");
    for (double n = x_.first_decade(); n < x_.high; n *= 10) {
      svg += line(x(n), y0_, x(n), y0_ + height, "#dddddd");
      svg += text(x(n), y0_ + height + 15, "middle", decade(n));
    }
    for (double ns = y_.first_decade(); ns < y_.high; ns *= 10) {
      svg += line(x0_, y(ns), x0_ + width, y(ns), "#dddddd");
      svg += text(x0_ - 6, y(ns) + 4, "end", decade(ns));
    }
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" stroke=\"#444444\"/>\n", x0_,
        y0_, width, height);
    svg += text(x0_ + width / 2, y0_ + height + 31, "middle", "bodies");
    return svg;
  }
  std::string curve(std::size_t column) const {
    const char* colour = colours[column % colours.size()];
    const bool formulation = results_.columns[column].formulation;
    std::string points, marks;
    for (const Row& row : results_.rows) {
      const Cell& cell = row.cells[column];
      if (row.system != system_ || cell.kind == Cell::Kind::cannot) continue;
      const double n = static_cast<double>(row.bodies), u = x(n), v = y(1e9 * cell.seconds / n);
      points += fmt::format("{:.1f},{:.1f} ", u, v);
      marks += mark(u, v, formulation, cell.kind == Cell::Kind::good, colour);
    }
    return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{}/>\n{}", points, colour,
                       formulation ? "" : dashed, marks);
  }

  const Results& results_;
  std::string system_;
  Range x_, y_;
  double x0_, y0_;
};

/// What the colours and marks mean, on as many lines as it takes.
class Legend {
 public:
  explicit Legend(const Results& results) {
    svg_ = text(left, 18, "start", "nanoseconds per body and evaluation, one thread", " font-weight=\"bold\"");
    for (std::size_t i = 0; i < results.columns.size(); ++i) {
      const Column& column = results.columns[i];
      const char* colour = colours[i % colours.size()];
      const double x = next(column.name);
      svg_ += fmt::format(
          "<line x1=\"{0:.1f}\" y1=\"{2:.1f}\" x2=\"{1:.1f}\" y2=\"{2:.1f}\" stroke=\"{3}\" stroke-width=\"2\"{4}/>\n",
          x, x + sample, y_, colour, column.formulation ? "" : dashed);
      svg_ += mark(x + sample / 2, y_, column.formulation, true, colour);
      svg_ += text(x + sample + gap, y_ + 4, "start", column.name);
    }
    const std::string hollow = "hollow: accelerations differ from those of the first";
    const double x = next(hollow);
    svg_ += mark(x + 6, y_, true, false, "#444444") + mark(x + 18, y_, false, false, "#444444");
    svg_ += text(x + sample + gap, y_ + 4, "start", hollow);
  }
  const std::string& svg() const { return svg_; }
  double height() const { return y_ + 10; }

 private:
  static constexpr double sample = 26, gap = 5, between = 19, line_height = 20;

  /// Where an entry begins: on the next line when this one is full.
  double next(const std::string& words) {
    const double entry = sample + gap + 7.5 * static_cast<double>(words.size());
    if (x_ > left && x_ + entry > plot_width - right) {
      x_ = left;
      y_ += line_height;
    }
    const double x = x_;
    x_ += entry + between;
    return x;
  }

  std::string svg_;
  double x_ = left, y_ = 38;
};

}  // namespace

std::string plot(const Results& results) {
  Range x, y;
  std::vector<std::string> systems;
  for (const Row& row : results.rows)
    for (const Cell& cell : row.cells) {
      if (cell.kind == Cell::Kind::cannot) continue;
      x.add(static_cast<double>(row.bodies));
      y.add(1e9 * cell.seconds / static_cast<double>(row.bodies));
      if (systems.empty() || systems.back() != row.system) systems.push_back(row.system);
    }
  if (systems.empty()) x = y = {1, 10};
  x.widen();
  y.widen();
  const double lines = std::ceil(static_cast<double>(systems.size()) / per_line);
  const Legend legend(results);
  const double height = legend.height() + lines * panel_height;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      plot_width, height);
  svg += legend.svg();
  for (std::size_t i = 0; i < systems.size(); ++i) {
    const double x0 = panel_width * static_cast<double>(i % per_line);
    const double y0 = legend.height() + panel_height * static_cast<double>(i / per_line);
    svg += Panel(results, systems[i], x, y, x0, y0).draw();
  }
  return svg + "</svg>\n";
}

}  // namespace polyform::benchmark
