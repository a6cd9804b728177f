// What a reader does: move, step, edit, reset; and the verdict on every line after each edit.

const WAIT_AFTER_EDIT = 120; // milliseconds

function showAll() {
  const names = state.certificate.probes.map((probe, n) => h("option", { value: n }, String(probe.name)));
  fill("probe", ...names);
  for (const show of [showModel, showCanonical, showDraw, showProbe, showMatching, showHeads, showCounts, showClaims]) show();
}

function showVerdict() {
  const bad = state.lines.filter((line) => !line.holds);
  const verdict = byId("verdict");
  verdict.className = bad.length ? "red" : "green";
  verdict.textContent = bad.length
    ? `✗ ${bad.length} of ${state.lines.length} lines do not hold. The first: ${bad[0].part}: ${bad[0].name}.`
    : `✓ All ${state.lines.length} lines hold: every number was recomputed here, exactly.`;
  const parts = [...new Set(state.lines.map((line) => line.part))];
  const open = new Set([...document.querySelectorAll("#lines details[open]")].map((found) => found.dataset.part));
  fill("lines", ...parts.map((part) => partLines(part, open)));
  for (const input of document.querySelectorAll("input[data-place]")) markInput(input, bad);
}

function partLines(part, open) {
  const lines = state.lines.filter((line) => line.part === part);
  const bad = lines.filter((line) => !line.holds).length;
  const words = bad ? `✗ ${part}: ${bad} of ${lines.length} do not hold` : `✓ ${part}: ${lines.length} of ${lines.length} hold`;
  return h("details", { "data-part": part, open: bad > 0 || open.has(part) },
    h("summary", { class: bad ? "red" : "green" }, words), h("ul", {}, ...lines.map(lineItem)));
}

function lineItem(line) {
  if (line.holds) return h("li", { class: "green", "data-line": line.place }, `✓ holds: ${line.name}`);
  const button = h("button", { type: "button", onclick: () => goTo(line.at) }, `Go to ${line.at}`);
  return h("li", { class: "red", "data-line": line.place }, `✗ does not hold: ${line.name}. ${line.reason}. `, button);
}

function markInput(input, bad) {
  const { place } = input.dataset;
  const isBad = bad.some((line) => place === line.at || place.startsWith(`${line.at}/`));
  input.setAttribute("aria-invalid", String(isBad));
}

// Shows the input at a place of the certificate, or the first one below it.
function goTo(place) {
  const [part, n] = place.split("/");
  if (part === "probes" && n in state.certificate.probes) chooseProbe(Number(n));
  if (part === "matchings" && n in state.certificate.matchings) Object.assign(state, { matching: Number(n), head: 0 });
  showMatching();
  const inputs = [...document.querySelectorAll("input[data-place]")];
  const found = inputs.find((one) => one.dataset.place === place || one.dataset.place.startsWith(`${place}/`));
  if (!found) return;
  const details = found.closest("details");
  if (details) details.open = true;
  showVerdict();
  found.focus();
}

function recheck() {
  state.lines = checkCertificate(state.certificate);
  showVerdict();
  document.body.dataset.checked = String(Number(document.body.dataset.checked ?? 0) + 1);
}

// A count stays a count, a number text stays a text.
function store(place, text) {
  const keys = place.split("/");
  const last = keys.pop();
  const holder = keys.length ? partOf(state.certificate, keys.join("/")) : state.certificate;
  const isText = typeof partOf(JSON.parse(ORIGINAL), place) === "string";
  holder[last] = isText ? text : text === "none" ? null : /^\d{1,15}$/.test(text) ? Number(text) : text;
}

let waiting = 0;

function edited(event) {
  const { place } = event.target.dataset;
  if (place === undefined) return;
  store(place, event.target.value);
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    if (place.startsWith("model/")) showCanonical();
    if (place.startsWith("probes/") || place === "model/unit") showCurve();
    recheck();
  }, WAIT_AFTER_EDIT);
}

function reset() {
  clearTimeout(waiting);
  state.certificate = JSON.parse(ORIGINAL);
  showAll();
  recheck();
}

function chooseProbe(n) {
  const last = state.certificate.probes.length - 1;
  state.probe = Math.min(Math.max(n, 0), last);
  showProbe();
  showVerdict();
}

// One step through the heads of a matching, then to the next matching.
function step(by) {
  const { matchings } = state.certificate;
  const heads = matchings.map((matching) => matching.partner.length);
  let [n, head] = [state.matching, state.head + by];
  if (head < 0) [n, head] = n > 0 ? [n - 1, heads[n - 1] - 1] : [0, 0];
  if (head >= heads[n]) [n, head] = n + 1 < heads.length ? [n + 1, 0] : [n, heads[n] - 1];
  Object.assign(state, { matching: n, head });
  showMatching();
  showVerdict();
}

function start() {
  document.addEventListener("input", edited);
  byId("reset").addEventListener("click", reset);
  byId("probe").addEventListener("change", (event) => chooseProbe(Number(event.target.value)));
  byId("probe-back").addEventListener("click", () => chooseProbe(state.probe - 1));
  byId("probe-on").addEventListener("click", () => chooseProbe(state.probe + 1));
  byId("k").addEventListener("input", (event) => { state.k = Number(event.target.value); showCurve(); });
  byId("step-back").addEventListener("click", () => step(-1));
  byId("step-on").addEventListener("click", () => step(1));
  byId("matching-controls").addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by) { event.preventDefault(); step(by); }
  });
  showAll();
  recheck();
}

start();
