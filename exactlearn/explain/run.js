// The run of a certificate, computed anew from its model and its draw alone: canonical heads, probes, matchings.

const MODULI = [61n, 89n, 107n, 127n].map((n) => String(2n ** n - 1n));

function items(value, place, length) {
  if (!Array.isArray(value)) throw new NotSo("a list is expected", place);
  if (length !== undefined && value.length !== length) {
    throw new NotSo(`${length} entries are expected here, not ${value.length}`, place);
  }
  return value;
}

function record(value, keys, place) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw new NotSo("an object is expected", place);
  for (const key of keys) if (!Object.hasOwn(value, key)) throw new NotSo(`the key ${key} is missing`, place);
  for (const key of Object.keys(value)) if (!keys.includes(key)) throw new NotSo(`unknown key ${shown(key)}`, place);
  return value;
}

function readCount(value, place) {
  if (!Number.isSafeInteger(value) || value < 0) throw new NotSo(`${shown(value)} is no count`, place);
  return value;
}

const readVector = (value, dim, place) => items(value, place, dim).map((text, n) => readNumber(text, `${place}/${n}`));
const readMatrix = (value, dim, place) => items(value, place, dim).map((row, n) => readVector(row, dim, `${place}/${n}`));

function readToken(value, dim, place) {
  return readVector(value, dim, place).map((entry, n) => {
    if (entry.q !== 1n || bitLength(entry.p) > 4100) throw new NotSo("the entries of tokens are whole", `${place}/${n}`);
    return entry.p;
  });
}

function integerRoot(a) {
  if (a < 2n) return a;
  let root = 1n << BigInt(Math.ceil(bitLength(a) / 2));
  for (;;) {
    const next = (root + a / root) / 2n;
    if (next >= root) return root;
    root = next;
  }
}

function readUnit(text, place) {
  if (typeof text !== "string") throw new NotSo("a unit is a string", place);
  const root = /^(-?)sqrt\((.*)\)$/.exec(text);
  if (!root) {
    const rational = readNumber(text, place);
    if (rational.isZero) throw new NotSo("a unit is not zero", place);
    return { text, rational };
  }
  const square = readNumber(root[2], place);
  const exact = [square.p, square.q].every((a) => a > 0n && integerRoot(a) ** 2n === a);
  if (square.p <= 0n || exact) throw new NotSo("sqrt(q) needs q > 0 that is no square", place);
  return { text, rational: null };
}

function readModel(document) {
  const keys = ["format", "kind", "dim", "weights", "unit", "heads"];
  const given = record(document, keys, "model");
  for (const [key, text] of [["format", "exactlearn.model/1"], ["kind", "attention"]]) {
    if (given[key] !== text) throw new NotSo(`“${text}” is expected here`, `model/${key}`);
  }
  const dim = readCount(given.dim, "model/dim");
  if (dim < 1 || dim > 4096) throw new NotSo("the dimension is from 1 to 4096", "model/dim");
  if (!["rational", "log-rational"].includes(given.weights)) throw new NotSo("no kind of weights", "model/weights");
  const [isLog, unit] = [given.weights === "log-rational", readUnit(given.unit, "model/unit")];
  if (isLog && !unit.rational) throw new NotSo("log-rational weights take a rational unit", "model/unit");
  const heads = items(given.heads, "model/heads").map((head, n) => {
    const place = `model/heads/${n}`;
    record(head, ["W", "v"], place);
    const [W, v] = [readMatrix(head.W, dim, `${place}/W`), readVector(head.v, dim, `${place}/v`)];
    if (isLog && W.flat().some((entry) => entry.p <= 0n)) throw new NotSo("an entry of T is positive", `${place}/W`);
    return { W, v, key: W.flat().join(" ") };
  });
  return { dim, isLog, unit, heads };
}

// The raw heads of each W, in order of first appearance.
function groupsOf(model) {
  const groups = new Map();
  model.heads.forEach((head, n) => {
    if (!groups.has(head.key)) groups.set(head.key, { key: head.key, W: head.W, members: [] });
    groups.get(head.key).members.push(n);
  });
  return [...groups.values()].map((group) => {
    const parts = group.members.map((n) => model.heads[n].v);
    return { ...group, parts, v: parts[0].map((_, a) => sum(parts.map((part) => part[a]))) };
  });
}

// The pole t = prod T_ab^(unit x_a y_b), or at the p-adic place the exponent x^T W y of t = e^(c r).
function poleOf(model, W, x, y) {
  if (!model.isLog) return dot(W.map((row) => dot(row, y)), x);
  const columns = W.map((row) => powerProduct(row, y, "model/heads"));
  const scaled = x.map((a) => new Rational(a).times(model.unit.rational));
  if (scaled.some((a) => a.q !== 1n)) throw new NotSo("the unit times a token is not whole", "draw/X");
  return powerProduct(columns, scaled.map((a) => a.p), "model/heads");
}

const plus = (left, right) => left.map((a, n) => a + right[n]);

function* scheduleOf(X, Y) {
  for (const [j, y] of Y.entries()) {
    for (const [i, x] of X.entries()) {
      yield [`P(${i + 1},${j + 1})`, x, y];
      if (j) yield [`S(${i + 1},${j + 1})`, x, plus(Y[0], y)];
      else if (i) yield [`S(${i + 1},1)`, plus(X[0], x), y];
    }
  }
}

// [sum probe, left, right] by their names.
function matchingNames(names) {
  return names.filter((name) => name.startsWith("S")).map((name) => {
    const left = name.endsWith(",1)") ? "P(1,1)" : `P(${name.slice(2, name.indexOf(","))},1)`;
    return [name, left, `P${name.slice(1)}`];
  });
}

function readDraw(document, model) {
  const key = Object.hasOwn(Object(document), "heads") ? "heads" : "max_heads";
  const given = record(document, ["schedule", "place", "unit", "modulus", key, "X", "Y"], "draw");
  const tokens = (side) => items(given[side], `draw/${side}`, model.dim)
    .map((token, n) => readToken(token, model.dim, `draw/${side}/${n}`));
  const [X, Y, bound] = [tokens("X"), tokens("Y"), readCount(given[key], `draw/${key}`)];
  if (!MODULI.includes(given.modulus)) throw new NotSo("the modulus is none of the four that are used", "draw/modulus");
  return { X, Y, bound, isExact: key === "heads", modulus: BigInt(given.modulus) };
}

function computeRun(model, draw) {
  const heads = groupsOf(model).filter((group) => group.v.some((entry) => !entry.isZero));
  const first = new Map(heads.map((head) => [head, poleOf(model, head.W, draw.X[0], draw.Y[0])]));
  heads.sort((a, b) => first.get(a).compare(first.get(b)));
  const probes = new Map();
  for (const [name, x, y] of scheduleOf(draw.X, draw.Y)) {
    const poles = heads.map((head) => poleOf(model, head.W, x, y));
    const residues = heads.map((head) => dot(head.v, x));
    const order = heads.map((_, h) => h).sort((g, h) => poles[g].compare(poles[h]));
    const isBad = order.some((h, n) => residues[h].isZero || (n && poles[h].equals(poles[order[n - 1]])));
    if (isBad) throw new NotSo(`at ${name} a residue is zero or two poles are equal: not every head shows`, "draw");
    probes.set(name, { name, x, y, poles, residues, order, atZero: sum(heads.map((head) => dot(head.v, y))) });
  }
  return { model, ...draw, heads, probes, matchings: matchingNames([...probes.keys()]) };
}

// F(k) by definition: k copies of x + y, then y. Everything over one denominator first: one greatest common divisor.
function valueAt(run, probe, k) {
  const both = plus(probe.x, probe.y);
  let [top, bottom] = [0n, 1n];
  run.heads.forEach((head, h) => {
    const { p, q } = probe.poles[h];
    const [many, last, weight] = [dot(head.v, both), dot(head.v, probe.y), BigInt(k) * p];
    const above = weight * many.p * last.q + q * last.p * many.q;
    const below = (weight + q) * many.q * last.q;
    [top, bottom] = [top * below + above * bottom, bottom * below];
  });
  return new Rational(top, bottom);
}

// The poles of a probe modulo m, head by head.
function imageOf(run, name) {
  const m = run.modulus;
  return run.probes.get(name).poles.map(({ p, q }) => {
    if (q % m === 0n) throw new NotSo("the modulus divides a denominator of a pole", "draw/modulus");
    return (((p * inverseModulo(q, m)) % m) + m) % m;
  });
}
