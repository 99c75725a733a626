/** Builds a case as an invoice request, as a caller would send it. */
import type { EcfInvoice, EcfLine } from "../../ecf/mapping";
import { Decimal } from "../../platform/values";
import { type Basket, encfOf, type TestCase } from "./composition";

export type Party = { readonly rnc: string; readonly name: string };

export type Surroundings = {
	readonly cases: readonly TestCase[];
	readonly niche: Niche;
	readonly company: Party;
	/** The other party: the buyer, or the seller of a purchase. */
	readonly buyer: Party;
	readonly start: number;
	/** `YYYY-MM-DD`, the common issue date. */
	readonly today: string;
};

/** Above the authority's limit for consumer invoices even without tax. */
const LARGE_FROM = Decimal.of("260000.00");
const CREDIT_DAYS = 30;
const ONE = Decimal.of("1");
const ISR_RATE = Decimal.of("0.10");
const RATES: Readonly<Record<string, Decimal>> = { "18": Decimal.of("0.18"), "16": Decimal.of("0.16") };

export function buildInvoice(one: TestCase, around: Surroundings): EcfInvoice {
	const { company, buyer, today } = around;
	const lines = buildLines(one, NICHES[around.niche]);
	return {
		type: one.type,
		encf: encfOf(one, around.start),
		company,
		customer: buyer,
		lines,
		totals: sumUp(lines),
		issue_date: today,
		...(one.currency
			? { currency: one.currency.code, exchange_rate: one.currency.rate, amounts_in: "DOP" as const }
			: {}),
		...(one.isOnCredit ? { payment: { terms: "credit" }, due_date: addDays(today, CREDIT_DAYS) } : {}),
		...toReference(one, around),
	};
}

function toReference(
	{ reference, name }: TestCase,
	{ cases, start, today }: Surroundings,
): Pick<EcfInvoice, "reference"> {
	if (!reference) return {};
	const original = cases.find((other) => other.name === reference.to);
	if (!original) throw new Error(`expected the set to hold ${reference.to}, which ${name} refers to`);
	const { code, reason } = reference;
	return { reference: { encf: encfOf(original, start), issue_date: today, code, reason } };
}

/** Quantities vary by case, so that no two documents are alike. */
function buildLines({ basket, ordinal, pricesIncludeTax }: TestCase, items: readonly NicheItem[]): EcfLine[] {
	const [first, ...others] = items;
	if (!first) throw new Error("expected a niche with items");
	const some = (item: NicheItem, index: number) => toLine(item, String(((ordinal + index) % 4) + 1), index);
	const makers: Readonly<Record<Basket, () => EcfLine[]>> = {
		mixed: () => items.map(some),
		small: () => items.slice(0, 2).map(some),
		exempt: () => items.slice(0, 3).map((item, index) => some({ ...item, taxRate: "exempt" }, index)),
		large: () => [toLine(first, quantityFor(first, ordinal), 0), ...others.slice(0, 1).map((item) => some(item, 1))],
		single: () => [toLine(first, "1", 0)],
		zero: () => [toLine({ ...first, price: "0.00" }, "1", 0)],
		"bought-goods": () => [withhold({ ...toLine({ ...first, kind: "good" }, "5", 0) }, false)],
		"bought-services": () => [withhold(toLine({ ...first, kind: "service" }, "3", 0), true)],
	};
	const lines = makers[basket]();
	return pricesIncludeTax ? lines.map(withGrossPrices) : lines;
}

function withGrossPrices(line: EcfLine): EcfLine {
	const factor = rateOf(line).plus(ONE);
	const gross = (net: string) => Decimal.of(net).times(factor).toFixed(2);
	return { ...line, gross_unit_price: gross(line.unit_price), gross_subtotal: gross(line.subtotal) };
}

export function toLine(item: NicheItem, quantity: string, index: number): EcfLine {
	return {
		line_number: index + 1,
		description: item.description,
		quantity,
		unit_price: item.price,
		subtotal: Decimal.of(quantity).times(Decimal.of(item.price)).toFixed(2),
		tax_rate: item.taxRate,
		kind: item.kind,
		unit: item.unit,
	};
}

/** Withholdings of informal purchases: all ITBIS, and a tenth of services. Zero amounts are stated too. Source: the authority's rules for purchases. */
function withhold(line: EcfLine, isWithheld: boolean): EcfLine {
	const part = (rate: Decimal) =>
		(isWithheld ? Decimal.of(line.subtotal).times(rate).rounded(2) : Decimal.zero).toFixed(2);
	return { ...line, withholding: { itbis: part(rateOf(line)), isr: part(ISR_RATE) } };
}

function quantityFor({ price }: NicheItem, ordinal: number): string {
	return LARGE_FROM.dividedBy(Decimal.of(price), 0)
		.plus(Decimal.of(String(ordinal)))
		.toFixed(0);
}

/** Sums of lines, with the tax of each rate rounded once. */
export function sumUp(lines: readonly EcfLine[]): EcfInvoice["totals"] {
	const subtotal = Decimal.sum(lines.map((line) => Decimal.of(line.subtotal)));
	const byRate = Map.groupBy(lines, (line) => line.tax_rate);
	const tax = Decimal.sum(
		[...byRate.values()].map((group) => {
			const base = Decimal.sum(group.map((line) => Decimal.of(line.subtotal)));
			return base.times(group[0] ? rateOf(group[0]) : Decimal.zero).rounded(2);
		}),
	);
	return { subtotal: subtotal.toFixed(2), tax: tax.toFixed(2), grand_total: subtotal.plus(tax).toFixed(2) };
}

function rateOf({ tax_rate: name }: EcfLine): Decimal {
	return RATES[name ?? ""] ?? Decimal.zero;
}

function addDays(day: string, days: number): string {
	return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** What a test set sells, by trade. Prices in pesos, without tax. */
export type NicheItem = {
	readonly description: string;
	readonly kind: "good" | "service";
	/** Code of the authority's unit table: 19 hour, 21 kilogram, 23 pound, 24 litre, 43 unit. */
	readonly unit: string;
	readonly price: string;
	readonly taxRate: "18" | "16" | "0" | "exempt";
};

const good = (description: string, price: string, taxRate: NicheItem["taxRate"] = "18", unit = "43"): NicheItem => ({
	...{ description, kind: "good", unit, price, taxRate },
});
const service = (description: string, price: string, unit = "43"): NicheItem => ({
	...{ description, kind: "service", unit, price, taxRate: "18" },
});

export const NICHES = {
	retail: [
		good("Licuadora de vaso de vidrio, 600 W", "3250.00"),
		good("Juego de ollas de acero inoxidable, 7 piezas", "4875.00"),
		good("Café molido tostado oscuro, 1 libra", "310.00", "16", "23"),
		good("Arroz selecto, saco de 50 libras", "1650.00", "exempt"),
	],
	construction: [
		good("Cemento gris Portland, saco de 42.5 kg", "450.00"),
		good("Varilla corrugada 3/8 pulgada por 20 pies", "285.00"),
		good("Pintura acrílica blanca, cubeta de 5 galones", "5400.00"),
		service("Transporte de materiales a la obra", "3500.00"),
	],
	restaurant: [
		service("Servicio de banquete, por persona", "1450.00"),
		good("Plato del día con guarnición", "525.00"),
		good("Jugo natural de chinola, jarra de 1 litro", "275.00", "18", "24"),
		good("Agua purificada, botella de 500 ml", "45.00", "exempt"),
	],
	pharmacy: [
		good("Tensiómetro digital de brazo", "2890.00"),
		good("Protector solar FPS 50, 120 ml", "985.00"),
		good("Acetaminofén 500 mg, caja de 100 tabletas", "420.00", "exempt"),
		good("Suero oral, frasco de 500 ml", "165.00", "exempt"),
	],
	services: [
		service("Consultoría contable, por hora", "2750.00", "19"),
		service("Preparación de declaración jurada mensual", "6500.00"),
		service("Capacitación en facturación electrónica, por hora", "3200.00", "19"),
		service("Soporte técnico remoto, por hora", "1800.00", "19"),
	],
} as const satisfies Readonly<Record<string, readonly NicheItem[]>>;

export type Niche = keyof typeof NICHES;

export const NICHE_NAMES = Object.keys(NICHES) as readonly Niche[];
