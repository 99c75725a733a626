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
	if (!isWellEncoded(call.url.search)) add("", "invalid-encoding", "The query is not percent-encoded UTF-8.");
	for (const name of new Set(call.url.searchParams.keys())) {
		if (!declared.some((p) => p.name === name))
			add(name.slice(0, 60), "unknown-parameter", "The parameter is not known here.");
	}
	for (const parameter of declared) {
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

function isWellEncoded(search: string): boolean {
	try {
		decodeURIComponent(search.replace(/\+/g, " "));
		return true;
	} catch {
		return false;
	}
}
