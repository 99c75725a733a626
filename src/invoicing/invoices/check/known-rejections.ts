/**
 * What happens to a document that the authority is certain to reject, and how strictly one request is judged.
 *
 *   Prefer: handling=strict     every warning is a violation, 400
 *   Prefer: handling=lenient    warnings, however certain the rejection is
 *   no preference               the company's settings `strictValidation` and `knownRejections`
 *
 * Source: RFC 7240, section 4.4. Gap: the preference of a request wins over both settings.
 */
import { Type } from "@sinclair/typebox";
import { isCertainRejection } from "../../../authority/rules";
import type { CompanyRow } from "../../../companies";
import { toFault, type Warning } from "../../../ecf/mapping";
import type { Parameter } from "../../../platform/operation";
import { type Fault, joinMessages, Problem } from "../../../platform/problem";

export type Handling = "lenient" | "strict";

export const HANDLING_DESCRIPTION =
	"`handling=lenient`: send a document although the authority is certain to reject it. `handling=strict`: treat warnings as violations. " +
	"Either wins over the company's settings.";

export const PREFER_HANDLING: Parameter = {
	name: "Prefer",
	in: "header",
	required: false,
	description: HANDLING_DESCRIPTION,
	schema: Type.String(),
	example: "handling=lenient",
};

/** The first usable preference of a request; undefined without one, since a server may ignore any. */
export function readHandling(request: Request): Handling | undefined {
	for (const preference of (request.headers.get("prefer") ?? "").split(",")) {
		const match = /^\s*handling\s*=\s*"?(lenient|strict)"?\s*(?:;|$)/i.exec(preference);
		if (match) return match[1]?.toLowerCase() as Handling;
	}
	return undefined;
}

/** The header that says which preferences were applied; none if none was. */
export function preferenceHeaders(handling: Handling | undefined, waitSeconds?: number): Record<string, string> {
	const applied = [
		...(handling === undefined ? [] : [`handling=${handling}`]),
		...(waitSeconds === undefined ? [] : [`wait=${waitSeconds}`]),
	];
	return applied.length === 0 ? {} : { "preference-applied": applied.join(", ") };
}

export function isStrict({ settings }: Pick<CompanyRow, "settings">, handling: Handling | undefined): boolean {
	return handling === undefined ? settings.strictValidation : handling === "strict";
}

/**
 * Refuses a document whose warnings foretell a certain rejection, unless company or request want it sent. Throws: known-rejection. Nothing is
 * stored by then, and no number is taken.
 */
export function refuseKnownRejections(
	{ settings }: Pick<CompanyRow, "settings">,
	handling: Handling | undefined,
	warnings: readonly Warning[],
): void {
	if (handling === "lenient" || settings.knownRejections === "send") return;
	const certain = warnings.filter(isCertainRejection);
	if (certain.length === 0) return;
	const faults = certain.map(toFault).map(({ verdict: _, ...fault }) => fault as Fault);
	throw new Problem("known-rejection", { detail: joinMessages(faults.map(({ detail }) => detail)), faults });
}
