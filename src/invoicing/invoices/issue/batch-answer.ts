/** The answer to a batch: one outcome for each invoice, in the order in which they came. */
import { type Static, Type } from "@sinclair/typebox";
import { WarningSchema } from "../../../ecf/signing";
import { ProblemSchema } from "../../../platform/operation";
import type { Problem } from "../../../platform/problem";
import { type Acknowledgement, PrintSchema } from "../model/acknowledgement";

/** What became of one invoice. */
export type Outcome =
	| { readonly kind: "issued" | "repeated"; readonly docId: string; readonly acknowledgement: string }
	| { readonly kind: "refused"; readonly problem: Problem };

const index = Type.Integer({ description: "Place in the batch, from 0." });

export const BatchResult = Type.Object(
	{
		results: Type.Array(
			Type.Union([
				Type.Object({
					index,
					status: Type.Integer({ description: "202 for a new document, 200 for one that was there already." }),
					docId: Type.String(),
					trackId: Type.String(),
					encf: Type.String(),
					print: PrintSchema,
					warnings: Type.Array(WarningSchema),
					replayed: Type.Optional(
						Type.Boolean({ description: "True for the same invoice under the same client_request_id." }),
					),
				}),
				Type.Object({
					index,
					status: Type.Integer({ description: "As if the invoice had come alone." }),
					problem: ProblemSchema,
				}),
			]),
		),
		accepted: Type.Integer({ description: "New documents." }),
		replayed: Type.Integer({ description: "Documents that were there already." }),
		failed: Type.Integer({ description: "Invoices that were refused; nothing is stored of them." }),
	},
	{ $id: "InvoiceBatchResult" },
);
export type BatchResult = Static<typeof BatchResult>;

/** Where the answer is given; problem documents name it. */
export type Place = { readonly baseUrl: string; readonly instance: string; readonly requestId: string };

export function toBatchResult(outcomes: readonly Outcome[], place: Place): BatchResult {
	const count = (kind: Outcome["kind"]) => outcomes.filter((outcome) => outcome.kind === kind).length;
	return {
		results: outcomes.map((outcome, i) => toResult(outcome, i, place)),
		accepted: count("issued"),
		replayed: count("repeated"),
		failed: count("refused"),
	};
}

function toResult(outcome: Outcome, at: number, place: Place): BatchResult["results"][number] {
	if (outcome.kind === "refused") {
		const { problem } = outcome;
		return { index: at, status: problem.status, problem: problem.toDocument(place) as ProblemSchema };
	}
	const { docId, trackId, encf, print, warnings } = JSON.parse(outcome.acknowledgement) as Static<
		typeof Acknowledgement
	>;
	const isNew = outcome.kind === "issued";
	const shown = { index: at, status: isNew ? 202 : 200, docId, trackId, encf, print, warnings };
	return isNew ? shown : { ...shown, replayed: true };
}
