/** What a request for an erasure says. */
import { type Static, Type } from "@sinclair/typebox";
import { checkBody } from "../../platform/operation";
import { type Fault, Problem } from "../../platform/problem";
import type { TaxpayerDocument } from "../../platform/values";

const LEGAL_BASES = ["arco-cancellation", "arco-opposition", "court-order", "data-error"] as const;

export const PurgeRequest = Type.Object(
	{
		legal_basis: Type.Union(
			LEGAL_BASES.map((basis) => Type.Literal(basis)),
			{ description: "On what ground the entry is erased." },
		),
		request_reference: Type.String({ minLength: 1, maxLength: 100, description: "Your reference of the request." }),
		requested_by: Type.String({ minLength: 1, maxLength: 200, description: "Who answers for the request." }),
		reason: Type.String({ minLength: 1, maxLength: 1_000, description: "Why, in words." }),
	},
	{
		$id: "PurgeRequest",
		additionalProperties: false,
		description: "Kept with the record of the erasure, so no member may hold the number that is erased.",
	},
);
export type PurgeRequest = Static<typeof PurgeRequest>;

/** Checks a parsed body. Throws: validation-error, also for each member that would keep the number which the request erases. */
export function checkPurgeRequest(value: unknown, document: TaxpayerDocument): PurgeRequest {
	const request = checkBody<PurgeRequest>(value, PurgeRequest);
	const members = ["request_reference", "requested_by", "reason"] as const;
	const faults: Fault[] = members
		.filter((member) => digitsIn(request[member]).includes(document.digits))
		.map((member) => ({
			pointer: `/${member}`,
			code: "contains-document",
			detail: "The member is kept, so it must not hold the number that is erased.",
		}));
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	return request;
}

/** Whatever parts them, and in whatever form they are written. */
function digitsIn(text: string): string {
	return text.normalize("NFKC").replace(/\D/g, "");
}

export const examplePurgeRequest: PurgeRequest = {
	legal_basis: "arco-cancellation",
	request_reference: "ARCO-2026-00017",
	requested_by: "dpo@example.do",
	reason: "Data subject request, Law 172-13",
};
