// The Dormand-Prince method of order 8 with two error estimates, of order 5 and 3, and dense output of order 7:
// E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I, 2nd ed., section II.5 (method), II.6
// (dense output) and the coefficients of their code DOP853.
#include <array>
#include <cmath>
#include <span>

#include "embedded.hpp"
#include "polyform/helpers/larger.hpp"
#include "runge_kutta.hpp"

namespace polyform::runge_kutta {

namespace {

/// A stage of the method, counted from 0, with its weight in a sum.
struct Term {
  std::size_t stage;
  double weight;
};
using Terms = std::span<const Term>;

// Where and from what each stage is evaluated. Stage 0 is the start of the step, 12 its end, 13 to 15 serve the dense
// output alone.
constexpr double nodes[] = {0,
                            0.0526001519587677318785587544488,
                            0.0789002279381515978178381316732,
                            0.118350341907227396726757197510,
                            0.281649658092772603273242802490,
                            1.0 / 3,
                            0.25,
                            4.0 / 13,
                            0.651282051282051282051282051282,
                            0.6,
                            6.0 / 7,
                            1,
                            1,
                            0.1,
                            0.2,
                            7.0 / 9};
constexpr Term from_1[] = {{0, 5.26001519587677318785587544488e-2}};
constexpr Term from_2[] = {{0, 1.97250569845378994544595329183e-2}, {1, 5.91751709536136983633785987549e-2}};
constexpr Term from_3[] = {{0, 2.95875854768068491816892993775e-2}, {2, 8.87627564304205475450678981324e-2}};
constexpr Term from_4[] = {{0, 2.41365134159266685502369798665e-1},
                           {2, -8.84549479328286085344864962717e-1},
                           {3, 9.24834003261792003115737966543e-1}};
constexpr Term from_5[] = {
    {0, 1.0 / 27}, {3, 1.70828608729473871279604482173e-1}, {4, 1.25467687566822425016691814123e-1}};
constexpr Term from_6[] = {{0, 3.7109375e-2},
                           {3, 1.70252211019544039314978060272e-1},
                           {4, 6.02165389804559606850219397283e-2},
                           {5, -1.7578125e-2}};
constexpr Term from_7[] = {{0, 3.70920001185047927108779319836e-2},
                           {3, 1.70383925712239993810214054705e-1},
                           {4, 1.07262030446373284651809199168e-1},
                           {5, -1.53194377486244017527936158236e-2},
                           {6, 8.27378916381402288758473766002e-3}};
constexpr Term from_8[] = {{0, 6.24110958716075717114429577812e-1},  {3, -3.36089262944694129406857109825},
                           {4, -8.68219346841726006818189891453e-1}, {5, 2.75920996994467083049415600797e1},
                           {6, 2.01540675504778934086186788979e1},   {7, -4.34898841810699588477366255144e1}};
constexpr Term from_9[] = {{0, 4.77662536438264365890433908527e-1},  {3, -2.48811461997166764192642586468},
                           {4, -5.90290826836842996371446475743e-1}, {5, 2.12300514481811942347288949897e1},
                           {6, 1.52792336328824235832596922938e1},   {7, -3.32882109689848629194453265587e1},
                           {8, -2.03312017085086261358222928593e-2}};
constexpr Term from_10[] = {{0, -9.3714243008598732571704021658e-1}, {3, 5.18637242884406370830023853209},
                            {4, 1.09143734899672957818500254654},    {5, -8.14978701074692612513997267357},
                            {6, -1.85200656599969598641566180701e1}, {7, 2.27394870993505042818970056734e1},
                            {8, 2.49360555267965238987089396762},    {9, -3.0467644718982195003823669022}};
constexpr Term from_11[] = {{0, 2.27331014751653820792359768449},    {3, -1.05344954667372501984066689879e1},
                            {4, -2.00087205822486249909675718444},   {5, -1.79589318631187989172765950534e1},
                            {6, 2.79488845294199600508499808837e1},  {7, -2.85899827713502369474065508674},
                            {8, -8.87285693353062954433549289258},   {9, 1.23605671757943030647266201528e1},
                            {10, 6.43392746015763530355970484046e-1}};
constexpr Term order_8[] = {{0, 5.42937341165687622380535766363e-2},  {5, 4.45031289275240888144113950566},
                            {6, 1.89151789931450038304281599044},     {7, -5.8012039600105847814672114227},
                            {8, 3.1116436695781989440891606237e-1},   {9, -1.52160949662516078556178806805e-1},
                            {10, 2.01365400804030348374776537501e-1}, {11, 4.47106157277725905176885569043e-2}};
constexpr Term from_13[] = {{0, 5.61675022830479523392909219681e-2},  {6, 2.53500210216624811088794765333e-1},
                            {7, -2.46239037470802489917441475441e-1}, {8, -1.24191423263816360469010140626e-1},
                            {9, 1.5329179827876569731206322685e-1},   {10, 8.20105229563468988491666602057e-3},
                            {11, 7.56789766054569976138603589584e-3}, {12, -8.298e-3}};
constexpr Term from_14[] = {{0, 3.18346481635021405060768473261e-2},   {5, 2.83009096723667755288322961402e-2},
                            {6, 5.35419883074385676223797384372e-2},   {7, -5.49237485713909884646569340306e-2},
                            {10, -1.08347328697249322858509316994e-4}, {11, 3.82571090835658412954920192323e-4},
                            {12, -3.40465008687404560802977114492e-4}, {13, 1.41312443674632500278074618366e-1}};
constexpr Term from_15[] = {{0, -4.28896301583791923408573538692e-1}, {5, -4.69762141536116384314449447206},
                            {6, 7.68342119606259904184240953878},     {7, 4.06898981839711007970213554331},
                            {8, 3.56727187455281109270669543021e-1},  {12, -1.39902416515901462129418009734e-3},
                            {13, 2.9475147891527723389556272149},     {14, -9.15095847217987001081870187138}};
constexpr std::array<Terms, 12> before_end = {Terms{}, from_1, from_2, from_3, from_4,  from_5,
                                              from_6,  from_7, from_8, from_9, from_10, from_11};
constexpr std::array<Terms, 3> for_output = {from_13, from_14, from_15};

// What the sums of order 5 and 3 differ by from the one of order 8.
constexpr Term error_5[] = {{0, 0.01312004499419488073250102996},  {5, -1.225156446376204440720569753},
                            {6, -0.4957589496572501915214079952},  {7, 1.664377182454986536961530415},
                            {8, -0.3503288487499736816886487290},  {9, 0.3341791187130174790297318841},
                            {10, 0.08192320648511571246570742613}, {11, -0.02235530786388629525884427845}};
constexpr Term order_3[] = {{0, 0.244094488188976377952755905512},
                            {8, 0.733846688281611857341361741547},
                            {11, 0.0220588235294117647058823529412}};

// The coefficients of the dense output's polynomial beyond those that the ends give.
constexpr Term dense_4[] = {{0, -8.4289382761090128651353491142},    {5, 0.56671495351937776962531783590},
                            {6, -3.0689499459498916912797304727},    {7, 2.3846676565120698287728149680},
                            {8, 2.1170345824450282767155149946},     {9, -0.87139158377797299206789907490},
                            {10, 2.2404374302607882758541771650},    {11, 0.63157877876946881815570249290},
                            {12, -0.088990336451333310820698117400}, {13, 18.148505520854727256656404962},
                            {14, -9.1946323924783554000451984436},   {15, -4.4360363875948939664310572000}};
constexpr Term dense_5[] = {
    {0, 10.427508642579134603413151009},   {5, 242.28349177525818288430175319},   {6, 165.20045171727028198505394887},
    {7, -374.54675472269020279518312152},  {8, -22.113666853125306036270938578},  {9, 7.7334326684722638389603898808},
    {10, -30.674084731089398182061213626}, {11, -9.3321305264302278729567221706}, {12, 15.697238121770843886131091075},
    {13, -31.139403219565177677282850411}, {14, -9.3529243588444783865713862664}, {15, 35.816841486394083752465898540}};
constexpr Term dense_6[] = {
    {0, 19.985053242002433820987653617},   {5, -387.03730874935176555105901742},  {6, -189.17813819516756882830838328},
    {7, 527.80815920542364900561016686},   {8, -11.573902539959630126141871134},  {9, 6.8812326946963000169666922661},
    {10, -1.0006050966910838403183860980}, {11, 0.77771377980534432092869265740}, {12, -2.7782057523535084065932004339},
    {13, -60.196695231264120758267380846}, {14, 84.320405506677161018159903784},  {15, 11.992291136182789328035130030}};
constexpr Term dense_7[] = {
    {0, -25.693933462703749003312586129}, {5, -154.18974869023643374053993627},  {6, -231.52937917604549567536039109},
    {7, 357.63911791061412378285349910},  {8, 93.405324183624310003907691704},   {9, -37.458323136451633156875139351},
    {10, 104.09964950896230045147246184}, {11, 29.840293426660503123344363579},  {12, -43.533456590011143754432175058},
    {13, 96.324553959188282948394950600}, {14, -39.177261675615439165231486172}, {15, -149.72683625798562581422125276}};
constexpr std::array<Terms, 4> dense = {dense_4, dense_5, dense_6, dense_7};

class Dop853 {
 public:
  static constexpr std::string_view name = "dop853";
  static constexpr std::string_view meaning = "adaptive Dormand-Prince 8(5,3) Runge-Kutta method, for tight tolerances";
  static constexpr std::string_view source =
      "Hairer, Norsett, Wanner: Solving Ordinary Differential Equations I, 2nd ed. (1993), II.5 and II.6";
  static constexpr int order = 8, preference = 90;
  static constexpr StepRule rule{8, 0, 1.0 / 3, 6};
  static constexpr bool gives_end_rate = false;
  static const BatchIntegration* in_lanes() { return nullptr; }

  explicit Dop853(std::size_t states) : error_5_(states), error_3_(states), stage_(states) {
    for (State& rate : rates_) rate.resize(states);
    for (State& coefficient : polynomial_) coefficient.resize(states);
  }

  void step(Stages& stages, const Step& step, State& end, State&) {
    start_rate_ = &step.start_rate;
    for (std::size_t s = 1; s < before_end.size(); ++s) {
      move(step, before_end[s], stage_);
      stages(stage_, rates_[s], step.t + nodes[s] * step.h);
    }
    move(step, order_8, end);
    // The whole sum less its part of order 3.
    sum(step.h, order_8, error_3_);
    add(-step.h, order_3, error_3_);
    sum(step.h, error_5, error_5_);
  }

  /// Both estimates together: of order 8, and no smaller than the one of order 5 where that of order 3 is.
  double error(const State& tolerances) const {
    const double fifth = largest(error_5_, tolerances), third = largest(error_3_, tolerances);
    const double squared = fifth * fifth + 0.01 * third * third;
    return squared == 0 ? 0 : fifth * fifth / std::sqrt(squared);
  }

  Status interpolate(FirstOrderSystem& system, const Step& step, const State& end, const State& end_rate, bool first,
                     double t, std::span<double> y) {
    if (first) {
      start_rate_ = &step.start_rate;
      std::ranges::copy(end_rate, rates_[12].begin());
      if (find_polynomial(system, step, end) != Status::ok) return Status::failed;
    }
    const double s = (t - step.t) / step.h, left = 1 - s;
    for (std::size_t i = 0; i < y.size(); ++i) {
      double value = 0;
      for (std::size_t k = polynomial_.size(); k-- > 0;) value = (k % 2 == 0 ? s : left) * (polynomial_[k][i] + value);
      y[i] = step.start[i] + value;
    }
    return Status::ok;
  }

 private:
  const State& rate(std::size_t stage) const { return stage == 0 ? *start_rate_ : rates_[stage]; }

  /// out += factor Σ weight · rate
  void add(double factor, Terms terms, State& out) const {
    for (const Term& term : terms) {
      const State& of = rate(term.stage);
      const double weight = factor * term.weight;
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += weight * of[i];
    }
  }
  void sum(double factor, Terms terms, State& out) const {
    std::ranges::fill(out, 0.0);
    add(factor, terms, out);
  }
  void move(const Step& step, Terms terms, State& out) const {
    sum(step.h, terms, out);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += step.start[i];
  }

  static double largest(const State& errors, const State& tolerances) {
    double largest = 0;
    for (std::size_t i = 0; i < errors.size(); ++i) largest = larger(largest, std::abs(errors[i]) / tolerances[i]);
    return largest;
  }

  /// Nested in s and 1 − s by turns, as in section II.6.
  Status find_polynomial(FirstOrderSystem& system, const Step& step, const State& end) {
    for (std::size_t k = 0; k < for_output.size(); ++k) {
      move(step, for_output[k], stage_);
      if (system.derivative(step.t + nodes[13 + k] * step.h, stage_, rates_[13 + k]) != Status::ok)
        return Status::failed;
    }
    for (std::size_t i = 0; i < stage_.size(); ++i) {
      const double way = end[i] - step.start[i], bend = step.h * step.start_rate[i] - way;
      polynomial_[0][i] = way;
      polynomial_[1][i] = bend;
      polynomial_[2][i] = way - step.h * rates_[12][i] - bend;
    }
    for (std::size_t k = 0; k < dense.size(); ++k) sum(step.h, dense[k], polynomial_[3 + k]);
    return Status::ok;
  }

  const State* start_rate_ = nullptr;  ///< stage 0
  std::array<State, 16> rates_;        ///< of the other stages
  State error_5_, error_3_, stage_;
  std::array<State, 7> polynomial_;
};

}  // namespace

const IntegratorType& dop853() noexcept {
  static const EmbeddedType<Dop853> type;
  return type;
}

}  // namespace polyform::runge_kutta
