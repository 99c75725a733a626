/**
 * Exact decimal numbers. Money is never a float: a Decimal is an integer count of units and a number of decimals.
 *
 * The units are a JavaScript number while it is exact, as in all real invoices, and a BigInt beyond. Each operation checks its result: one
 * that would pass 2^53 is computed again with BigInts, and a BigInt that fits becomes a number. So each value has one form, and both forms
 * give the same digits.
 *
 * Quirk: "118" and "118.00" are equal numbers with different scales; compare with `equals`, not with `===`.
 */

/** The wire form of a decimal: no sign, no leading zeros, at most 16 integer digits and 6 decimals. */
export const DECIMAL_PATTERN = "^(0|[1-9][0-9]{0,15})(\\.[0-9]{1,6})?$";
const decimalForm = new RegExp(DECIMAL_PATTERN);

/** A BigInt only where a number would not be exact. */
type Units = number | bigint;

/** 10^0 to 10^15: the powers that a number holds exactly. */
const POWERS: readonly number[] = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent);

const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;

export class Decimal {
	private constructor(
		private readonly units: Units,
		private readonly scale: number,
	) {}

	static readonly zero = new Decimal(0, 0);

	/** Reads the wire form; anything else, including white space and exponents, is undefined. */
	static parse(text: string): Decimal | undefined {
		if (text.length > 23 || !decimalForm.test(text)) return undefined;
		return Decimal.of(text);
	}

	/** Reads a decimal that the program wrote, sign allowed. Throws a RangeError on anything else. */
	static of(text: string): Decimal {
		const from = text.charCodeAt(0) === MINUS ? 1 : 0;
		const last = text.length - 1;
		let units = 0;
		let point = -1;
		for (let at = from; at <= last; at++) {
			const code = text.charCodeAt(at);
			if (code >= ZERO && code <= NINE) units = units * 10 + (code - ZERO);
			else if (code === POINT && point < 0 && at > from && at < last) point = at;
			else throw notDecimal(text);
		}
		if (last < from) throw notDecimal(text);
		const scale = point < 0 ? 0 : last - point;
		// Past 2^53 the sum stays past it, whatever its rounding.
		if (!Number.isSafeInteger(units)) return new Decimal(normal(BigInt(text.replace(".", ""))), scale);
		return new Decimal(from === 1 ? -units : units, scale);
	}

	static sum(values: Iterable<Decimal>): Decimal {
		let total = Decimal.zero;
		for (const value of values) total = total.plus(value);
		return total;
	}

	plus(other: Decimal): Decimal {
		const scale = Math.max(this.scale, other.scale);
		return new Decimal(add(this.at(scale), other.at(scale)), scale);
	}

	minus(other: Decimal): Decimal {
		return this.plus(other.negated());
	}

	negated(): Decimal {
		return new Decimal(-this.units, this.scale);
	}

	times(other: Decimal): Decimal {
		return new Decimal(multiply(this.units, other.units), this.scale + other.scale);
	}

	/** Quotient rounded half up (away from zero) to `decimals`. Throws a RangeError on a zero divisor. */
	dividedBy(other: Decimal, decimals: number): Decimal {
		if (other.isZero()) throw new RangeError("division by zero");
		const numerator = scaleUp(this.units, decimals + other.scale);
		return new Decimal(divideHalfUp(numerator, scaleUp(other.units, this.scale)), decimals);
	}

	/** Rounds half up (away from zero) to at most `decimals` decimals. Source: the authority's e-CF format, rounding rule. */
	rounded(decimals: number): Decimal {
		if (this.scale <= decimals) return this;
		return new Decimal(divideHalfUp(this.units, scaleUp(1, this.scale - decimals)), decimals);
	}

	abs(): Decimal {
		return this.units < 0 ? this.negated() : this;
	}

	compare(other: Decimal): -1 | 0 | 1 {
		const scale = Math.max(this.scale, other.scale);
		const a = this.at(scale);
		const b = other.at(scale);
		return a < b ? -1 : a > b ? 1 : 0;
	}

	equals(other: Decimal): boolean {
		return this.compare(other) === 0;
	}

	isZero(): boolean {
		// A BigInt zero cannot occur here: it would have become a number.
		return this.units === 0;
	}

	isNegative(): boolean {
		return this.units < 0;
	}

	/** True when at most this many digits stand before the point. */
	hasIntegerDigitsAtMost(count: number): boolean {
		const limit = count + this.scale;
		const power = POWERS[limit];
		if (typeof this.units === "number") return power === undefined || Math.abs(this.units) < power;
		return magnitude(this.units) < 10n ** BigInt(limit);
	}

	/** True when rounding to `decimals` would lose digits. */
	hasMoreThan(decimals: number): boolean {
		return this.scale > decimals && !this.rounded(decimals).equals(this);
	}

	/** Text with exactly `decimals` decimals, rounded half up. */
	toFixed(decimals: number): string {
		return print(this.rounded(decimals).at(decimals), decimals);
	}

	/** Shortest text with at least `least` decimals: further trailing zeros are dropped. */
	toShortest(least = 0): string {
		if (this.scale <= least) return this.toFixed(least);
		const text = this.toString();
		let end = text.length;
		for (let decimals = this.scale; decimals > least && text.charCodeAt(end - 1) === ZERO; decimals--) end--;
		if (text.charCodeAt(end - 1) === POINT) end--;
		return text.slice(0, end);
	}

	toString(): string {
		return print(this.units, this.scale);
	}

	private at(scale: number): Units {
		return scale === this.scale ? this.units : scaleUp(this.units, scale - this.scale);
	}
}

function notDecimal(text: string): RangeError {
	return new RangeError(`expected a decimal, got ${JSON.stringify(text)}`);
}

/** A BigInt as a number where that is exact. */
function normal(units: bigint): Units {
	return units >= Number.MIN_SAFE_INTEGER && units <= Number.MAX_SAFE_INTEGER ? Number(units) : units;
}

function add(a: Units, b: Units): Units {
	if (typeof a === "number" && typeof b === "number") {
		const sum = a + b;
		if (Number.isSafeInteger(sum)) return sum;
	}
	return normal(BigInt(a) + BigInt(b));
}

function multiply(a: Units, b: Units): Units {
	if (typeof a === "number" && typeof b === "number") {
		const product = a * b;
		if (Number.isSafeInteger(product)) return product;
	}
	return normal(BigInt(a) * BigInt(b));
}

function scaleUp(units: Units, exponent: number): Units {
	const power = POWERS[exponent];
	return multiply(units, power ?? 10n ** BigInt(exponent));
}

/** Decides by the remainder: a quotient of floats could be rounded up to the next integer. */
function divideHalfUp(numerator: Units, denominator: Units): Units {
	if (typeof numerator === "number" && typeof denominator === "number") {
		const n = Math.abs(numerator);
		const d = Math.abs(denominator);
		const remainder = n % d;
		const quotient = (n - remainder) / d + (remainder >= d - remainder ? 1 : 0);
		return numerator < 0 !== denominator < 0 ? -quotient : quotient;
	}
	const n = magnitude(BigInt(numerator));
	const d = magnitude(BigInt(denominator));
	const quotient = (2n * n + d) / (2n * d);
	return normal(numerator < 0 !== denominator < 0 ? -quotient : quotient);
}

function magnitude(units: bigint): bigint {
	return units < 0n ? -units : units;
}

/** 00 to 99. */
const CENTS: readonly string[] = Array.from({ length: 100 }, (_, cents) => String(cents).padStart(2, "0"));

function print(units: Units, scale: number): string {
	// Nearly everything that is printed is an amount of money.
	if (scale === 2 && typeof units === "number" && units >= 0) {
		const cents = units % 100;
		return `${(units - cents) / 100}.${CENTS[cents]}`;
	}
	const sign = units < 0 ? "-" : "";
	const digits = String(units < 0 ? -units : units);
	if (scale === 0) return sign + digits;
	const whole = digits.length - scale;
	if (whole > 0) return `${sign}${digits.slice(0, whole)}.${digits.slice(whole)}`;
	return `${sign}0.${"0".repeat(-whole)}${digits}`;
}
