/**
 * Exact decimal numbers. Money never becomes a float: a Decimal is a BigInt of units and the count of its decimals.
 *
 * Quirk: "118" and "118.00" are equal numbers with different scales; compare with `equals`, not with `===`.
 */

/** The wire form of a decimal: no sign, no leading zeros, at most 16 integer digits and 6 decimals. */
export const DECIMAL_PATTERN = "^(0|[1-9][0-9]{0,15})(\\.[0-9]{1,6})?$";
const decimalForm = new RegExp(DECIMAL_PATTERN);

export class Decimal {
	private constructor(
		private readonly units: bigint,
		private readonly scale: number,
	) {}

	static readonly zero = new Decimal(0n, 0);

	/** Reads the wire form; anything else, white space and exponents included, is undefined. */
	static parse(text: string): Decimal | undefined {
		if (text.length > 23 || !decimalForm.test(text)) return undefined;
		return Decimal.of(text);
	}

	/** Reads a decimal that the program itself wrote, sign allowed. Throws a RangeError on anything else. */
	static of(text: string): Decimal {
		const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
		if (!match) throw new RangeError(`expected a decimal, got ${JSON.stringify(text)}`);
		const fraction = match[3] ?? "";
		const units = BigInt((match[2] ?? "0") + fraction);
		return new Decimal(match[1] ? -units : units, fraction.length);
	}

	static sum(values: Iterable<Decimal>): Decimal {
		let total = Decimal.zero;
		for (const value of values) total = total.plus(value);
		return total;
	}

	plus(other: Decimal): Decimal {
		const scale = Math.max(this.scale, other.scale);
		return new Decimal(this.at(scale) + other.at(scale), scale);
	}

	minus(other: Decimal): Decimal {
		return this.plus(other.negated());
	}

	negated(): Decimal {
		return new Decimal(-this.units, this.scale);
	}

	times(other: Decimal): Decimal {
		return new Decimal(this.units * other.units, this.scale + other.scale);
	}

	/** Quotient rounded half up (away from zero) to `decimals`. Throws a RangeError on a zero divisor. */
	dividedBy(other: Decimal, decimals: number): Decimal {
		if (other.units === 0n) throw new RangeError("division by zero");
		const numerator = this.units * 10n ** BigInt(decimals + other.scale);
		const denominator = other.units * 10n ** BigInt(this.scale);
		return new Decimal(divideHalfUp(numerator, denominator), decimals);
	}

	/** Rounds half up (away from zero) to at most `decimals` decimals. Source: the authority's e-CF format, rounding rule. */
	rounded(decimals: number): Decimal {
		if (this.scale <= decimals) return this;
		return new Decimal(divideHalfUp(this.units, 10n ** BigInt(this.scale - decimals)), decimals);
	}

	abs(): Decimal {
		return this.units < 0n ? this.negated() : this;
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
		return this.units === 0n;
	}

	isNegative(): boolean {
		return this.units < 0n;
	}

	/** True when rounding to `decimals` would lose something. */
	hasMoreThan(decimals: number): boolean {
		return !this.rounded(decimals).equals(this);
	}

	/** Text with exactly `decimals` decimals, rounded half up. */
	toFixed(decimals: number): string {
		return print(this.rounded(decimals).at(decimals), decimals);
	}

	/** Shortest text with at least `least` decimals: trailing zeros beyond that are dropped. */
	toShortest(least = 0): string {
		let text = this.toString();
		if (!text.includes(".")) return least > 0 ? this.toFixed(least) : text;
		let decimals = text.length - text.indexOf(".") - 1;
		while (decimals > least && text.endsWith("0")) {
			text = text.slice(0, -1);
			decimals--;
		}
		if (text.endsWith(".")) text = text.slice(0, -1);
		return decimals < least ? this.toFixed(least) : text;
	}

	toString(): string {
		return print(this.units, this.scale);
	}

	private at(scale: number): bigint {
		return this.units * 10n ** BigInt(scale - this.scale);
	}
}

function divideHalfUp(numerator: bigint, denominator: bigint): bigint {
	const negative = numerator < 0n !== denominator < 0n;
	const n = numerator < 0n ? -numerator : numerator;
	const d = denominator < 0n ? -denominator : denominator;
	const quotient = (2n * n + d) / (2n * d);
	return negative ? -quotient : quotient;
}

function print(units: bigint, scale: number): string {
	const sign = units < 0n ? "-" : "";
	const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, "0");
	if (scale === 0) return sign + digits;
	return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
