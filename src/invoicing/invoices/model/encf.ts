import type { Fault } from "../../../platform/problem";

/** The e-NCF: series E, two digits of type, a sequence of ten digits. Source: the authority's e-CF format, field 3. */
const LENGTH = 13;

/** Faults of a well-formed number against its document's type: characters 2–3 and a sequence above zero. */
export function checkEncf(encf: string, type: string): Fault[] {
	const faults: Fault[] = [];
	if (encf.slice(1, 3) !== type) {
		faults.push({ pointer: "/encf", code: "encf-type-mismatch", detail: `Characters 2-3 must equal type ${type}.` });
	}
	if (/^0+$/.test(encf.slice(3))) {
		faults.push({ pointer: "/encf", code: "encf-zero", detail: "The sequence starts at 1." });
	}
	return faults;
}

/** True for the length that the authority accepts; older examples have eleven characters. */
export function hasFullLength(encf: string): boolean {
	return encf.length === LENGTH;
}
