/**
 * Finds defects that only planning a document reveals, in a body that also has defects of form. Otherwise the caller would learn of them one request
 * later.
 *
 * Valid parts are planned, with harmless values in place of invalid ones. Findings about sums count only if all that they are made of is valid.
 */

import type { Static, TObject, TSchema } from "@sinclair/typebox";
import {
	carries,
	ECF_TYPES,
	type EcfInvoice,
	type EcfType,
	InvoiceRequest,
	planEcf,
	toEcfType,
} from "../../../ecf/mapping";
import { checkSchema, findDocumentDayFault, member, textMember } from "../../../platform/operation";
import { FAULTS_MAX, type Fault, msg } from "../../../platform/problem";
import { Decimal } from "../../../platform/values";
import { checkTotals } from "./check-values";

type Lines = InvoiceRequest["lines"];
type Adjustments = NonNullable<InvoiceRequest["adjustments"]>;
type Plannable = { readonly invoice: EcfInvoice; readonly isWhole: boolean };

const { properties } = InvoiceRequest;
const LINES_MAX = 10_000;
const HARMLESS_LINE: Lines[number] = {
	...{ line_number: 1, description: "-", quantity: "1", unit_price: "0", subtotal: "0", tax_rate: "exempt" },
};
const HARMLESS_ADJUSTMENT: Adjustments[number] = { kind: "surcharge", description: "-", amount: "0" };
const HARMLESS_CUSTOMER = { rnc: "000000000", name: "-" };
/** Every type may replace a paper document. */
const HARMLESS_REFERENCE = { encf: "B0100000001", issue_date: "2000-01-01", code: 4 };
/** Planned only if they are valid as they are. */
const PARTICULARS = [
	...["order_date", "internal_number", "sales_zone", "sales_route", "delivery", "period"],
	...["all_inclusive", "deferred", "non_billable_lines", "advance", "prior_balance"],
] as (keyof EcfInvoice)[];
/** The issuer is not checked here, because the company's record supplies it. */
const NO_PARTY = { rnc: "", name: "" };
const OF_SUMS = new Set([
	"totals-inconsistent",
	"adjustment-exceeds-base",
	"additional-taxes-exceed-tax",
	"too-many-adjustments",
	// A line in place of an invalid one has no gross prices.
	"gross-price-mixed",
]);

/** Findings of the plan in a body with defects of form, without those found already. None if the report is full already. */
export function checkPlanEarly(value: unknown, found: readonly Fault[], now: Date): Fault[] {
	const type = ECF_TYPES.find((known) => known === textMember(value, "type"));
	// Planning ten thousand invalid lines would block the thread for half a second.
	if (type === undefined || found.length >= FAULTS_MAX) return [];
	const { invoice, isWhole } = toPlannable(value, type);
	const areSumsMeant = isWhole && checkTotals(invoice).length === 0;
	const isOfSums = ({ code, pointer }: Fault) => OF_SUMS.has(code) || pointer === "/totals/tax";
	const planned = planEcf({ invoice, issuer: NO_PARTY, signedAt: now.toISOString() }).faults;
	const meant = areSumsMeant
		? planned
		: [...planned.filter((fault) => !isOfSums(fault)), ...checkSpecialRegime(value, invoice)];
	const foundAt = new Set(found.map(({ pointer }) => pointer));
	const isBuyerFound = foundAt.has("/customer") && member(value, "customer") === undefined;
	return meant.filter(({ pointer }) => !foundAt.has(pointer) && !(isBuyerFound && pointer.startsWith("/customer/")));
}

/** If no line has another tax, the tax of a special-regime invoice can only be ITBIS, which it must not have. */
function checkSpecialRegime(value: unknown, { type, totals }: EcfInvoice): Fault[] {
	if (carries(toEcfType(type), "TotalITBIS") || Decimal.of(totals.tax).isZero()) return [];
	if (member(value, "legal_tip") !== undefined) return [];
	const lines = member(value, "lines");
	if (Array.isArray(lines) && lines.some((line) => member(line, "additional_taxes") !== undefined)) return [];
	const detail = msg`A special-regime invoice carries no ITBIS.`;
	return [{ pointer: "/totals/tax", code: "tax-not-allowed-for-type", detail }];
}

function toPlannable(value: unknown, type: EcfType): Plannable {
	const lines = listOf(member(value, "lines"), properties.lines.items, HARMLESS_LINE);
	const adjustments = listOf(member(value, "adjustments") ?? [], properties.adjustments.items, HARMLESS_ADJUSTMENT);
	const totals = member(value, "totals");
	const amount = (name: "subtotal" | "tax" | "grand_total") =>
		fitting(properties.totals.properties[name], member(totals, name));
	const [subtotal, tax, grandTotal] = [amount("subtotal"), amount("tax"), amount("grand_total")];
	const customer = member(value, "customer");
	const reference = member(value, "reference");
	return {
		isWhole: lines.isWhole && adjustments.isWhole && ![subtotal, tax, grandTotal].includes(undefined),
		invoice: {
			type,
			encf: `E${type}0000000001`,
			company: NO_PARTY,
			...(customer === undefined ? {} : { customer: harmonise(properties.customer, customer, HARMLESS_CUSTOMER) }),
			lines: lines.items.length > 0 ? lines.items : [HARMLESS_LINE],
			adjustments: adjustments.items,
			totals: { subtotal: subtotal ?? "0", tax: tax ?? "0", grand_total: grandTotal ?? "0" },
			issue_date: dayOf(value, "issue_date"),
			due_date: dayOf(value, "due_date"),
			currency: fitting(properties.currency, member(value, "currency")),
			exchange_rate: fitting(properties.exchange_rate, member(value, "exchange_rate")),
			amounts_in: fitting(properties.amounts_in, member(value, "amounts_in")),
			legal_tip: fitting(properties.legal_tip, member(value, "legal_tip")),
			payment: fitting(properties.payment, member(value, "payment")),
			...fittingMembers(value, PARTICULARS),
			...(reference === undefined ? {} : { reference: harmonise(properties.reference, reference, HARMLESS_REFERENCE) }),
		},
	};
}

function fittingMembers(value: unknown, names: readonly (keyof EcfInvoice)[]): Partial<EcfInvoice> {
	const found = names.map((name) => [name, fitting(properties[name], member(value, name))] as const);
	return Object.fromEntries(found.filter(([, given]) => given !== undefined));
}

function fitting<T extends TSchema>(schema: T, value: unknown): Static<T> | undefined {
	return value !== undefined && checkSchema(schema, value).length === 0 ? (value as Static<T>) : undefined;
}

function dayOf(value: unknown, name: string): string | undefined {
	const day = textMember(value, name);
	return day === undefined || findDocumentDayFault(day) !== undefined ? undefined : day;
}

/** The items, with harmless ones in place of invalid ones. */
function listOf<T extends TObject>(value: unknown, schema: T, harmless: Static<T>) {
	if (!Array.isArray(value)) return { items: [], isWhole: false };
	const items = value.slice(0, LINES_MAX).map((item) => harmonise(schema, item, harmless));
	return { items, isWhole: items.every((item, index) => item === value[index]) && items.length === value.length };
}

/** The value if it is valid, else its valid members completed by harmless ones. */
function harmonise<T extends TObject>(schema: T, value: unknown, harmless: Static<T>): Static<T> {
	const whole = fitting(schema, value);
	if (whole !== undefined) return whole;
	const members = Object.entries(schema.properties).map(([name, form]) => [name, fitting(form, member(value, name))]);
	return { ...harmless, ...Object.fromEntries(members.filter(([, found]) => found !== undefined)) };
}
