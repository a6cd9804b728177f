// The page: the certificate as inputs, formulas and pictures, and the verdict on every line of it.

const ORIGINAL = byId("certificate").textContent;
const state = { certificate: JSON.parse(ORIGINAL), probe: 0, k: 1, matching: 0, head: 0, lines: [] };
const isLogRational = () => state.certificate.model.weights === "log-rational";
const weightLetter = () => (isLogRational() ? "T" : "W");

function fill(id, ...children) {
  byId(id).replaceChildren(...children.filter((child) => child !== null));
}

function headFields(place, title) {
  const { certificate } = state;
  return h("div", { class: "head" }, h("h3", {}, title),
    labelled(weightLetter(), h("div", { class: "scrolled" }, fieldMatrix(`${place}/W`, `${title}, ${weightLetter()}`, certificate))),
    labelled("v", fieldVector(`${place}/v`, `${title}, v`, certificate)));
}

function showModel() {
  const { certificate } = state;
  fill("raw-heads",
    labelled("unit", field("model/unit", "the unit on every W", certificate)),
    ...certificate.model.heads.map((_, n) => headFields(`model/heads/${n}`, `Raw head ${n + 1}`)));
}

function showCanonical() {
  let groups;
  try {
    groups = groupsOf(readModel(state.certificate.model));
  } catch (error) {
    return fill("canonical-form", h("p", {}, `The model cannot be read: ${error.message}.`));
  }
  const list = (numbers) => numbers.map((n) => n + 1).join(", ");
  const texts = (rows) => rows.map((row) => row.map(String));
  return fill("canonical-form", ...groups.map(({ W, v, members }) => {
    const merged = members.length > 1 ? `Raw heads ${list(members)} have one ${weightLetter()}: their v add.` : `Raw head ${list(members)} stands alone.`;
    const isGone = v.every((entry) => entry.isZero);
    const formula = math(mi(weightLetter()), mo("="), mathMatrix(texts(W)), mo(","), mi("v"), mo("="), mathMatrix(texts(v.map((a) => [a]))));
    return h("li", {}, `${merged} ${isGone ? "The sum is zero: they cancel and leave no trace." : ""} `, scrolling(merged, formula));
  }), groups.length ? null : h("li", {}, "There are no heads: this is the zero function."));
}

function showDraw() {
  const { certificate } = state;
  const known = "heads" in certificate.draw ? "heads" : "max_heads";
  const tokens = (side, letter) => certificate.draw[side].map((_, n) =>
    labelled(`${letter}${n + 1}`, fieldVector(`draw/${side}/${n}`, `the token ${letter}${n + 1}`, certificate)));
  fill("draw-fields", ...tokens("X", "x"), ...tokens("Y", "y"),
    labelled(known === "heads" ? "H, known" : "H0, a bound", field(`draw/${known}`, "the number of heads that was known", certificate)),
    labelled("modulus m", field("draw/modulus", "the modulus", certificate)),
    labelled("first value", field("first_value", "the answer to the query of length 1", certificate)));
}

function showProbe() {
  const { certificate, probe: n } = state;
  const [probe, place] = [certificate.probes[n], `probes/${n}`];
  byId("probe").value = String(n);
  const token = (side) => labelled(side, fieldVector(`${place}/${side}`, `${probe.name}, ${side}`, certificate));
  const rows = probe.poles.map((_, i) => h("tr", {}, h("th", { scope: "row" }, String(i + 1)),
    h("td", {}, field(`${place}/poles/${i}`, `${probe.name}, pole ${i + 1}`, certificate)),
    h("td", {}, field(`${place}/residues/${i}`, `${probe.name}, residue ${i + 1}`, certificate))));
  const heading = isLogRational() ? "pole parameter t (the pole is −1/t)" : "exponent r of t = e^(unit · r)";
  const head = h("thead", {}, h("tr", {}, ...["head", heading, "residue c = v · x"].map((text) => h("th", { scope: "col" }, text))));
  const values = (probe.values ?? []).map((_, k) =>
    labelled(`F(${k + 1})`, field(`${place}/values/${k}`, `${probe.name}, F(${k + 1})`, certificate)));
  fill("probe-fields", token("x"), token("y"), labelled("F(0)", field(`${place}/at_zero`, `${probe.name}, F(0)`, certificate)),
    labelled("answers", field(`${place}/copies`, `${probe.name}, number of answers`, certificate)),
    scrolling(`poles and residues of ${probe.name}`, h("table", { class: "plain" }, head, h("tbody", {}, ...rows))),
    values.length ? h("h3", {}, "The answers") : null, ...values);
  showCurve();
}

const askedOf = (probe) => Math.min(Number(probe.copies) || 0, 200);

// F(k) as a sum over the heads: with its exact value at the rational place, as it stands in Q(e^unit) at the p-adic one.
function valueFormula(probe, k) {
  const terms = probe.poles.flatMap((pole, h) => {
    const t = isLogRational() ? mathNumber(pole) : m("msup", mi("e"), m("mrow", state.certificate.model.unit === "1" ? null : m("mtext", `${state.certificate.model.unit}·`), mathNumber(pole)));
    const product = m("mrow", mn(String(k)), mo("·"), t);
    const c = mathNumber(probe.residues[h]);
    return [mo("+"), m("mrow", mo("("), c, mo(")")), mo("·"), m("mfrac", product, m("mrow", mn("1"), mo("+"), product.cloneNode(true)))];
  });
  return math(mi("F"), mo("("), mn(String(k)), mo(")"), mo("="), mathNumber(probe.at_zero), ...terms);
}

function exactValue(probe, k) {
  const zero = readNumber(probe.at_zero, "");
  return sum([zero, ...probe.poles.map((pole, h) => {
    const weight = readNumber(pole, "").times(whole(k));
    return readNumber(probe.residues[h], "").times(weight).over(ONE.plus(weight));
  })]);
}

function showCurve() {
  const probe = state.certificate.probes[state.probe];
  const [asked, curve] = [askedOf(probe), curveOf(state.certificate, state.probe)];
  const last = Math.max(asked + 4, 6);
  state.k = Math.min(state.k, last);
  Object.assign(byId("k"), { max: String(last), value: String(state.k) });
  byId("k").setAttribute("aria-valuetext", `k = ${state.k}`);
  const when = state.k === 0 ? "k = 0 is the token y alone" : state.k <= asked ? "this query was asked" : "never asked: it follows from poles and residues";
  byId("k-text").textContent = `k = ${state.k}: ${when}.`;
  if (!curve) {
    for (const id of ["curve", "poles", "value"]) fill(id, h("p", {}, "A number of this probe cannot be read."));
    return;
  }
  fill("curve", curvePicture(curve, last, asked, state.k));
  fill("poles", curve.logarithms.length ? polesPicture(curve) : h("p", {}, "There are no poles."));
  let exact;
  try {
    exact = isLogRational() ? exactValue(probe, state.k).toString() : `about ${height(curve, state.k).toPrecision(12)}; the formula is the exact value, an element of Q(e^unit)`;
  } catch (error) {
    exact = `cannot be computed: ${error.message}`;
  }
  fill("value", scrolling(`F at k = ${state.k} as a sum`, valueFormula(probe, state.k)),
    h("p", {}, isLogRational() ? "As one exact fraction: " : "In decimals: ", h("output", { id: "exact-value", for: "k" }, exact)));
}

function showMatching() {
  const { certificate, matching: n, head } = state;
  const matching = certificate.matchings[n];
  byId("matching-controls").hidden = !matching || !matching.partner.length;
  if (byId("matching-controls").hidden) {
    return fill("matching-view", h("p", {}, matching ? "There are no heads to match." : "In one dimension one probe shows everything: there is nothing to match."));
  }
  byId("matching-step").textContent = `Matching ${n + 1} of ${certificate.matchings.length}, head ${head + 1} of ${matching.partner.length}`;
  const probeOf = (name) => certificate.probes.find((probe) => probe.name === name);
  const parameter = (name, index) => mathNumber(probeOf(name)?.poles[index] ?? "none");
  const numbers = [[matching.left, head], [matching.right, matching.partner[head]], [matching.probe, matching.sum[head]]];
  const [left, right, joint] = numbers.map(([name, index]) => parameter(name, index));
  const formula = math(left, mo(isLogRational() ? "·" : "+"), right, mo("="), joint);
  return fill("matching-view", matchingPicture(matching, head),
    h("p", {}, isLogRational() ? "Pole parameters multiply: " : "Exponents add: "), scrolling("the numbers of this match", formula),
    fieldsOf(`matchings/${n}/partner`, "partner (from 0)", certificate), fieldsOf(`matchings/${n}/sum`, "sum (from 0)", certificate));
}

function showHeads() {
  const { certificate } = state;
  fill("assembled", ...certificate.heads.map((_, n) => headFields(`heads/${n}`, `Recovered head ${n + 1}`)),
    certificate.heads.length ? null : h("p", {}, "No head was found: this is the zero function."));
}

function showCounts() {
  const { certificate } = state;
  const [d, B] = [certificate.model.dim, certificate.draw.heads ?? certificate.draw.max_heads];
  const H = "heads" in certificate.draw ? mi("H") : m("msub", mi("H"), mn("0"));
  const formula = math(mn("1"), mo("+"), mn("2"), H, mo("("), mn("2"), m("msup", mi("d"), mn("2")), mo("−"), mn("1"), mo(")"), mo("="),
    mn("1"), mo("+"), mn(String(2 * B)), mo("·"), mn(String(2 * d ** 2 - 1)), mo("="), mn(String(1 + 2 * B * (2 * d ** 2 - 1))));
  fill("counts", scrolling("the count as a formula", formula),
    certificate["query-count"] ? fieldsOf("query-count", "query count:", certificate) : h("p", {}, "This certificate does not claim the count."));
}

function showClaims() {
  const { certificate } = state;
  const further = CLAIMS.filter((claim) => claim !== "query-count" && claim in certificate);
  fill("further", ...further.map((claim) => h("details", { "data-part": claim }, h("summary", {}, claim),
    h("p", {}, SENTENCES[claim]), fieldsOf(claim, claim, certificate))), further.length ? null : h("p", {}, "There are none."));
}

const SENTENCES = {
  canonical: "For each raw head the canonical head that it belongs to, counted from 0; none when its group cancels.",
  merging: "For each W: the raw heads with it, their v, the sum, and the pole and the residue at P(1,1).",
  "rational-form": "For each probe F(k) = F(0) + k P(k) / (scale Q(k)), coefficients of k^0 first, and F at infinity.",
  determination: "Two functions that agree at k = 0, ..., 2H − 1 and differ at k = 2H: fewer answers would not do.",
  matching: "For each matching the product over all false triples, modulo m: none is zero.",
  "probability-one": "The genericity polynomials at this draw, none of which is zero, and the degree of their product.",
};
