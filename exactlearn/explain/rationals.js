"use strict";
// Exact rationals on BigInt, and the one text of each number (section 2 of the certificates' specification).

const MAX_BITS = 2 ** 20; // larger numbers are not computed
const HEXADECIMAL_FROM = 10n ** 999n;
const NUMBER = /^(-?)(?:0x([0-9a-f]+)(?:\/0x([0-9a-f]+))?|([0-9]+)(?:\/([0-9]+))?)$/;

class NotSo extends Error {
  constructor(reason, place = "") {
    super(reason);
    this.place = place;
  }
}

const abs = (a) => (a < 0n ? -a : a);
const bitLength = (a) => (a === 0n ? 0 : 4 * abs(a).toString(16).length);

function gcd(a, b) {
  [a, b] = [abs(a), abs(b)];
  while (b) [a, b] = [b, a % b];
  return a;
}

function boundedBits(bits, place) {
  if (!(bits <= MAX_BITS)) throw new NotSo(`a number of more than ${MAX_BITS} bits would be computed`, place);
}

class Rational {
  constructor(numerator, denominator = 1n) {
    if (denominator === 0n) throw new NotSo("a denominator is zero");
    const common = gcd(numerator, denominator) * (denominator < 0n ? -1n : 1n);
    this.p = numerator / common;
    this.q = denominator / common;
  }
  plus(other) { return new Rational(this.p * other.q + other.p * this.q, this.q * other.q); }
  minus(other) { return new Rational(this.p * other.q - other.p * this.q, this.q * other.q); }
  times(other) { return new Rational(this.p * other.p, this.q * other.q); }
  over(other) { return new Rational(this.p * other.q, this.q * other.p); }
  compare(other) {
    const difference = this.p * other.q - other.p * this.q;
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }
  equals(other) { return this.p === other.p && this.q === other.q; }
  get isZero() { return this.p === 0n; }
  toString() {
    const isLong = abs(this.p) >= HEXADECIMAL_FROM || this.q >= HEXADECIMAL_FROM;
    const digits = (a) => (isLong ? `${a < 0n ? "-" : ""}0x${abs(a).toString(16)}` : a.toString());
    return this.q === 1n ? digits(this.p) : `${digits(this.p)}/${digits(this.q)}`;
  }
  // The natural logarithm of the absolute value, in floating point: for pictures, never for a check.
  get logarithm() { return logarithm(this.p) - logarithm(this.q); }
  get approximate() { return this.isZero ? 0 : (this.p < 0n ? -1 : 1) * Math.exp(this.logarithm); }
}

const ZERO = new Rational(0n);
const ONE = new Rational(1n);
const whole = (n) => new Rational(BigInt(n));
const sum = (numbers) => numbers.reduce((total, number) => total.plus(number), ZERO);

function logarithm(a) {
  const digits = abs(a).toString(16);
  const head = digits.slice(0, 13);
  return Math.log(parseInt(head, 16)) + (digits.length - head.length) * Math.log(16);
}

function readNumber(text, place) {
  const match = typeof text === "string" ? NUMBER.exec(text) : null;
  if (!match) throw new NotSo(`${shown(text)} is not a number here`, place);
  const [, sign, hexP, hexQ, p, q] = match;
  const top = hexP === undefined ? BigInt(p) : BigInt(`0x${hexP}`);
  const bottom = hexP === undefined ? BigInt(q ?? 1) : BigInt(`0x${hexQ ?? 1}`);
  if (bottom === 0n) throw new NotSo(`${shown(text)} has the denominator zero`, place);
  const value = new Rational(sign ? -top : top, bottom);
  if (value.toString() !== text) {
    throw new NotSo(`${shown(text)} is not the one text of this number, in lowest terms`, place);
  }
  return value;
}

function shown(value) {
  const text = typeof value === "string" ? value : JSON.stringify(value) ?? "nothing";
  return text.length <= 40 ? `“${text}”` : `“${text.slice(0, 40)}…” (${text.length} characters)`;
}

// The product of bases^exponents; how large it can get is seen before any power is taken.
function powerProduct(bases, exponents, place) {
  const pairs = bases.map((base, n) => [base, exponents[n]]).filter(([base, n]) => n !== 0n && !base.equals(ONE));
  const bits = ([base, n]) => Number(abs(n)) * Math.max(bitLength(base.p), bitLength(base.q));
  boundedBits(pairs.reduce((total, pair) => total + bits(pair), 0), place);
  let [top, bottom] = [1n, 1n];
  for (const [{ p, q }, n] of pairs) {
    const [above, below] = n < 0n ? [q, p] : [p, q];
    [top, bottom] = [top * above ** abs(n), bottom * below ** abs(n)];
  }
  return new Rational(top, bottom);
}

const dot = (left, right) => sum(left.map((entry, n) => entry.times(new Rational(right[n]))));

function inverseModulo(a, m) {
  let [r, s, u, v] = [((a % m) + m) % m, m, 1n, 0n];
  while (s) {
    const quotient = r / s;
    [r, s, u, v] = [s, r - quotient * s, v, u - quotient * v];
  }
  return ((u % m) + m) % m;
}

// The determinant of a matrix of integers, by Bareiss' elimination without fractions.
function determinant(rows) {
  let [rest, sign, previous] = [rows.map((row) => [...row]), 1n, 1n];
  while (rest.length) {
    const index = rest.findIndex((row) => row[0] !== 0n);
    if (index < 0) return 0n;
    const [[pivot, ...top]] = rest.splice(index, 1);
    boundedBits(bitLength(pivot), "draw");
    rest = rest.map(([first, ...row]) => row.map((entry, n) => (entry * pivot - first * top[n]) / previous));
    [sign, previous] = [index % 2 ? -sign : sign, pivot];
  }
  return sign * previous;
}
