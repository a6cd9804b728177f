// The check: every line of a certificate is computed anew and compared. One line, one verdict, one reason.

const FORMULAS = { heads: "4 H d^2 - 2 H + 1", max_heads: "4 H0 d^2 - 2 H0 + 1" };

// Refuses what is not `computed`: a tree of objects, lists, counts, texts, null, and rationals for number texts.
function compare(given, computed, place) {
  if (computed instanceof Rational) {
    if (given === computed.toString()) return;
    readNumber(given, place);
    throw new NotSo(`${shown(given)} stands here, ${shown(computed.toString())} is computed`, place);
  }
  if (Array.isArray(computed)) {
    items(given, place, computed.length).forEach((value, n) => compare(value, computed[n], `${place}/${n}`));
  } else if (computed !== null && typeof computed === "object") {
    record(given, Object.keys(computed), place);
    for (const [key, value] of Object.entries(computed)) compare(given[key], value, `${place}/${key}`);
  } else if (given !== computed) {
    throw new NotSo(`${shown(given)} stands here, ${shown(computed)} is computed`, place);
  }
}

function drawLines(run) {
  if (determinant(run.X) === 0n) throw new NotSo("the tokens are linearly dependent", "draw/X");
  if (determinant(run.Y) === 0n) throw new NotSo("the tokens are linearly dependent", "draw/Y");
  const [H, key] = [run.heads.length, run.isExact ? "heads" : "max_heads"];
  if (H > run.bound || (run.isExact && H < run.bound)) {
    throw new NotSo(`the bound ${run.bound} does not fit ${H} canonical heads`, `draw/${key}`);
  }
  const place = run.model.isLog ? "rational" : "padic";
  const tokens = (side) => run[side].map((token) => token.map((a) => new Rational(a)));
  const modulus = new Rational(run.modulus);
  return { schedule: "paper", place, unit: run.model.unit.text, modulus, [key]: run.bound, X: tokens("X"), Y: tokens("Y") };
}

function falseMatchProduct(run, names) {
  const [joint, left, right] = names.map((name) => imageOf(run, name));
  const [m, isLog] = [run.modulus, run.model.isLog];
  let total = 1n;
  left.forEach((l, h) => right.forEach((r, g) => joint.forEach((s, n) => {
    if (h !== g || g !== n) total = (total * ((isLog ? l * r : l + r) - s)) % m;
  })));
  return ((total % m) + m) % m;
}

function pairProduct(run, { name, order }) {
  const [t, m] = [imageOf(run, name), run.modulus];
  let total = 1n;
  order.forEach((g, n) => order.slice(n + 1).forEach((h) => { total = (total * (t[g] - t[h])) % m; }));
  if (total === 0n) throw new NotSo(`two poles meet modulo m at ${name}: another modulus is needed`, "draw/modulus");
  return new Rational(((total % m) + m) % m);
}

function matchingLine(run, names) {
  if (falseMatchProduct(run, names) === 0n) throw new NotSo(`a false match fits at ${names[0]}, modulo m at least`);
  const [joint, left, right] = names.map((name) => run.probes.get(name).order);
  const [partner, sums] = [right, joint].map((order) => left.map((h) => order.indexOf(h)));
  return { probe: names[0], left: names[1], right: names[2], partner, sum: sums };
}

function mergingLine(run, group) {
  const pole = poleOf(run.model, group.W, run.X[0], run.Y[0]);
  return { members: group.members, parts: group.parts, v: group.v, pole, residue: dot(group.v, run.X[0]) };
}

// P and Q with F(k) = F(0) + k P(k) / (scale Q(k)), an identity in k.
function rationalForm(run, probe) {
  const infinity = sum([probe.atZero, ...probe.residues]);
  if (!run.model.isLog) return { infinity };
  const lcm = (a, b) => (a / gcd(a, b)) * b;
  const scale = probe.residues.reduce((total, c) => lcm(total, c.q), 1n);
  const times = (f, b, a) => [...f, 0n].map((c, n) => b * c + a * (n ? f[n - 1] : 0n));
  let [P, Q] = [[], [1n]];
  probe.poles.forEach((t, h) => {
    const c = (probe.residues[h].p * scale) / probe.residues[h].q;
    P = times(P, t.q, t.p).map((coefficient, n) => coefficient + t.p * c * (Q[n] ?? 0n));
    Q = times(Q, t.q, t.p);
  });
  const common = P.reduce(gcd, scale);
  const wholes = (numbers, divisor) => numbers.map((a) => new Rational(a / divisor));
  return { infinity, P: wholes(P, common), scale: new Rational(scale / common), Q: wholes(Q, 1n) };
}

function determination(run) {
  const poles = Array.from({ length: 2 * run.heads.length }, (_, n) => BigInt(n + 1));
  const product = (numbers) => numbers.reduce((total, a) => total * a, 1n);
  const residues = poles.map((s) => new Rational(
    product(poles.slice(0, -1).map((i) => -1n - i * s)), s * product(poles.filter((g) => g !== s).map((g) => s - g))));
  let difference = ZERO;
  for (const k of poles) difference = sum(poles.map((s, n) => residues[n].times(new Rational(k * s, 1n + k * s))));
  return { poles: poles.map((s) => new Rational(s)), residues, difference };
}

function degreeOf(d, H) {
  return 2 * d + (2 * d - 1) * H + (2 * d ** 2 - 1) * H * (H - 1) + 2 * (d ** 2 - 1) * (H ** 3 - H);
}

// The lines of a part, each [what it is, its place, how it is computed].
const PARTS = {
  draw: (run) => [["the bases, the bound and the place", "draw", () => drawLines(run)]],
  first_value: (run) => [["F(0) at P(1,1)", "first_value", () => run.probes.get("P(1,1)").atZero]],
  probes: (run) => [...run.probes.values()].flatMap((probe, n) => {
    const inOrder = (numbers) => probe.order.map((h) => numbers[h]);
    const wholes = (token) => token.map((a) => new Rational(a));
    const parts = {
      name: () => probe.name, x: () => wholes(probe.x), y: () => wholes(probe.y), at_zero: () => probe.atZero,
      copies: () => 2 * run.bound, poles: () => inOrder(probe.poles), residues: () => inOrder(probe.residues),
    };
    const lines = Object.entries(parts).map(([key, rule]) => [`${probe.name}: ${LABELS[key]}`, `probes/${n}/${key}`, rule]);
    const answers = Array.from({ length: run.model.isLog ? 2 * run.bound : 0 }, (_, k) =>
      [`${probe.name}: the answer F(${k + 1})`, `probes/${n}/values/${k}`, () => valueAt(run, probe, k + 1)]);
    return [...lines, ...answers];
  }),
  matchings: (run) => run.matchings.map((names, n) =>
    [`${names[0]} joins ${names[1]} and ${names[2]}`, `matchings/${n}`, () => matchingLine(run, names)]),
  heads: (run) => run.heads.map(({ W, v }, h) => [`head ${h}: W and v`, `heads/${h}`, () => ({ W, v })]),
  "query-count": (run) => {
    const [key, queries] = [run.isExact ? "heads" : "max_heads", 1 + 2 * run.bound * run.probes.size];
    return [["queries asked, and the formula", "query-count",
      () => ({ formula: FORMULAS[key], queries, max_length: 2 * run.bound + 1 })]];
  },
  canonical: (run) => [["the canonical head of each raw head", "canonical", () => {
    const index = new Map(run.heads.map((head, h) => [head.key, h]));
    return { head_of: run.model.heads.map((head) => index.get(head.key) ?? null) };
  }]],
  merging: (run) => groupsOf(run.model).map((group, n) =>
    [`the raw heads ${group.members.join(", ")} of one W`, `merging/${n}`, () => mergingLine(run, group)]),
  "rational-form": (run) => [...run.probes.values()].map((probe, n) =>
    [`F at ${probe.name} as one fraction`, `rational-form/${n}`, () => rationalForm(run, probe)]),
  determination: (run) => [["2H values determine F, fewer do not", "determination", () => determination(run)]],
  matching: (run) => run.matchings.map((names, n) =>
    [`no false match fits ${names[0]}`, `matching/${n}`, () => new Rational(falseMatchProduct(run, names))]),
  "probability-one": (run) => {
    const [place, probes] = ["probability-one", [...run.probes.values()]];
    return [
      ["the determinant of X", `${place}/det_X`, () => new Rational(determinant(run.X))],
      ["the determinant of Y", `${place}/det_Y`, () => new Rational(determinant(run.Y))],
      ["what the tokens read off", `${place}/readouts`,
        () => probes.filter(({ name }) => name.endsWith(",1)")).map(({ residues }) => residues)],
      ...probes.map((probe, n) => [`poles apart at ${probe.name}`, `${place}/pairs/${n}`, () => pairProduct(run, probe)]),
      ["the degree of the product", `${place}/degree`, () => degreeOf(run.model.dim, run.heads.length)],
    ];
  },
};
const LABELS = {
  name: "its name", x: "the token x", y: "the token y", at_zero: "F(0)", copies: "the number of answers",
  poles: "the poles", residues: "the residues",
};
const BASIC = ["draw", "first_value", "probes", "matchings", "heads"];
const CLAIMS = Object.keys(PARTS).filter((part) => !BASIC.includes(part));

function partOf(document, place) {
  return place.split("/").reduce((value, key) => (value === null || value === undefined ? undefined : value[key]), document);
}

// Lists and objects around the lines: no line too many, none missing, no unknown key.
function frame(certificate, part, lines) {
  const place = lines.length ? lines[0][1] : part;
  if (part === "probes") {
    items(certificate.probes, part, new Set(lines.map((line) => line[1].split("/")[1])).size).forEach((probe, n) => {
      const copies = lines.filter((line) => line[1].startsWith(`probes/${n}/values/`)).length;
      const isLog = certificate.model.weights === "log-rational";
      record(probe, [...Object.keys(LABELS), ...(isLog ? ["values"] : [])], `${part}/${n}`);
      if (isLog) items(probe.values, `${part}/${n}/values`, copies);
    });
  } else if (part === "probability-one") {
    record(certificate[part], ["det_X", "det_Y", "readouts", "pairs", "degree"], part);
    items(certificate[part].pairs, `${part}/pairs`, lines.length - 4);
  } else if (place !== part || !lines.length) {
    items(certificate[part], part, lines.length);
  }
}

function claimsLine(certificate) {
  const claims = items(certificate.claims, "claims");
  if (certificate.format !== "exactlearn.certificate/1") throw new NotSo("another version", "format");
  if (claims[0] !== "recovery") throw new NotSo("the first claim is recovery", "claims");
  const known = CLAIMS.filter((claim) => claims.includes(claim));
  compare(claims.slice(1), known, "claims");
  if (known.includes("probability-one") && !known.includes("matching")) {
    throw new NotSo("the claim probability-one needs the claim matching", "claims");
  }
  record(certificate, ["format", "claims", "model", ...BASIC, ...known], "");
}

function verdictOf(part, name, place, rule) {
  try {
    rule();
    return { part, name, place, holds: true, reason: "" };
  } catch (error) {
    const isKnown = error instanceof NotSo;
    const reason = isKnown ? error.message : `it cannot be computed (${error.message})`;
    return { part, name, place, holds: false, reason, at: (isKnown && error.place) || place };
  }
}

// Every line of the certificate with its verdict.
function checkCertificate(certificate) {
  const lines = [verdictOf("claims", "what is claimed", "claims", () => claimsLine(certificate))];
  let [model, draw, run] = [null, null, null];
  lines.push(verdictOf("model", "the model can be read", "model", () => { model = readModel(certificate.model); }));
  if (model) {
    lines.push(verdictOf("draw", "the tokens can be read, and every head shows at every probe", "draw", () => {
      draw = readDraw(certificate.draw, model);
      items(certificate.probes, "probes", 2 * model.dim ** 2 - 1).forEach((probe, n) => {
        if (!model.isLog) return;
        const [here, wanted] = [items(Object(probe).values, `probes/${n}/values`).length, 2 * draw.bound];
        const reason = `this bound asks for ${wanted} answers at each probe, and ${here} stand at ${probe.name}`;
        if (here !== wanted) throw new NotSo(reason, `draw/${draw.isExact ? "heads" : "max_heads"}`);
      });
      run = computeRun(model, draw);
    }));
  }
  if (!run) return lines;
  for (const part of [...BASIC, ...CLAIMS.filter((claim) => Object.hasOwn(certificate, claim))]) {
    const rules = PARTS[part](run);
    const framed = verdictOf(part, "no line too many, none missing", part, () => frame(certificate, part, rules));
    if (!framed.holds) lines.push(framed);
    for (const [name, place, rule] of rules) {
      lines.push(verdictOf(part, name, place, () => compare(partOf(certificate, place), rule(), place)));
    }
  }
  return lines;
}
