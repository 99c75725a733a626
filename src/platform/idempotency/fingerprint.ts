import { createHash } from "node:crypto";

/** When two requests are equal: by their bytes, or else by their meaning. */
export function hashBytes(bytes: Uint8Array): Buffer {
	return createHash("sha256").update(bytes).digest();
}

/** Members of this API that hold decimals; elsewhere "2.10" and "2.1" are different texts. */
const DECIMAL_MEMBERS: ReadonlySet<string> = new Set([
	"quantity",
	"unit_price",
	"subtotal",
	"tax",
	"grand_total",
	"amount",
	"percent",
	"discount",
	"surcharge",
	"itbis",
	"isr",
	"rate",
	"exchange_rate",
	"legal_tip",
	"gross_unit_price",
	"gross_subtotal",
	"reference_quantity",
	"alcohol_degrees",
	"retail_price",
]);

/**
 * SHA-256 of a JSON value in canonical form: sorted members, no white space, decimals without trailing zeros, so "118.00" and "118" are the
 * same amount. Forms cannot be confused, since a normalised decimal is still a JSON string.
 */
export function hashPayload(value: unknown): Buffer {
	return createHash("sha256").update(canonical(value)).digest();
}

function canonical(value: unknown, name = ""): string {
	if (value === undefined) return "";
	if (typeof value === "string") return JSON.stringify(DECIMAL_MEMBERS.has(name) ? normaliseDecimal(value) : value);
	if (Array.isArray(value)) return `[${value.map((item) => canonical(item)).join(",")}]`;
	if (typeof value === "object" && value !== null) {
		const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
		return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member, key)}`).join(",")}}`;
	}
	return JSON.stringify(value);
}

function normaliseDecimal(text: string): string {
	if (!/^\d{1,16}\.\d{1,6}$/.test(text)) return text;
	return text.replace(/0+$/, "").replace(/\.$/, "");
}

/** Pointers of the members in which two payloads differ, at most `most`. */
export function listDifferences(a: unknown, b: unknown, most = 20): string[] {
	return differences(a, b, most, "", "");
}

function differences(a: unknown, b: unknown, most: number, pointer: string, memberName: string): string[] {
	if (canonical(a, memberName) === canonical(b, memberName)) return [];
	if (isContainer(a) && isContainer(b) && Array.isArray(a) === Array.isArray(b)) {
		const names = new Set([...Object.keys(a), ...Object.keys(b)]);
		const found: string[] = [];
		for (const name of names) {
			const at = `${pointer}/${name.replace(/~/g, "~0").replace(/\//g, "~1")}`;
			found.push(...differences(own(a, name), own(b, name), most - found.length, at, Array.isArray(a) ? "" : name));
			if (found.length >= most) break;
		}
		return found;
	}
	return [pointer];
}

/** Own members only: every object inherits `constructor`. */
function own(container: object, name: string): unknown {
	return Object.hasOwn(container, name) ? Reflect.get(container, name) : undefined;
}

function isContainer(value: unknown): value is object {
	return typeof value === "object" && value !== null;
}
