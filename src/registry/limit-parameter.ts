import { Type } from "@sinclair/typebox";
import type { Parameter } from "../platform/operation";

export const LIMIT_DEFAULT = 100;

/** The `limit` of a list, as text: `0x10` must not become 16 on the way. */
export function limitParameter(max: 100 | 1000): Parameter {
	return {
		name: "limit",
		in: "query",
		required: false,
		description: `Most items in the answer, an integer from 1 to ${max}; ${LIMIT_DEFAULT} when absent.`,
		schema: Type.String({
			pattern: `^([1-9][0-9]{0,${String(max).length - 2}}|${max})$`,
			default: String(LIMIT_DEFAULT),
			faultDetail: `Expected an integer from 1 to ${max}.`,
		}),
		example: "100",
	};
}
