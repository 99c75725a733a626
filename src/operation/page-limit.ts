import { Type } from "@sinclair/typebox";

/** The `limit` of a list by pages, as text: `0x10` must not become 16 on the way. */
export const PageLimit = Type.String({
	pattern: "^([1-9][0-9]?|100)$",
	faultDetail: "Send a number from 1 to 100.",
});
