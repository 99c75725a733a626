import type { Fault } from "../../../platform/problem";

/** The older camelCase body: never guessed at, but a caller who sends it is told the canonical name of each member. */
// Maps, not objects: a member named `constructor` is something in every object.
const TOP = new Map([
	["ecfType", "/type"],
	["issueDate", "/issue_date"],
	["buyer", "/customer"],
	["subtotal", "/totals/subtotal"],
	["tax", "/totals/tax"],
	["grandTotal", "/totals/grand_total"],
]);
const LINE = new Map([
	["qty", "quantity"],
	["unitPrice", "unit_price"],
	["taxRate", "tax_rate"],
]);

/** Turns `unknown-field` into `legacy-field` with the name to use, and says of `tenantId` that it is not accepted. */
export function explainLegacy(fault: Fault): Fault {
	if (fault.code !== "unknown-field") return fault;
	if (fault.pointer === "/tenantId") {
		return { ...fault, code: "not-accepted", detail: "The tenant is that of the bearer token; leave the member out." };
	}
	const line = /^(\/lines\/\d+)\/(\w+)$/.exec(fault.pointer);
	const inLine = line ? LINE.get(line[2] ?? "") : undefined;
	const use = inLine ? `${line?.[1]}/${inLine}` : TOP.get(fault.pointer.slice(1));
	if (!use) return fault;
	return { ...fault, code: "legacy-field", detail: `The member belongs to an older form; use ${use}.`, use };
}
