// Arithmetic on channels: "= rod.x - tip.x", "= sqrt(car.vx^2 + car.vy^2)", "= d(pin.q)".
import {multiply, parseUnit, raise, sameUnit, unitText} from './units.js';

const one = new Map();
const make = (f) => (...values) => values[0].map((_, k) => f(...values.map((v) => v[k])));
const said = (unit) => unitText(unit) || 'a number';
/** Of numbers and angles: what is no number is told. */
const plain = (f, name, known = ['rad']) => ({
  make: make(f),
  unit([u], tell) {
    if (u && u.size > 0 && !known.includes(unitText(u))) tell(`${name} is of numbers${known.length > 0 ? ' and angles' : ''}, and here of ${said(u)}`);
    return one;
  },
});
/** Of one unit: others beside it are told. Plain numbers have every unit. */
function common(units, numbers, what, tell) {
  const own = units.filter((_, k) => !numbers[k]);
  if (own.length === 0) return one;
  if (own.every((u) => sameUnit(u, own[0]))) return own[0];
  const [first, other] = [own[0], own.find((u) => !sameUnit(u, own[0]))];
  if (first && other) tell(`${said(first)} and ${said(other)} are ${what}`);
  return null;
}
const keeping = (f, what = 'compared') => ({make: make(f), unit: (units, tell, numbers) => common(units, numbers, what, tell)});

/** Central differences; at the ends those to the neighbour. */
function derivative(values, time) {
  const last = values.length - 1;
  return values.map((_, k) => {
    let a = Math.max(0, k - 1),
      b = Math.min(last, k + 1);
    // Rows on either side of an event have one time.
    if (time[a] === time[k]) a = k;
    if (time[b] === time[k]) b = k;
    return time[b] > time[a] ? (values[b] - values[a]) / (time[b] - time[a]) : NaN;
  });
}

/** Trapezoids, from 0. */
function integral(values, time) {
  let sum = 0;
  return values.map((value, k) => (k > 0 ? (sum += ((value + values[k - 1]) / 2) * (time[k] - time[k - 1])) : 0));
}

const second = new Map([['s', 1]]);
const functions = {
  abs: keeping(Math.abs),
  sqrt: {make: make(Math.sqrt), unit: ([u]) => raise(u, 0.5)},
  sin: plain(Math.sin, 'sin'),
  cos: plain(Math.cos, 'cos'),
  tan: plain(Math.tan, 'tan'),
  asin: plain(Math.asin, 'asin'),
  acos: plain(Math.acos, 'acos'),
  atan: plain(Math.atan, 'atan'),
  atan2: {...keeping(Math.atan2), unit: (units, tell, numbers) => (common(units, numbers, 'compared', tell), one)},
  exp: plain(Math.exp, 'exp'),
  log: plain(Math.log, 'log'),
  log10: plain(Math.log10, 'log10'),
  sign: {make: make(Math.sign), unit: () => one},
  min: keeping(Math.min),
  max: keeping(Math.max),
  hypot: keeping(Math.hypot, 'added'),
  d: {make: (values, time) => derivative(values, time), unit: ([u]) => multiply(u, second, -1), timed: true},
  int: {make: (values, time) => integral(values, time), unit: ([u]) => multiply(u, second), timed: true},
};
const numbersOfArguments = {atan2: 2, min: [2, 9], max: [2, 9], hypot: [2, 9]};
const operators = {
  '+': {rank: 1, f: (a, b) => a + b, what: 'added'},
  '-': {rank: 1, f: (a, b) => a - b, what: 'subtracted'},
  '*': {rank: 2, f: (a, b) => a * b, unit: (a, b) => multiply(a, b)},
  '/': {rank: 2, f: (a, b) => a / b, unit: (a, b) => multiply(a, b, -1)},
  '^': {rank: 4, right: true, f: (a, b) => a ** b},
};
/** Signs as they are printed. */
const typed = {'−': '-', '·': '*', '×': '*'};
const tokens = /\s*(?:(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)|`([^`]+)`|([\p{L}_][\p{L}\p{N}_.:[\]]*)|([-+*/^(),−·×])|(\S))/giuy;

class Parser {
  constructor(text, has) {
    this.has = has;
    this.tokens = [...text.matchAll(tokens)].map(([, number, quoted, name, sign, wrong]) => {
      if (wrong) throw new Error(`${wrong} has no meaning here`);
      return {number, name: quoted ?? name, quoted: quoted !== undefined, sign: typed[sign] ?? sign};
    });
    this.next = 0;
  }

  peek() {
    return this.tokens[this.next] ?? {};
  }

  expect(sign) {
    if (this.peek().sign !== sign) throw new Error(`a ${sign} is missing`);
    ++this.next;
  }

  /** A tree: {number} | {channel} | {call, args} | {operator, a, b}. */
  expression(rank = 0) {
    let a = this.operand();
    for (;;) {
      const operator = operators[this.peek().sign] && this.peek().sign;
      if (!operator || operators[operator].rank <= rank) return a;
      ++this.next;
      const {rank: own, right} = operators[operator];
      a = {operator, a, b: this.expression(right ? own - 1 : own)};
    }
  }

  operand() {
    const token = this.peek();
    ++this.next;
    if (token.number !== undefined) return {number: Number(token.number)};
    if (token.sign === '-') return {operator: '-', a: {number: 0}, b: this.expression(2)};
    if (token.sign === '+') return this.expression(2);
    if (token.sign === '(') {
      const inside = this.expression();
      this.expect(')');
      return inside;
    }
    if (token.name === undefined) throw new Error('a channel or a number is missing');
    if (!token.quoted && this.peek().sign === '(') return this.call(token.name);
    if (this.has(token.name)) return {channel: token.name};
    if (!token.quoted && token.name === 'pi') return {number: Math.PI};
    throw new Error(`there is no channel ${token.name}`);
  }

  call(name) {
    if (!Object.hasOwn(functions, name))
      throw new Error(`there is no function ${name}; there are ${Object.keys(functions).join(', ')}`);
    const args = [];
    this.expect('(');
    do args.push(this.expression());
    while (this.peek().sign === ',' && ++this.next);
    this.expect(')');
    const [least, most] = [numbersOfArguments[name] ?? 1].flat();
    if (args.length < least || args.length > (most ?? least))
      throw new Error(`${name} takes ${most ? `${least} or more` : least} value${least > 1 ? 's' : ''}`);
    return {call: name, args};
  }
}

function valuesOf(tree, run) {
  if (tree.channel) return Float64Array.from(run.column(tree.channel));
  if (tree.number !== undefined) return new Float64Array(run.rows).fill(tree.number);
  if (tree.operator) {
    const {f} = operators[tree.operator],
      a = valuesOf(tree.a, run),
      b = valuesOf(tree.b, run);
    return a.map((x, k) => f(x, b[k]));
  }
  const {make, timed} = functions[tree.call];
  const args = tree.args.map((arg) => valuesOf(arg, run));
  return timed ? make(args[0], run.time) : make(...args);
}

/** Whether it is a number whatever the channels are. */
const isNumber = (tree) =>
  tree.channel === undefined &&
  (tree.number !== undefined || (tree.call ? tree.args.every(isNumber) : isNumber(tree.a) && isNumber(tree.b)));

/** Of a number: none, which agrees with every unit. tell: told each sentence about units that do not fit. */
function unitOf(tree, run, tell) {
  if (tree.channel) return parseUnit(run.unit(tree.channel));
  if (tree.number !== undefined) return one;
  const parts = tree.call ? tree.args : [tree.a, tree.b];
  const units = parts.map((part) => unitOf(part, run, tell)),
    numbers = parts.map(isNumber);
  if (tree.call) return functions[tree.call].unit(units, tell, numbers);
  const {what, unit} = operators[tree.operator];
  if (what) return common(units, numbers, what, tell);
  if (tree.operator !== '^') return unit(...units);
  if (units[1]?.size > 0) tell(`an exponent is a number, and here it is in ${said(units[1])}`);
  return tree.b.number === undefined ? (units[0]?.size === 0 ? one : null) : raise(units[0], tree.b.number);
}

/** Parses a formula for the channels of a run: {unit, doubts: sentences about units, values(run)}. Throws an Error with a sentence. */
export function parseFormula(text, run) {
  const parser = new Parser(text.replace(/^=/, ''), (name) => run.places.has(name));
  if (parser.tokens.length === 0) throw new Error('write a formula after =, such as = rod.x - tip.x');
  const tree = parser.expression();
  if (parser.next < parser.tokens.length) throw new Error('an operator is missing');
  const doubts = [];
  const unit = unitText(unitOf(tree, run, (doubt) => doubts.push(doubt)));
  return {unit, doubts, values: (of) => valuesOf(tree, of)};
}

const known = new WeakMap();
/** The same, kept; null where the run has not all channels of it. */
export function formulaOf(text, run) {
  if (!known.has(run)) known.set(run, new Map());
  const formulas = known.get(run);
  if (!formulas.has(text)) {
    let formula = null;
    try {
      formula = parseFormula(text, run);
    } catch {
      // Those that type it are told by parseFormula.
    }
    formulas.set(text, formula);
  }
  return formulas.get(text);
}
