/** Reads queries that are written as nearly all are, without an object for the address: for answers that cost hardly more than that. */
import { isXmlText } from "../values";
import { checkSchema } from "./check-schema";
import type { Parameter } from "./operation";

/** No fragment, no space, nothing beyond ASCII; whatever else an address object encodes, it decodes again. Source: WHATWG URL, query state. */
const plain = /^[!"$-~]*$/;

/**
 * A reader of these parameters: the same values as from `readQuery`; undefined for a query with a fault, which `readQuery` tells, and
 * for one that is written in another way than `name=value&name=value` with the names as they are. The parameters' own checks are left to
 * whoever uses the values.
 */
export function createPlainQuery(
	parameters: readonly Parameter[],
): (query: string) => Record<string, string | undefined> | undefined {
	const declared = new Map(parameters.filter((one) => one.in === "query").map((one) => [one.name, one]));
	const required = [...declared.values()].filter((one) => one.required);
	return (query) => {
		if (!plain.test(query)) return undefined;
		const values: Record<string, string | undefined> = {};
		for (const pair of query.split("&")) {
			const nameTo = pair.indexOf("=");
			if (nameTo < 0) return undefined;
			const parameter = declared.get(pair.slice(0, nameTo));
			const value = parameter && decode(pair.slice(nameTo + 1));
			if (!parameter || value === undefined || values[parameter.name] !== undefined) return undefined;
			if (!isXmlText(value) || checkSchema(parameter.schema, value).length > 0) return undefined;
			values[parameter.name] = value;
		}
		return required.every((one) => values[one.name] !== undefined) ? values : undefined;
	};
}

function decode(text: string): string | undefined {
	const spaced = text.replaceAll("+", " ");
	if (!spaced.includes("%")) return spaced;
	try {
		return decodeURIComponent(spaced);
	} catch {
		return undefined;
	}
}
