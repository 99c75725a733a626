/** Amounts as people type and copy them, and the sums of a document, in exact decimals. The service checks both. */
import { Decimal } from "../../../../platform/values";
import type { InvoiceRequest } from "../../api/generated";
import type { Members, Row, Totals } from "./row";

const THOUSANDS = /^\d{1,3}(?:,\d{3})+(?:\.\d*)?$/;
const THOUSANDS_WITH_POINTS = /^\d{1,3}(?:\.\d{3})+,\d*$/;
const DECIMAL_COMMA = /^\d*,\d{1,2}$/;

/** `RD$ 1,234.50` is 1234.50, and so is `1.234,50`; undefined for what is no amount, or less than nothing. */
export function readAmount(text: string): Decimal | undefined {
	const bare = text.replace(/RD\$|US\$|[$\s%]/g, "");
	const plain = THOUSANDS.test(bare)
		? bare.replaceAll(",", "")
		: THOUSANDS_WITH_POINTS.test(bare)
			? bare.replaceAll(".", "").replace(",", ".")
			: DECIMAL_COMMA.test(bare)
				? bare.replace(",", ".")
				: bare;
	return Decimal.parse(
		plain
			.replace(/^0+(?=\d)/, "")
			.replace(/^\./, "0.")
			.replace(/\.$/, ""),
	);
}

/** The rate that a spreadsheet's cell means: `18`, `18%`, `0.18`, `Exento`; undefined for anything else. */
export function readRate(text: string): "18" | "16" | "0" | "exempt" | undefined {
	if (/^e(?:x|$)/i.test(text.trim())) return "exempt";
	const rate = readAmount(text);
	const found = (["18", "16", "0"] as const).find(
		(one) => rate?.equals(Decimal.of(one)) || rate?.times(HUNDRED).equals(Decimal.of(one)),
	);
	return found;
}

/** The cells of a copied part of a spreadsheet. A quoted cell may have line ends in it. */
export function readCopied(text: string): string[][] {
	const rows: string[][] = [[]];
	const cell = /(?:"((?:[^"]|"")*)"|([^\t\r\n]*))(\t|\r\n|\n|\r|$)/gy;
	while (cell.lastIndex < text.length) {
		const [, quoted, plain = "", end] = cell.exec(text) ?? [];
		if (end === undefined) return text.split(/\r\n|\n|\r/).map((line) => line.split("\t"));
		rows.at(-1)?.push((quoted?.replaceAll('""', '"') ?? plain).replace(/\s*[\r\n]+\s*/g, " "));
		if (end !== "\t" && cell.lastIndex < text.length) rows.push([]);
	}
	return rows;
}

const HUNDRED = Decimal.of("100");
const FACTORS: Readonly<Record<string, Decimal>> = { "18": Decimal.of("0.18"), "16": Decimal.of("0.16") };
const NET_TAXES = ["001", "002", "003", "004", "005"];

/** Price times quantity, less the discount; what cannot be read counts as nothing. */
export function amountOf({ stated, quantity, unit_price, discount, further }: Row): Decimal {
	if (stated !== undefined) return Decimal.of(stated);
	const read = (text: string | undefined) => readAmount(text ?? "") ?? Decimal.zero;
	const amount = read(quantity).times(read(unit_price)).minus(read(discount)).plus(read(further.surcharge));
	return amount.isNegative() ? Decimal.zero : amount.rounded(2);
}

/** The totals that the lines give, with discounts and surcharges on the whole document, further taxes and the legal tip. */
export function sumUp(rows: readonly Row[], members: Members): Totals {
	const bases = new Map<string, Decimal>();
	const add = (rate: string, amount: Decimal) => bases.set(rate, (bases.get(rate) ?? Decimal.zero).plus(amount));
	let subtotal = Decimal.zero;
	let tax = readAmount(String(members.legal_tip ?? "")) ?? Decimal.zero;
	for (const row of rows) {
		const amount = amountOf(row);
		subtotal = subtotal.plus(amount);
		add(row.tax_rate, amount);
		for (const { code, amount: further } of row.further.additional_taxes ?? []) {
			const value = Decimal.of(further);
			tax = tax.plus(value);
			// Excise is part of what ITBIS is reckoned on.
			if (!NET_TAXES.includes(code)) add(row.tax_rate, value);
		}
	}
	for (const { rate, amount } of adjust((members.adjustments ?? []) as Adjustments, rows)) {
		subtotal = subtotal.plus(amount);
		add(rate, amount);
	}
	for (const [rate, base] of bases) tax = tax.plus(base.times(FACTORS[rate] ?? Decimal.zero).rounded(2));
	const [net, taxed] = [subtotal.isNegative() ? Decimal.zero : subtotal.rounded(2), tax.rounded(2)];
	return { subtotal: net.toFixed(2), tax: taxed.toFixed(2), grand_total: net.plus(taxed).toFixed(2) };
}

type Adjustments = NonNullable<InvoiceRequest["adjustments"]>;

/** What each adjustment changes at each rate; without a rate of its own, all rates in proportion to their lines. */
function adjust(adjustments: Adjustments, rows: readonly Row[]): { rate: string; amount: Decimal }[] {
	const sums = new Map<string, Decimal>();
	for (const row of rows) sums.set(row.tax_rate, (sums.get(row.tax_rate) ?? Decimal.zero).plus(amountOf(row)));
	const all = Decimal.sum(sums.values());
	return adjustments.flatMap(({ kind, amount, percent, tax_rate }) => {
		const base = tax_rate === undefined ? all : (sums.get(tax_rate) ?? Decimal.zero);
		const whole =
			amount !== undefined ? Decimal.of(amount) : base.times(Decimal.of(percent ?? "0")).dividedBy(HUNDRED, 2);
		const signed = kind === "discount" ? whole.negated() : whole;
		if (tax_rate !== undefined || all.isZero()) return [{ rate: tax_rate ?? "exempt", amount: signed }];
		const rates = [...sums];
		let left = signed;
		return rates.map(([rate, sum], at) => {
			const share = at === rates.length - 1 ? left : signed.times(sum).dividedBy(all, 2);
			left = left.minus(share);
			return { rate, amount: share };
		});
	});
}
