import { type Fault, Problem, pointerSegment } from "../problem";
import { isXmlText } from "../values";
import { checkSchema } from "./check-schema";
import type { Call } from "./operation";

/**
 * Gap: unknown parameters are refused like unknown members: a misspelt filter would answer what was not asked for.
 *
 * The query parameters that the operation declares, as text, each at most once. Throws: validation-error for a repeated,
 * unknown, missing or ill-formed one and for what the parameters' own checks tell, all at once. Numbers stay text: `limit=0x10` must not
 * become 16 on the way.
 */
export function readQuery(call: Call): Record<string, string | undefined> {
	const declared = (call.operation.parameters ?? []).filter((p) => p.in === "query");
	const faults: Fault[] = [];
	const values: Record<string, string | undefined> = {};
	const add = (name: string, code: string, detail: string) =>
		faults.push({ pointer: `#/query/${pointerSegment(name)}`, code, detail });
	// What follows from a value that cannot be read would be told of another one than was sent.
	const unreadable = listUnreadable(call.url.search);
	for (const name of unreadable)
		add(name.slice(0, 60), "invalid-encoding", "The parameter is not percent-encoded UTF-8.");
	for (const name of new Set(call.url.searchParams.keys())) {
		if (!unreadable.has(name) && !declared.some((p) => p.name === name))
			add(name.slice(0, 60), "unknown-parameter", "The parameter is not known here.");
	}
	for (const parameter of declared) {
		if (unreadable.has(parameter.name)) continue;
		const all = call.url.searchParams.getAll(parameter.name);
		const value = all[0];
		if (value === undefined) {
			if (parameter.required) add(parameter.name, "required", "The parameter is required.");
		} else if (all.length > 1) add(parameter.name, "repeated", "Send the parameter once.");
		else if (!isXmlText(value)) add(parameter.name, "illegal-character", "Contains a character that is not allowed.");
		else {
			const [first] = checkSchema(parameter.schema, value);
			if (first) faults.push({ ...first, pointer: `#/query/${parameter.name}` });
			else values[parameter.name] = value;
		}
	}
	for (const { name, check } of declared) {
		const value = values[name];
		const fault = value === undefined ? undefined : check?.(value, values);
		if (fault) faults.push({ ...fault, pointer: `#/query/${name}` });
	}
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	return values;
}

/** Names of the parameters of which name or value is no percent-encoded UTF-8, as the runtime reads them. */
function listUnreadable(search: string): Set<string> {
	const pairs = isWellEncoded(search) ? [] : search.slice(1).split("&");
	return new Set(pairs.filter((pair) => !isWellEncoded(pair)).flatMap((pair) => [...new URLSearchParams(pair).keys()]));
}

function isWellEncoded(text: string): boolean {
	try {
		decodeURIComponent(text);
		return true;
	} catch {
		return false;
	}
}
