/** Invoice requests made by hand: a complete one for a type, changed at a pointer. */
import { checkRequest } from "../../../../src/invoicing/invoices/check/check-request";
import { Problem } from "../../../../src/platform/problem";

/** Noon of 20 November 2026 on the authority's clock. */
export const NOW = new Date("2026-11-20T16:00:00Z");

export type Body = Record<string, unknown>;

/** A request that every rule accepts. */
export function makeRequest(type = "31", change: Body = {}): Body {
	return {
		type,
		encf: `E${type}0000000001`,
		company: { rnc: "131880681", name: "FERRETERIA EL PROGRESO SRL" },
		customer: { rnc: "101010101", name: "CLIENTE SRL" },
		lines: [
			{ line_number: 1, description: "Cemento gris 42.5kg", quantity: "10", unit_price: "450.00", subtotal: "4500.00" },
			{ line_number: 2, description: "Arena lavada", quantity: "1.5", unit_price: "200.00", subtotal: "300.00" },
		],
		totals: { subtotal: "4800.00", tax: "864.00", grand_total: "5664.00" },
		...change,
	};
}

/** The request with one member set, or removed when the value is undefined. */
export function setAt(body: Body, pointer: string, value: unknown): Body {
	const copy = structuredClone(body);
	const names = pointer.split("/").slice(1);
	const last = names.pop() ?? "";
	let place: object = copy;
	for (const name of names) {
		const next: unknown = Reflect.get(place, name);
		if (typeof next !== "object" || next === null) throw new Error(`nothing is at ${pointer}`);
		place = next;
	}
	if (value === undefined) Reflect.deleteProperty(place, last);
	else Reflect.set(place, last, value);
	return copy;
}

/** The problem that a request ends in; undefined when it is accepted. */
export function problemOf(body: unknown, now = NOW): Problem | undefined {
	try {
		checkRequest(body, now);
		return undefined;
	} catch (error) {
		if (error instanceof Problem) return error;
		throw error;
	}
}

/** The faults of a request, each as `pointer code`, sorted. */
export function faultsOf(body: unknown, now = NOW): string[] {
	return (problemOf(body, now)?.faults ?? []).map(({ pointer, code }) => `${pointer} ${code}`).toSorted();
}
