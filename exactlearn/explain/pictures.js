// The pictures: a copy-count curve, its poles, one matching. Floating point draws here and decides nothing.

const WIDTH = 640;

// The poles as logarithms of t, and the residues, as far as they can be read.
function curveOf(certificate, n) {
  const probe = certificate.probes[n];
  try {
    const isLog = certificate.model.weights === "log-rational";
    const unit = unitSize(certificate.model.unit);
    const logarithms = probe.poles.map((text) => {
      const number = readNumber(text, "");
      return isLog ? number.logarithm : number.approximate * unit;
    });
    const residues = probe.residues.map((text) => readNumber(text, "").approximate);
    return { zero: readNumber(probe.at_zero, "").approximate, logarithms, residues };
  } catch {
    return null;
  }
}

function unitSize(text) {
  const root = /^(-?)sqrt\((.*)\)$/.exec(text);
  return root ? (root[1] ? -1 : 1) * Math.sqrt(readNumber(root[2], "").approximate) : readNumber(text, "").approximate;
}

// F(k) = F(0) + sum c k t / (1 + k t), with k t / (1 + k t) = 1 / (1 + e^(-log k - log t)).
function height(curve, k) {
  const share = (log) => (k === 0 ? 0 : 1 / (1 + Math.exp(-Math.log(k) - log)));
  return curve.zero + curve.residues.reduce((total, c, h) => total + c * share(curve.logarithms[h]), 0);
}

function curvePicture(curve, last, asked, k) {
  const [top, bottom, left, right] = [16, 216, 20, WIDTH - 20];
  const points = Array.from({ length: 301 }, (_, n) => last * (n / 300) ** 2);
  const limit = curve.zero + curve.residues.reduce((total, c) => total + c, 0);
  const heights = points.map((point) => height(curve, point));
  const [low, high] = [Math.min(limit, ...heights), Math.max(limit, ...heights)];
  const x = (point) => left + (right - left) * (point / last);
  const y = (value) => (high > low ? bottom - (bottom - top) * ((value - low) / (high - low)) : (top + bottom) / 2);
  const path = points.map((point, n) => `${n ? "L" : "M"}${x(point).toFixed(2)} ${y(heights[n]).toFixed(2)}`).join("");
  const dots = Array.from({ length: last + 1 }, (_, n) =>
    svg("circle", { cx: x(n), cy: y(height(curve, n)), r: 4, class: n > asked ? "later" : "asked" }));
  const description = `F(k) from ${curve.zero.toPrecision(4)} at k = 0 towards ${limit.toPrecision(4)}; `
    + `here k = ${k} and F(k) is about ${height(curve, k).toPrecision(4)}`;
  return svg("svg", { viewBox: `0 0 ${WIDTH} 250`, role: "img", "aria-label": description },
    svg("line", { x1: left, x2: right, y1: y(limit), y2: y(limit), class: "limit" }),
    svg("line", { x1: left, x2: right, y1: bottom + 8, y2: bottom + 8, class: "axis" }),
    svg("path", { d: path, class: "curve" }), ...dots,
    svg("line", { x1: x(k), x2: x(k), y1: top - 8, y2: bottom + 8, class: "cursor" }),
    svg("circle", { cx: x(k), cy: y(height(curve, k)), r: 7, class: "here", id: "here" }),
    svg("text", { x: left, y: 244 }, "k = 0"),
    svg("text", { x: right, y: 244, "text-anchor": "end" }, `k = ${last}`));
}

// The poles -1/t on the negative axis, in a logarithmic scale, the one nearest to zero at the right.
function polesPicture(curve) {
  const [left, right] = [50, WIDTH - 50];
  const [low, high] = [Math.min(...curve.logarithms), Math.max(...curve.logarithms)];
  const x = (log) => (high > low ? left + (right - left) * ((log - low) / (high - low)) : (left + right) / 2);
  const isModest = (log) => Math.abs(log) < 12;
  const text = (log) => (isModest(log) ? `−${Number(Math.exp(-log).toPrecision(3))}` : `−10^${(-log / Math.LN10).toFixed(1)}`);
  const marks = curve.logarithms.flatMap((log, h) => [
    svg("path", { d: `M${x(log) - 7} 33l14 14m0 -14l-14 14`, class: "pole" }),
    svg("text", { x: x(log), y: h % 2 ? 72 : 20, "text-anchor": "middle" }, text(log))]);
  const words = curve.logarithms.map(text).join(", ");
  return svg("svg", { viewBox: `0 0 ${WIDTH} 80`, role: "img", "aria-label": `the poles, about ${words}` },
    svg("line", { x1: 10, x2: WIDTH - 10, y1: 40, y2: 40, class: "axis" }), ...marks);
}

// Three columns of poles: at the left probe, at the sum probe, at the right probe; one head is bold.
function matchingPicture(matching, chosen) {
  const [H, row, columns] = [matching.partner.length, 40, [70, WIDTH / 2, WIDTH - 70]];
  const y = (n) => 56 + row * n;
  const places = (h) => [h, matching.sum[h], matching.partner[h]];
  const lines = matching.partner.map((_, h) => svg("polyline", {
    points: places(h).map((n, column) => `${columns[column]},${y(Number(n) || 0)}`).join(" "),
    class: h === chosen ? "match chosen" : "match",
  }));
  const dots = columns.flatMap((cx, column) => matching.partner.flatMap((_, n) => [
    svg("circle", { cx, cy: y(n), r: 13, class: places(chosen)[column] === n ? "node chosen" : "node" }),
    svg("text", { x: cx, y: y(n) + 6, "text-anchor": "middle", class: "number" }, String(n + 1))]));
  const names = [matching.left, matching.probe, matching.right].map((name, column) =>
    svg("text", { x: columns[column], y: 24, "text-anchor": "middle", class: "title" }, String(name)));
  const words = `pole ${chosen + 1} of ${matching.left} and pole ${matching.partner[chosen] + 1} of ${matching.right} `
    + `are one head: pole ${matching.sum[chosen] + 1} of ${matching.probe}`;
  return svg("svg", { viewBox: `0 0 ${WIDTH} ${60 + row * H}`, role: "img", "aria-label": words, id: "matching-picture" },
    ...lines, ...dots, ...names);
}
