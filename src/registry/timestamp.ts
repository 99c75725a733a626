import { Type } from "@sinclair/typebox";

/** A point in time on the wire: RFC 3339, UTC, milliseconds. */
export function Timestamp(description: string) {
	return Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$", description });
}
