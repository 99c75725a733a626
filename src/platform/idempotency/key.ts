import { Type } from "@sinclair/typebox";
import type { Parameter } from "../operation";
import { type Fault, Problem } from "../problem";

const POINTER = "#/headers/idempotency-key";
const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * Reads the `Idempotency-Key` header: a UUID v4, capitals allowed; undefined when it is absent and may be.
 * Throws: validation-error.
 */
export function readIdempotencyKey(request: Request, need: "required"): string;
export function readIdempotencyKey(request: Request, need: "optional"): string | undefined;
export function readIdempotencyKey(request: Request, need: "required" | "optional"): string | undefined {
	const header = request.headers.get("idempotency-key");
	if (header === null) {
		if (need === "optional") return undefined;
		throw refuse({ pointer: POINTER, code: "required", detail: "The header Idempotency-Key is required." });
	}
	const key = header.toLowerCase();
	if (!uuidV4.test(key))
		throw refuse({ pointer: POINTER, code: "invalid-format", detail: "Send one UUID of version 4." });
	return key;
}

function refuse(fault: Fault): Problem {
	return new Problem("validation-error", { faults: [fault] });
}

/** The key as an operation declares it where it may be left out; `repeat` is what a repeat within 24 hours gets. */
export function idempotencyKeyParameter(repeat = "gets the first answer again"): Parameter {
	return {
		...{ name: "Idempotency-Key", in: "header", required: false, schema: Type.String() },
		description: `UUID v4; a repeat within 24 hours ${repeat}.`,
	};
}
