/**
 * The documents of a test set: the quantities and special cases that the authority demands, for the types that the service issues.
 *
 *     stage 1   31 ×4, 32 of 250,000.00 or more ×2, 41 ×2, 44 ×2
 *     stage 2   33 ×1, 34 ×2, once their originals are accepted
 *     stage 3   32 below 250,000.00 ×4, as summaries; the issuer uploads the full documents in the authority's portal
 *
 * The authority's set also has two each of 43, 45, 46 and 47, which this service does not issue.
 *
 * Source: the authority's certification process, steps "data tests" and "simulation".
 */
import { type EcfType, profileOf } from "../../ecf/mapping";

/** What a case sells. `mixed`: several items; `large`, `small`: above and below 250,000.00; `zero`: a correction of text without amounts. */
export type Basket = "mixed" | "large" | "small" | "exempt" | "bought-goods" | "bought-services" | "single" | "zero";

export type TestCase = {
	/** Position in the full set, also in a reduced one, so that a case always has the same name. */
	readonly ordinal: number;
	readonly name: string;
	readonly type: EcfType;
	readonly stage: 1 | 2 | 3;
	readonly basket: Basket;
	readonly title: string;
	readonly pricesIncludeTax?: true;
	readonly currency?: { readonly code: string; readonly rate: string };
	readonly isOnCredit?: true;
	readonly reference?: { readonly to: string; readonly code: 2 | 3; readonly reason: string };
};

type Row = Omit<TestCase, "ordinal" | "name" | "stage">;

const rows: readonly Row[] = [
	{ type: "31", basket: "mixed", title: "Fiscal credit, paid at once" },
	{ type: "31", basket: "mixed", title: "Prices with ITBIS included", pricesIncludeTax: true },
	{ type: "31", basket: "mixed", title: "Foreign currency", currency: { code: "USD", rate: "62.5000" } },
	{ type: "31", basket: "mixed", title: "On credit", isOnCredit: true },
	{ type: "32", basket: "large", title: "Consumer invoice of 250,000.00 or more" },
	{ type: "32", basket: "large", title: "Consumer invoice of 250,000.00 or more" },
	{ type: "32", basket: "small", title: "Consumer invoice below 250,000.00, with its summary" },
	{ type: "32", basket: "small", title: "Consumer invoice below 250,000.00, with its summary" },
	{ type: "32", basket: "small", title: "Consumer invoice below 250,000.00, with its summary" },
	{ type: "32", basket: "small", title: "Consumer invoice below 250,000.00, with its summary" },
	{
		...{ type: "33", basket: "single", title: "Debit note on a consumer invoice" },
		reference: { to: "E32-05", code: 3, reason: "Cargo por servicio no facturado" },
	},
	{
		...{ type: "34", basket: "single", title: "Credit note on a purchase" },
		reference: { to: "E41-14", code: 3, reason: "Devolución parcial" },
	},
	{
		...{ type: "34", basket: "zero", title: "Credit note that corrects text, total 0.00" },
		reference: { to: "E31-04", code: 2, reason: "Corrección de la descripción" },
	},
	{ type: "41", basket: "bought-goods", title: "Purchase of goods, nothing withheld" },
	{ type: "41", basket: "bought-services", title: "Purchase of services, ITBIS and income tax withheld" },
	{ type: "44", basket: "exempt", title: "Special regime" },
	{ type: "44", basket: "exempt", title: "Special regime" },
];

const two = (n: number) => String(n).padStart(2, "0");

function stageOf({ type, basket }: Row): TestCase["stage"] {
	if (profileOf(type).isNote) return 2;
	return basket === "small" ? 3 : 1;
}

export const COMPOSITION: readonly TestCase[] = rows.map((row, i) => ({
	...row,
	ordinal: i + 1,
	name: `E${row.type}-${two(i + 1)}`,
	stage: stageOf(row),
}));

/** The cases of these types and their originals, in the order of sending. */
export function composeSet(types: readonly EcfType[]): TestCase[] {
	const asked = COMPOSITION.filter(({ type }) => types.includes(type));
	const needed = new Set(asked.map(({ reference }) => reference?.to));
	return COMPOSITION.filter((one) => asked.includes(one) || needed.has(one.name)).toSorted(
		(a, b) => a.stage - b.stage || a.ordinal - b.ordinal,
	);
}

/** The number of a case in a set that starts at `start`. */
export function encfOf({ type, ordinal }: Pick<TestCase, "type" | "ordinal">, start: number): string {
	return `E${type}${String(start + ordinal - 1).padStart(10, "0")}`;
}

/** The last start with which all numbers of a set have ten digits. */
export const START_MAX = 9_999_999_999 - COMPOSITION.length;
