/** A test set: the request, the record, and the stored rows. */

import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { RawAnswer } from "../../authority/client";
import { AdviceSchema, type Correction, FixSchema } from "../../authority/codes";
import { ECF_TYPES, type EcfType } from "../../ecf/mapping";
import { msg } from "../../platform/problem";
import type { Environment } from "../../platform/values";
import type { TestDocument } from "../invoices";
import { NICHE_NAMES, type Niche, type Party } from "./build-invoice";
import { COMPOSITION, composeSet } from "./composition";
import { type CaseStatus, STATUSES, type TestSetStatus } from "./machine";

const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const OneOf = (values: readonly string[], description: string) =>
	Type.Union(
		values.map((value) => Type.Literal(value)),
		{ description },
	);

/** Body of `POST /v1/check-set-tests`; nothing in it is required. */
export const TestSetRequest = Type.Object(
	{
		idCompany: Type.Optional(
			Type.String({ maxLength: 64, description: "The company; must be the token's. Any other is not found." }),
		),
		types: Type.Optional(
			Type.Array(Type.String({ maxLength: 8 }), {
				minItems: 1,
				maxItems: ECF_TYPES.length,
				uniqueItems: true,
				description: `Of ${ECF_TYPES.join(", ")}; Default: all, which production requires. Originals of notes are included.`,
			}),
		),
		startNumber: Type.Optional(
			Type.String({
				pattern: "^[0-9]{10}$",
				faultCode: "number-form",
				faultDetail: msg`Send ten digits.`,
				description: "First number of the set. Default: after the numbers used before.",
			}),
		),
		mode: Type.Optional(
			OneOf(
				["simulate", "authority"],
				"`simulate`: a rehearsal on the service's simulator, without the authority and without numbers. Default `authority`, in the sandboxes `simulate`.",
			),
		),
		niche: Type.Optional(OneOf(NICHE_NAMES, "Trade of the documents. Default: retail.")),
	},
	{ $id: "TestSetRequest", additionalProperties: false },
);
export type TestSetRequest = Omit<Static<typeof TestSetRequest>, "mode" | "niche"> & {
	readonly mode?: "simulate" | "authority";
	readonly niche?: (typeof NICHE_NAMES)[number];
};

const Case = Type.Object({
	case: Type.String({ description: "Name: type and position in the full set." }),
	type: Type.String(),
	title: Type.String(),
	encf: Type.String(),
	docId: Nullable(Type.String({ description: "The invoice, once sent. A rehearsed case has none." })),
	dependsOn: Nullable(Type.String({ description: "The case that must be accepted first." })),
	status: Type.String({
		description:
			"`generated` (signed, not sent), `pending`, `accepted`, `rejected`, `failed` (internally), or `withdrawn` (never sent, because the set ended).",
	}),
	authority: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: "The authority's answer." })),
});

export const TestSetRecord = Type.Object(
	{
		id: Type.String(),
		idCompany: Type.String(),
		environment: Type.String(),
		authorityEnvironment: Type.String({ description: "Sets always run in the authority's certification environment." }),
		mode: Type.String(),
		status: OneOf(STATUSES, "`passed`, `failed`, `expired` and `cancelled` are final."),
		types: Type.Array(Type.String()),
		niche: Type.String(),
		progress: Type.Object({
			total: Type.Integer(),
			generated: Type.Integer(),
			submitted: Type.Integer(),
			accepted: Type.Integer(),
			rejected: Type.Integer(),
			pending: Type.Integer(),
		}),
		cases: Type.Array(Case, { description: "Cases of the last run, in the order of sending. Empty until signed." }),
		run: Type.Integer(),
		maxRuns: Type.Integer(),
		failure: Nullable(
			Type.Object({
				case: Nullable(Type.String()),
				code: Type.String(),
				detail: Type.String(),
				fix: Type.Array(FixSchema, { description: "A JSON patch (RFC 6902) of the case's request." }),
				advice: Type.Array(AdviceSchema, { description: "Places of the case's request that need a decision." }),
			}),
		),
		createdAt: Type.String(),
		startedAt: Nullable(Type.String()),
		completedAt: Nullable(Type.String()),
		expiresAt: Type.String(),
		_links: Type.Object({ self: Type.String(), evidence: Type.String() }),
	},
	{
		$id: "CheckSetTests",
		examples: [
			{
				id: "0192f100-7a00-7b11-9c22-334455667788",
				idCompany: "0192f0a1-b2c3-7d4e-8f00-112233445566",
				environment: "sandbox",
				authorityEnvironment: "certification",
				mode: "authority",
				status: "submitting",
				types: ["31", "34"],
				niche: "retail",
				progress: { total: 2, generated: 2, submitted: 1, accepted: 0, rejected: 0, pending: 1 },
				cases: [
					{
						case: "E31-04",
						type: "31",
						title: "On credit",
						encf: "E310000000004",
						docId: "0192f101-7a00-7b11-9c22-334455667788",
						dependsOn: null,
						status: "pending",
						authority: { trackId: "d2b6e27c-3908-46f3-afaa-2207b9501b4b" },
					},
					{
						case: "E34-13",
						type: "34",
						title: "Credit note that corrects text, total 0.00",
						encf: "E340000000013",
						docId: null,
						dependsOn: "E31-04",
						status: "generated",
					},
				],
				run: 1,
				maxRuns: 5,
				failure: null,
				createdAt: "2026-11-20T14:10:00.000Z",
				startedAt: "2026-11-20T14:10:01.000Z",
				completedAt: null,
				expiresAt: "2026-11-27T14:10:00.000Z",
				_links: {
					self: "/v1/check-set-tests/0192f100-7a00-7b11-9c22-334455667788/idCompany/0192f0a1-b2c3-7d4e-8f00-112233445566",
					evidence:
						"/v1/check-set-tests/0192f100-7a00-7b11-9c22-334455667788/idCompany/0192f0a1-b2c3-7d4e-8f00-112233445566/evidence",
				},
			},
		],
	},
);
export type TestSetRecord = Static<typeof TestSetRecord>;

export type Mode = "simulate" | "authority";

export type Failure = {
	/** Null if the set failed as a whole. */
	readonly case: string | null;
	readonly code: string;
	readonly detail: string;
	readonly fix: Correction["fix"];
	readonly advice: Correction["advice"];
};

export type TestSetRow = {
	readonly id: string;
	readonly tenantId: string;
	readonly environment: Environment;
	readonly mode: Mode;
	readonly status: TestSetStatus;
	readonly types: readonly EcfType[];
	readonly niche: Niche;
	/** As requested; null lets the service choose. */
	readonly startNumber: number | null;
	readonly buyer: Party;
	readonly run: number;
	readonly runsMax: number;
	readonly failure: Failure | null;
	readonly version: number;
	readonly createdAt: Date;
	readonly startedAt: Date | null;
	readonly completedAt: Date | null;
	readonly expiresAt: Date;
};

/** A case without its document. */
export type CaseRow = {
	readonly ordinal: number;
	readonly name: string;
	readonly type: string;
	readonly encf: string;
	readonly dependsOn: string | null;
	readonly docId: string;
	readonly isRehearsed: boolean;
	readonly status: CaseStatus;
	readonly sentAt: Date | null;
	readonly authority: Readonly<Record<string, unknown>> | null;
};

/** A case with its signed document, and the answers of a rehearsal. */
export type CaseFile = CaseRow & {
	readonly run: number;
	readonly document: TestDocument;
	readonly answers: readonly (Omit<RawAnswer, "at"> & { readonly at: string })[];
};

export function pathOf({ id, tenantId }: Pick<TestSetRow, "id" | "tenantId">): string {
	return `/v1/check-set-tests/${id}/idCompany/${tenantId}`;
}

const TITLES = new Map(COMPOSITION.map(({ name, title }) => [name, title]));
const PLACES = new Map(composeSet(COMPOSITION.map(({ type }) => type)).map(({ name }, place) => [name, place]));

export function inSendOrder<C extends Pick<CaseRow, "name">>(cases: readonly C[]): C[] {
	return cases.toSorted((a, b) => (PLACES.get(a.name) ?? 0) - (PLACES.get(b.name) ?? 0));
}

export function toRecord(row: TestSetRow, cases: readonly CaseRow[]): TestSetRecord {
	const self = pathOf(row);
	const count = (...statuses: readonly CaseStatus[]) => cases.filter(({ status }) => statuses.includes(status)).length;
	return {
		id: row.id,
		idCompany: row.tenantId,
		environment: row.environment,
		authorityEnvironment: "certification",
		mode: row.mode,
		status: row.status,
		types: [...row.types],
		niche: row.niche,
		progress: {
			total: composeSet(row.types).length,
			generated: cases.length,
			submitted: count("pending", "accepted", "rejected", "failed"),
			accepted: count("accepted"),
			rejected: count("rejected"),
			pending: count("pending"),
		},
		cases: inSendOrder(cases).map((one) => ({
			case: one.name,
			type: one.type,
			title: TITLES.get(one.name) ?? "",
			encf: one.encf,
			docId: one.isRehearsed || one.sentAt === null ? null : one.docId,
			dependsOn: one.dependsOn,
			status: one.status,
			...(one.authority ? { authority: { ...one.authority } } : {}),
		})),
		run: row.run,
		maxRuns: row.runsMax,
		failure: row.failure && { ...row.failure, fix: [...row.failure.fix], advice: [...row.failure.advice] },
		createdAt: row.createdAt.toISOString(),
		startedAt: row.startedAt?.toISOString() ?? null,
		completedAt: row.completedAt?.toISOString() ?? null,
		expiresAt: row.expiresAt.toISOString(),
		_links: { self, evidence: `${self}/evidence` },
	};
}
