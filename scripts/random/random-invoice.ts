/**
 * A random invoice request that the service accepts: any of the six types, every optional member at some time, hostile texts, consistent
 * totals. One in a hundred has as many lines as its type allows.
 */
import {
	CURRENCIES,
	carries,
	ECF_TYPES,
	type EcfAdjustment,
	type EcfInvoice,
	type EcfLine,
	type EcfType,
	profileOf,
} from "../../src/ecf/mapping";
import { Decimal } from "../../src/platform/values";
import { type Chance, createChance } from "../../test/support/chance";
import { hostileText } from "../../test/support/hostile-text";
import { randomAccount, randomContact, randomParticulars } from "./random-particulars";

const FOREIGN = CURRENCIES.filter((code) => code !== "DOP");
const RATES = ["18", "16", "0", "exempt"] as const;
type Rate = (typeof RATES)[number];
const ITBIS: Readonly<Record<Rate, Decimal>> = {
	"18": Decimal.of("0.18"),
	"16": Decimal.of("0.16"),
	"0": Decimal.zero,
	exempt: Decimal.zero,
};
const RNCS = ["990000001", "9-90-00000-2", "001-0000000-9", "00199999996", "401000001"];
const NAMED_BUYER_FROM = Decimal.of("250000.00");
const NUMBER_END = 10 ** 10;

/** The nth invoice of a series: the same seed and number give the same invoice. */
export function randomInvoice(seed: number, number: number): EcfInvoice {
	const chance = createChance(seed * 1_000_003 + number);
	// Of its own, so that further members do not change the others.
	const further = createChance(seed * 1_000_003 + number + 0x5eed);
	const type = ECF_TYPES[number % ECF_TYPES.length] ?? "31";
	const isWholeRate = chance.percent(40);
	const isExempt = !carries(type, "TotalITBIS");
	const rate = isExempt ? "exempt" : chance.pick(RATES);
	const count = number % 100 === 7 ? profileOf(type).linesMax : chance.whole(1, chance.percent(10) ? 60 : 8);
	const drafts = Array.from({ length: count }, (_, index) =>
		randomLine(chance, type, index, isWholeRate || isExempt ? rate : chance.pick(RATES)),
	);
	// Adjustments name their rate, and then all lines do too. Without named rates only the totals give the rate.
	const isNamed = !isWholeRate || chance.percent(50) || rate === "0";
	const wanted = isNamed && count <= 60 && chance.percent(25) ? randomAdjustments(chance, type, drafts) : [];
	const isInTax = chance.percent(40);
	// Discounts above the tax of their lines would need negative totals, which no request can hold.
	const adjustments = addUp(drafts, wanted, isInTax).tax.startsWith("-") ? [] : wanted;
	const isTipped = profileOf(type).additionalTaxes !== "none" && further.percent(10) && drafts.every(hasRoomForTip);
	const tip = isTipped ? tipOf(drafts, adjustments) : undefined;
	const totals = addUp(drafts, adjustments, isInTax, tip);
	const amounts_in = further.maybe(50, () => further.pick(["DOP", "document"]));
	const isGross = carries(type, "IndicadorMontoGravado") && further.percent(20);
	const toLine = ({ line, rate: own }: LineDraft): EcfLine => ({
		...line,
		...(isNamed || isGross ? { tax_rate: own } : {}),
		...(isGross ? grossOf(line, own) : {}),
		...(carries(type, "CantidadReferencia") && further.percent(10) ? { excise: randomExcise(further) } : {}),
	});
	return dropUndefined<EcfInvoice>({
		type,
		encf: randomNumber(chance, type, number),
		client_request_id: chance.maybe(30, () => `random-${seed}-${number}`),
		company: { rnc: "990000001", name: hostileText(chance, 150) },
		customer: randomCustomer(chance, type, Decimal.of(totals.grand_total), amounts_in === "document"),
		lines: drafts.map(toLine),
		totals,
		...randomDates(chance, type),
		...randomParticulars(seed, number, type, count),
		...randomCurrency(chance),
		amounts_in,
		legal_tip: tip?.toFixed(2),
		income_type: chance.maybe(40, () => `0${chance.whole(1, 6)}`),
		reference: randomReference(chance, type),
		adjustments: adjustments.length > 0 ? adjustments : undefined,
		branch: chance.maybe(40, () => hostileText(chance, 60)),
		pos: chance.maybe(40, () => hostileText(chance, 60)),
		seller: chance.maybe(40, () => hostileText(chance, 60)),
		order_number: chance.maybe(40, () =>
			chance.percent(50) ? String(chance.whole(1, 99_999)) : hostileText(chance, 60),
		),
		notes: chance.maybe(20, () => hostileText(chance, 1_000)),
		emails: chance.maybe(20, () => ["compras@robles.example"]),
		metadata: chance.maybe(20, () => ({ order: hostileText(chance, 500) })),
	});
}

/** A number of the type; one in twenty has the eleven or twelve characters of older examples. */
function randomNumber(chance: Chance, type: EcfType, number: number): string {
	const digits = chance.percent(95) ? 10 : chance.whole(8, 9);
	return `E${type}${String((number % (NUMBER_END - 1)) + 1).padStart(digits, "0")}`;
}

type LineDraft = {
	readonly line: EcfLine;
	readonly rate: Rate;
	readonly amount: Decimal;
	readonly taxes: readonly Tax[];
};
type Tax = { readonly code: string; readonly rate?: string; readonly amount: string };

function randomLine(chance: Chance, type: EcfType, index: number, rate: Rate): LineDraft {
	// Most consumer invoices are small and go to the authority as summaries.
	const isSmall = profileOf(type).isConsumer && chance.percent(95);
	const quantity = randomDecimal(
		chance,
		1,
		isSmall ? 20 : chance.percent(95) ? 500 : 99_999_999,
		chance.percent(10) ? 6 : 2,
	);
	const price = randomDecimal(
		chance,
		0,
		isSmall ? 900 : chance.percent(95) ? 5_000 : 99_999,
		chance.percent(10) ? 6 : 4,
	);
	const gross = Decimal.of(quantity).times(Decimal.of(price)).rounded(2);
	const discount = chance.maybe(20, () => part(chance, gross));
	const surcharge = chance.maybe(20, () => part(chance, gross));
	const amount = gross.minus(discount ?? Decimal.zero).plus(surcharge ?? Decimal.zero);
	const itbis = amount.times(ITBIS[rate]).rounded(2);
	const taxes = chance.percent(15) ? randomTaxes(chance, type, amount, rate) : [];
	const mayWithhold = carries(type, "Retencion");
	const line = dropUndefined<EcfLine>({
		line_number: index + 1,
		description: hostileText(chance, 1_000),
		quantity,
		unit_price: price,
		subtotal: chance.percent(90) ? amount.toFixed(2) : amount.toFixed(6),
		kind: chance.maybe(50, () => chance.pick(["good", "service"])),
		unit: chance.maybe(50, () => String(chance.whole(1, 62))),
		item_code: chance.maybe(30, () => randomCodes(chance)),
		discount: discount?.toFixed(2),
		surcharge: surcharge?.toFixed(2),
		withholding: mayWithhold
			? chance.maybe(30, () => ({ itbis: itbis.toFixed(2), isr: part(chance, amount).toFixed(2) }))
			: undefined,
		additional_taxes: taxes.length > 0 ? taxes : undefined,
		production_date: chance.maybe(10, () => "2026-10-01"),
		expiry_date: chance.maybe(10, () => "2027-10-01"),
		// Set by the invoice: prices on every line or on none.
		excise: undefined,
		gross_unit_price: undefined,
		gross_subtotal: undefined,
		// Set by the invoice, which names either all rates or none.
		tax_rate: undefined,
	});
	return { line, rate, amount, taxes };
}

/** A line has two taxes at most, and one tip. */
function hasRoomForTip({ taxes }: LineDraft): boolean {
	return taxes.length < 2 && taxes.every(({ code }) => code !== "001");
}

/** A tenth of what is sold; undefined if it rounds to nothing. */
function tipOf(drafts: readonly LineDraft[], adjustments: readonly EcfAdjustment[]): Decimal | undefined {
	const changes = adjustments.map(({ kind, amount = "0" }) =>
		kind === "discount" ? Decimal.of(amount).negated() : Decimal.of(amount),
	);
	const tip = Decimal.sum([...drafts.map(({ amount }) => amount), ...changes])
		.times(Decimal.of("0.1"))
		.rounded(2);
	return tip.isZero() ? undefined : tip;
}

/** Price and amount of a line with its ITBIS. */
function grossOf({ unit_price, subtotal }: EcfLine, rate: Rate): Pick<EcfLine, "gross_unit_price" | "gross_subtotal"> {
	const factor = ITBIS[rate].plus(Decimal.of("1"));
	const gross = (net: string, decimals: number) => Decimal.of(net).times(factor).toFixed(decimals);
	return { gross_unit_price: gross(unit_price, 4), gross_subtotal: gross(subtotal, 2) };
}

/** What excise needs: everything, so that its tax is complete. */
function randomExcise(chance: Chance): EcfLine["excise"] {
	const unit = () => String(chance.whole(1, 62));
	return {
		reference_quantity: String(chance.whole(1, 48)),
		reference_unit: unit(),
		sub_quantities: Array.from({ length: chance.whole(1, 5) }, () => ({
			quantity: randomDecimal(chance, 0, 9, 3),
			unit: unit(),
		})),
		alcohol_degrees: `${chance.whole(1, 95)}.5`,
		retail_price: `${chance.whole(1, 9_000)}.95`,
	};
}

function randomCodes(chance: Chance): EcfLine["item_code"] {
	const code = () => ({ type: hostileText(chance, 14), code: hostileText(chance, 35) });
	return chance.percent(50) ? code() : Array.from({ length: chance.whole(1, 5) }, code);
}

/** A part of an amount, less than half of it. */
function part(chance: Chance, amount: Decimal): Decimal {
	return amount.times(Decimal.of(`0.${chance.whole(1, 49)}`)).rounded(2);
}

/** Taxes derive from the amount, so that no two rates of one code meet. */
function randomTaxes(chance: Chance, type: EcfType, amount: Decimal, rate: Rate): Tax[] {
	const { additionalTaxes } = profileOf(type);
	if (additionalTaxes === "none") return [];
	const codes =
		additionalTaxes === "on-services"
			? ["001", "003"]
			: rate === "18"
				? ["001", "002", "006", "023", "036"]
				: ["001", "004"];
	const fixed: Readonly<Record<string, string>> = { "001": "10", "002": "2", "003": "16", "004": "10", "036": "20" };
	const first = chance.pick(codes);
	const chosen = [first, ...codes.filter((code) => code !== first && chance.percent(20))].slice(0, 2);
	return chosen.map((code) => {
		const percent = fixed[code] ?? "10";
		const tax = amount.times(Decimal.of(percent)).times(Decimal.of("0.01")).toFixed(2);
		return { code, amount: tax, ...(code === "006" || chance.percent(50) ? { rate: percent } : {}) };
	});
}

function randomAdjustments(chance: Chance, type: EcfType, drafts: readonly LineDraft[]): EcfAdjustment[] {
	const [first] = drafts;
	if (!first) return [];
	const touched = Decimal.sum(drafts.filter(({ rate }) => rate === first.rate).map(({ amount }) => amount));
	return Array.from({ length: chance.whole(1, 3) }, () => {
		const percent = chance.maybe(50, () => String(chance.whole(1, 20)));
		const amount = percent
			? touched.times(Decimal.of(percent)).times(Decimal.of("0.01")).rounded(2)
			: touched.times(Decimal.of("0.05")).rounded(2);
		return dropUndefined<EcfAdjustment>({
			kind: chance.pick(["discount", "surcharge", "surcharge"]),
			description: hostileText(chance, 200),
			percent,
			amount: amount.toFixed(2),
			tax_rate: !carries(type, "TotalITBIS") ? "exempt" : first.rate,
		});
	});
}

/** Consistent totals: tax includes the other taxes; adjustments change the subtotal or, if requested, the tax. */
function addUp(
	drafts: readonly LineDraft[],
	adjustments: readonly EcfAdjustment[],
	isInTax: boolean,
	tip = Decimal.zero,
): EcfInvoice["totals"] {
	const adjusted = adjustments.map(({ kind, amount = "0", tax_rate }) => ({
		rate: tax_rate,
		amount: kind === "discount" ? Decimal.of(amount).negated() : Decimal.of(amount),
	}));
	const itbis = RATES.map((rate) => {
		const own = drafts.filter((draft) => draft.rate === rate);
		const excise = rate === "18" ? own.flatMap(({ taxes }) => taxes.filter(({ code }) => code >= "006")) : [];
		const base = Decimal.sum([
			...own.map(({ amount }) => amount),
			...excise.map(({ amount }) => Decimal.of(amount)),
			...adjusted.filter((one) => one.rate === rate).map(({ amount }) => amount),
		]);
		return base.times(ITBIS[rate]).rounded(2);
	});
	const others = drafts.flatMap(({ taxes }) => taxes).map(({ amount }) => Decimal.of(amount));
	const bare = Decimal.sum(drafts.map(({ amount }) => amount));
	const change = Decimal.sum(adjusted.map(({ amount }) => amount));
	const subtotal = isInTax ? bare : bare.plus(change);
	const tax = Decimal.sum([...itbis, ...others, tip, isInTax ? change : Decimal.zero]);
	return { subtotal: subtotal.toFixed(2), tax: tax.toFixed(2), grand_total: subtotal.plus(tax).toFixed(2) };
}

/** An amount in another currency may be of any size in pesos. */
function randomCustomer(chance: Chance, type: EcfType, total: Decimal, isInCurrency: boolean): EcfInvoice["customer"] {
	const isNamed = profileOf(type).namesBuyer || total.compare(NAMED_BUYER_FROM) >= 0 || isInCurrency;
	if (!isNamed && chance.percent(30)) return undefined;
	const name = hostileText(chance, 150);
	const contact = randomContact(chance);
	if (!isNamed && chance.percent(30)) return { name, ...contact };
	const isForeign = carries(type, "IdentificadorExtranjero") && chance.percent(20);
	const identity = isForeign ? { foreign_id: hostileText(chance, 20) } : { rnc: chance.pick(RNCS) };
	return { ...identity, name, ...contact };
}

function randomDates(chance: Chance, type: EcfType) {
	const issue_date = chance.maybe(60, () => `2026-11-${String(chance.whole(1, 20)).padStart(2, "0")}`);
	const terms = chance.pick(["cash", "credit", "free"]);
	const forms = chance.maybe(40, () =>
		Array.from({ length: chance.whole(1, 7) }, () => ({
			method: chance.pick([1, 2, 3, 4, 6, 7, 8]),
			amount: randomDecimal(chance, 0, 99_999, 2),
		})),
	);
	const isStated = carries(type, "TerminoPago") && chance.percent(20);
	const account = isStated ? { account: randomAccount(chance), terms_text: "30 días" } : {};
	const payment =
		terms === "credit" || chance.percent(50) ? { terms, ...(forms ? { forms } : {}), ...account } : undefined;
	return { issue_date, payment, due_date: terms === "credit" ? "2026-12-31" : undefined };
}

function randomCurrency(chance: Chance): EveryMember<Pick<EcfInvoice, "currency" | "exchange_rate">> {
	if (!chance.percent(25)) return { currency: chance.percent(10) ? "DOP" : undefined, exchange_rate: undefined };
	return { currency: chance.pick(FOREIGN), exchange_rate: randomDecimal(chance, 1, 999, 4) };
}

/** Notes nearly always have a reference; another type sometimes replaces a paper document. */
function randomReference(chance: Chance, type: EcfType): EcfInvoice["reference"] {
	const { isNote } = profileOf(type);
	if (!chance.percent(isNote ? 90 : 5)) return undefined;
	return dropUndefined<NonNullable<EcfInvoice["reference"]>>({
		encf: chance.pick(["E310000000001", "E320000000001", "B0100000001", "A010010010100000001"]),
		issue_date: `2026-${chance.pick(["08", "10"])}-15`,
		code: isNote ? chance.whole(1, 4) : 4,
		reason: chance.maybe(60, () => hostileText(chance, 90)),
		customer_rnc: chance.maybe(10, () => "990000003"),
	});
}

function randomDecimal(chance: Chance, least: number, most: number, decimals: number): string {
	const whole = String(chance.whole(least, most));
	const count = chance.whole(0, decimals);
	return count === 0 ? whole : `${whole}.${String(chance.whole(0, 10 ** count - 1)).padStart(count, "0")}`;
}

/** Every member must be given, if only as undefined: a new request member does not compile until it is generated. */
type EveryMember<T> = { [K in keyof Required<T>]: T[K] | undefined };

/** Removes undefined members, which JSON does not have. */
function dropUndefined<T extends object>(members: EveryMember<T>): T {
	return Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined)) as T;
}
