/** The rules of an invoice request that need nothing but the request. All violations are reported at once, in the specification's order. */

import type { TSchema } from "@sinclair/typebox";
import { CURRENCIES, ECF_TYPES, findProfile, InvoiceRequest, isEcfType, linesMaxOf } from "../../../ecf/mapping";
import { findDocumentDayFault, isObject, listBodyFaults, member, textMember } from "../../../platform/operation";
import { type Fault, joinMessages, msg, Problem } from "../../../platform/problem";
import { Decimal, parseTaxpayerDocument, toLocalIsoDate } from "../../../platform/values";
import { checkPlanEarly } from "./check-plan-early";
import { checkEncf, checkTotals } from "./check-values";
import { explainLegacy } from "./legacy";

/** Checks a parsed body on its own. Throws: unsupported-ecf-type, validation-error, mathematical-discrepancy, in this order. */
export function checkRequest(value: unknown, now: Date): InvoiceRequest {
	const invoice = checkForm(value, now);
	refuseDiscrepancies(invoice);
	return invoice;
}

/** Checks the form of a body; `further` violations are reported with its own. Throws: unsupported-ecf-type, validation-error. */
export function checkForm(sent: unknown, now: Date, further: readonly Fault[] = []): InvoiceRequest {
	const value = withoutEmpty(InvoiceRequest, sent);
	refuseOtherTypes(value);
	const faults = listBodyFaults(value, InvoiceRequest).map((fault) => explainNegative(explainLegacy(fault), value));
	// These rules check members one by one, so that a wrong type in one place does not hide a wrong date in another.
	faults.push(...checkMembers(value, now), ...further);
	if (faults.length > 0)
		throw new Problem("validation-error", { faults: [...faults, ...checkPlanEarly(value, faults, now)] });
	return value as InvoiceRequest;
}

/**
 * Without optional members that are an empty text, or an object of nothing else: programs with a fixed form send them for what they do not know.
 */
function withoutEmpty(schema: TSchema, value: unknown): unknown {
	if (!hasEmptyText(value)) return value;
	if (Array.isArray(value)) return schema.items ? value.map((item) => withoutEmpty(schema.items, item)) : value;
	if (!isObject(value) || !schema.properties) return value;
	const required: readonly string[] = schema.required ?? [];
	const kept: [string, unknown][] = [];
	for (const [name, sent] of Object.entries(value)) {
		const inner = Object.hasOwn(schema.properties, name) ? withoutEmpty(schema.properties[name], sent) : sent;
		const isEmptied = inner !== sent && isObject(inner) && Object.keys(inner).length === 0;
		const isKnown = Object.hasOwn(schema.properties, name) && !required.includes(name);
		if (!isKnown || !(inner === "" || isEmptied)) kept.push([name, inner]);
	}
	return Object.fromEntries(kept);
}

function hasEmptyText(value: unknown): boolean {
	if (Array.isArray(value)) return value.some(hasEmptyText);
	return value === "" || (isObject(value) && Object.values(value).some(hasEmptyText));
}

/** Says how to state a reduction to those who send an amount with a sign. */
function explainNegative(fault: Fault, value: unknown): Fault {
	if (fault.code !== "decimal-form") return fault;
	const steps = fault.pointer.slice(1).split("/");
	const found = steps.reduce<unknown>(
		(inner, step) => (Array.isArray(inner) ? inner[Number(step)] : member(inner, step)),
		value,
	);
	if (typeof found !== "string" || !/^-\d/.test(found)) return fault;
	const detail = msg`Amounts have no sign. Send a reduction of the whole document as an entry of \`adjustments\` with \`kind\` \`discount\`, and that of a line as its \`discount\`.`;
	return { ...fault, detail, ...(steps[0] === "lines" ? { use: "/adjustments" } : {}) };
}

/** Throws: mathematical-discrepancy. */
export function refuseDiscrepancies(invoice: InvoiceRequest): void {
	const discrepancies = checkTotals(invoice);
	if (discrepancies.length === 0) return;
	const detail = joinMessages(discrepancies.map((fault) => fault.detail));
	throw new Problem("mathematical-discrepancy", { detail, faults: discrepancies });
}

function refuseOtherTypes(value: unknown): void {
	const type = member(value, "type");
	if (typeof type !== "string" || ECF_TYPES.some((known) => known === type)) return;
	throw new Problem("unsupported-ecf-type", { detail: msg`Send one of ${ECF_TYPES.join(", ")} as type.` });
}

function checkMembers(value: unknown, now: Date): Fault[] {
	const type = textMember(value, "type");
	return [
		...checkNumber(value, type),
		...checkParties(value, type),
		...checkLines(value, type),
		...checkDates(value, now),
		...checkMoney(value),
		...checkAdjustments(value),
	];
}

function checkNumber(value: unknown, type: string | undefined): Fault[] {
	const encf = textMember(value, "encf");
	return encf !== undefined && type !== undefined && /^E\d{10,12}$/.test(encf) ? checkEncf(encf, type) : [];
}

function checkParties(value: unknown, type: string | undefined): Fault[] {
	const faults: Fault[] = [];
	const document = (pointer: string, rnc: string | undefined) => {
		if (rnc !== undefined && !parseTaxpayerDocument(rnc)) {
			faults.push({ pointer, code: "invalid-rnc", detail: msg`Send 9 or 11 digits, hyphens allowed.` });
		}
	};
	const customer = member(value, "customer");
	document("/company/rnc", textMember(member(value, "company"), "rnc"));
	document("/customer/rnc", textMember(customer, "rnc"));
	const namesBuyer = findProfile(type)?.namesBuyer === true;
	if (type !== undefined && namesBuyer) {
		const detail = msg`Type ${type} needs its buyer.`;
		if (customer === undefined) faults.push({ pointer: "/customer", code: "required", detail });
		for (const name of ["rnc", "name"]) {
			// A foreign number stands for the RNC; the plan refuses it in types that lack it.
			if (name === "rnc" && member(customer, "foreign_id") !== undefined) continue;
			if (isObject(customer) && member(customer, name) === undefined)
				faults.push({ pointer: `/customer/${name}`, code: "required", detail });
		}
	}
	if (
		isObject(customer) &&
		member(customer, "rnc") === undefined &&
		member(customer, "foreign_id") === undefined &&
		member(customer, "name") === undefined &&
		!namesBuyer
	) {
		faults.push({ pointer: "/customer", code: "required", detail: msg`Send a name, or leave the customer out.` });
	}
	return faults;
}

function checkLines(value: unknown, type: string | undefined): Fault[] {
	const lines = member(value, "lines");
	if (!Array.isArray(lines)) return [];
	const faults: Fault[] = [];
	const maximum = findLinesMax(value, type);
	// The schema itself allows no more than the longest documents.
	if (lines.length > maximum && maximum < (InvoiceRequest.properties.lines.maxItems ?? 0)) {
		faults.push({ pointer: "/lines", code: "too-many", detail: msg`More than ${maximum} lines.`, maximum });
	}
	const seen = new Set<number>();
	lines.forEach((line, i) => {
		const number = member(line, "line_number");
		if (typeof number === "number") {
			if (seen.has(number))
				faults.push({
					pointer: `/lines/${i}/line_number`,
					code: "duplicate",
					detail: msg`Line ${number} appears twice.`,
				});
			seen.add(number);
		}
	});
	return [...faults, ...checkQuantities("/lines", lines), ...checkNonBillable(member(value, "non_billable_lines"))];
}

function checkNonBillable(lines: unknown): Fault[] {
	return Array.isArray(lines) ? checkQuantities("/non_billable_lines", lines) : [];
}

function checkQuantities(at: string, lines: readonly unknown[]): Fault[] {
	return lines.flatMap((line, i) =>
		decimal(line, "quantity")?.isZero()
			? [{ pointer: `${at}/${i}/quantity`, code: "not-positive", detail: msg`The quantity must be above 0.` }]
			: [],
	);
}

/** A consumer invoice may have more lines as long as its total shows that only its summary is sent. */
function findLinesMax(value: unknown, type: string | undefined): number {
	const total = decimal(member(value, "totals"), "grand_total");
	if (isEcfType(type) && total) {
		const amounts_in = textMember(value, "amounts_in") === "document" ? "document" : "DOP";
		const exchange_rate = decimal(value, "exchange_rate")?.toString();
		return linesMaxOf({ type, totals: { grand_total: total.toString() }, amounts_in, exchange_rate });
	}
	return findProfile(type)?.linesMax ?? 1_000;
}

function checkDates(value: unknown, now: Date): Fault[] {
	const faults: Fault[] = [];
	const today = toLocalIsoDate(now);
	const real = (pointer: string, date: string | undefined) => {
		if (date === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(date)) return undefined;
		const detail = findDocumentDayFault(date);
		if (detail === undefined) return date;
		faults.push({ pointer, code: "invalid-date", detail });
		return undefined;
	};
	const issued = real("/issue_date", textMember(value, "issue_date")) ?? today;
	if (issued > today)
		faults.push({ pointer: "/issue_date", code: "future-date", detail: msg`Later than today, ${today} (UTC-4).` });
	const due = real("/due_date", textMember(value, "due_date"));
	if (due !== undefined && due < issued) {
		faults.push({
			pointer: "/due_date",
			code: "before-issue-date",
			detail: msg`Earlier than the issue date, ${issued}.`,
		});
	}
	const terms = textMember(member(value, "payment"), "terms");
	if (terms === "credit" && member(value, "due_date") === undefined) {
		faults.push({ pointer: "/due_date", code: "required", detail: msg`Credit needs a due date.` });
	}
	checkOtherDays(value, real, faults);
	const original = real("/reference/issue_date", textMember(member(value, "reference"), "issue_date"));
	if (original !== undefined && original > issued) {
		faults.push({
			pointer: "/reference/issue_date",
			code: "future-date",
			detail: msg`Later than the note that refers to it.`,
		});
	}
	return faults;
}

/** Days that may be in the future: of delivery, of expiry, of the period that is billed. */
function checkOtherDays(
	value: unknown,
	real: (pointer: string, date: string | undefined) => string | undefined,
	faults: Fault[],
): void {
	real("/order_date", textMember(value, "order_date"));
	real("/delivery/date", textMember(member(value, "delivery"), "date"));
	const period = member(value, "period");
	const from = real("/period/from", textMember(period, "from"));
	const to = real("/period/to", textMember(period, "to"));
	if (from !== undefined && to !== undefined && to < from) {
		faults.push({ pointer: "/period/to", code: "before-start", detail: msg`Earlier than the first day, ${from}.` });
	}
	const lines = member(value, "lines");
	for (const [i, line] of Array.isArray(lines) ? lines.entries() : []) {
		real(`/lines/${i}/production_date`, textMember(line, "production_date"));
		real(`/lines/${i}/expiry_date`, textMember(line, "expiry_date"));
	}
}

function checkMoney(value: unknown): Fault[] {
	const currency = textMember(value, "currency") ?? "DOP";
	const rate = decimal(value, "exchange_rate");
	// An unknown currency is reported elsewhere, and its text is not repeated.
	if (currency !== "DOP" && CURRENCIES.includes(currency) && member(value, "exchange_rate") === undefined) {
		return [{ pointer: "/exchange_rate", code: "required", detail: msg`${currency} needs its rate in pesos.` }];
	}
	if (rate?.isZero())
		return [{ pointer: "/exchange_rate", code: "not-positive", detail: msg`The rate must be above 0.` }];
	return [];
}

function checkAdjustments(value: unknown): Fault[] {
	const adjustments = member(value, "adjustments");
	if (!Array.isArray(adjustments)) return [];
	return adjustments.flatMap((adjustment, i): Fault[] => {
		if (!isObject(adjustment) || "amount" in adjustment || "percent" in adjustment) return [];
		return [{ pointer: `/adjustments/${i}`, code: "required", detail: msg`Send an amount or a percentage.` }];
	});
}

function decimal(value: unknown, name: string): Decimal | undefined {
	const found = textMember(value, name);
	return found === undefined ? undefined : Decimal.parse(found);
}
