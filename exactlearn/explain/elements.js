// Elements of HTML, SVG and MathML. Text enters as text only, so nothing in a certificate can become markup.

const NAMESPACES = { svg: "http://www.w3.org/2000/svg", math: "http://www.w3.org/1998/Math/MathML" };

function element(namespace, tag, attributes, children) {
  const made = namespace ? document.createElementNS(NAMESPACES[namespace], tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== false) made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}
const h = (tag, attributes = {}, ...children) => element("", tag, attributes, children);
const svg = (tag, attributes = {}, ...children) => element("svg", tag, attributes, children);
const m = (tag, ...children) => element("math", tag, {}, children);
const math = (...children) => element("math", "math", { displaystyle: "true" }, children);
const mi = (text) => m("mi", text);
const mo = (text) => m("mo", text);
const mn = (text) => m("mn", text);
const byId = (id) => document.getElementById(id);

const LONGEST_SHOWN = 24;

function abbreviated(digits) {
  if (digits.length <= LONGEST_SHOWN) return digits;
  return `${digits.slice(0, 8)}…${digits.slice(-6)} (${digits.length} digits)`;
}

// A number text as MathML, a fraction as a fraction; what is no number is shown as it stands.
function mathNumber(text) {
  const match = NUMBER.exec(text);
  if (!match) return m("mtext", String(text));
  const [top, bottom] = text.replace(/^-/, "").split("/");
  const size = bottom === undefined ? mn(abbreviated(top)) : m("mfrac", mn(abbreviated(top)), mn(abbreviated(bottom)));
  return match[1] ? m("mrow", mo("−"), size) : size;
}

function mathMatrix(rows) {
  const cells = rows.map((row) => m("mtr", ...row.map((entry) => m("mtd", mathNumber(entry)))));
  return m("mrow", mo("("), m("mtable", ...cells), mo(")"));
}

// An input for one value of the certificate, found by its place in the document.
function field(place, label, certificate) {
  const value = partOf(certificate, place);
  const text = value === null || value === undefined ? "none" : String(value);
  return h("input", {
    type: "text", value: text, "data-place": place, "aria-label": label, spellcheck: "false", autocomplete: "off",
    size: Math.min(Math.max(text.length, 3), 40),
  });
}

function fieldMatrix(place, label, certificate) {
  const rows = partOf(certificate, place) ?? [];
  return h("table", { class: "matrix", role: "group", "aria-label": label }, h("tbody", {}, ...rows.map((row, a) =>
    h("tr", {}, ...row.map((_, b) => h("td", {},
      field(`${place}/${a}/${b}`, `${label}, row ${a + 1}, column ${b + 1}`, certificate)))))));
}

function fieldVector(place, label, certificate) {
  const entries = partOf(certificate, place) ?? [];
  return h("span", { class: "vector", role: "group", "aria-label": label }, ...entries.map((_, a) =>
    field(`${place}/${a}`, `${label}, entry ${a + 1}`, certificate)));
}

const labelled = (label, ...controls) => h("div", { class: "labelled" }, h("span", { class: "label" }, label), ...controls);

// Any part of the certificate as inputs, lists in lists.
function fieldsOf(place, label, certificate) {
  const value = partOf(certificate, place);
  if (value === null || typeof value !== "object") return labelled(label, field(place, label, certificate));
  if (Array.isArray(value) && value.every((entry) => entry === null || typeof entry !== "object")) {
    return labelled(label, fieldVector(place, label, certificate));
  }
  return h("div", { class: "nested" }, ...Object.keys(value).map((key) =>
    fieldsOf(`${place}/${key}`, `${label} ${/^\d+$/.test(key) ? Number(key) + 1 : key}`, certificate)));
}

function scrolling(label, ...children) {
  return h("div", { class: "scrolling", role: "region", tabindex: "0", "aria-label": label }, ...children);
}
