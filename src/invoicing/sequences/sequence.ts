/** Sequences, leases and voids: requests and records. */

import { type Static, Type } from "@sinclair/typebox";
import type { Authority, Signatory } from "../../authority/client";
import { ECF_TYPES } from "../../ecf/mapping";
import type { SealedIdentity, SigningIdentity } from "../../ecf/signing";
import type { Sql } from "../../platform/database";
import { msg } from "../../platform/problem";
import type { Clock, Environment } from "../../platform/values";

/** What sequences, numbering and voids need. */
export type SequenceDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	readonly environment: Environment;
	/** Notifies dispatchers of new messages. */
	readonly wake: () => void;
	readonly authority: Pick<Authority<Signatory>, "voidRange">;
	/** Opens a sealed key, in the thread that may hold one. */
	readonly openKey: (identity: SealedIdentity) => SigningIdentity;
};

const closed = { additionalProperties: false };
const Day = (description: string) =>
	Type.String({
		pattern: "^\\d{4}-\\d{2}-\\d{2}$",
		faultCode: "invalid-date",
		faultDetail: msg`Send YYYY-MM-DD.`,
		description,
	});
const Encf = (description: string) =>
	Type.String({
		pattern: "^E\\d{12}$",
		faultCode: "encf-form",
		faultDetail: msg`Send E, the type and 10 digits.`,
		description,
	});
const EcfTypeSchema = Type.Union(
	ECF_TYPES.map((type) => Type.Literal(type)),
	{ description: "e-CF type." },
);
const Nullable = <T extends ReturnType<typeof Type.String>>(schema: T) => Type.Union([schema, Type.Null()]);

/** Body of `POST /v1/sequences`. */
export const SequenceRequest = Type.Object(
	{
		type: EcfTypeSchema,
		from: Encf("First authorised number."),
		to: Encf("Last number."),
		expiresAt: Type.Optional(Nullable(Day("Last day of the sequence. Required except for types 32 and 34."))),
	},
	closed,
);
export type SequenceRequest = Static<typeof SequenceRequest>;

export const SequenceRecord = Type.Object(
	{
		id: Type.String(),
		type: Type.String(),
		from: Type.String(),
		to: Type.String(),
		next: Nullable(Type.String({ description: "The lowest free number; null if none is left." })),
		available: Type.Integer({ description: "Numbers that are neither used, held, leased nor voided." }),
		expiresAt: Nullable(Type.String()),
		status: Type.Union([Type.Literal("active"), Type.Literal("exhausted"), Type.Literal("expired")]),
		forecast: Type.Object({
			perDay: Type.Number({ description: "Mean of the numbers given per day in the last two weeks." }),
			exhaustedOn: Nullable(
				Type.String({
					description:
						"Day of the last number at this pace; null without use, beyond ten years, or if the sequence expires first.",
				}),
			),
		}),
	},
	{
		$id: "Sequence",
		examples: [
			{
				id: "0192f1a0-7a00-7b11-9c22-334455667788",
				type: "32",
				from: "E320000000001",
				to: "E320000010000",
				next: "E320000005251",
				available: 4750,
				expiresAt: "2027-12-31",
				status: "active",
				forecast: { perDay: 505, exhaustedOn: "2026-11-29" },
			},
		],
	},
);
export type SequenceRecord = Static<typeof SequenceRecord>;

const LEASE_COUNT_MAX = 10_000;

/** Body of `POST /v1/sequences/leases`. */
export const LeaseRequest = Type.Object(
	{
		type: EcfTypeSchema,
		count: Type.Integer({ minimum: 1, maximum: LEASE_COUNT_MAX, description: "How many numbers." }),
		ttl: Type.Integer({ minimum: 60, maximum: 2_592_000, description: "Duration in seconds." }),
	},
	closed,
);
export type LeaseRequest = Static<typeof LeaseRequest>;

export const LeaseRecord = Type.Object(
	{
		id: Type.String(),
		type: Type.String(),
		count: Type.Integer(),
		ranges: Type.Array(
			Type.Object({
				from: Type.String(),
				to: Type.String(),
				sequenceExpiresAt: Nullable(Type.String({ description: "Stated in the documents." })),
			}),
		),
		status: Type.Union([Type.Literal("active"), Type.Literal("returned"), Type.Literal("expired")]),
		expiresAt: Type.String(),
		createdAt: Type.String(),
		_links: Type.Object({ self: Type.String() }),
	},
	{
		$id: "SequenceLease",
		examples: [
			{
				id: "0192f1b0-7a00-7b11-9c22-334455667788",
				type: "32",
				count: 100,
				ranges: [{ from: "E320000005251", to: "E320000005350", sequenceExpiresAt: null }],
				status: "active",
				expiresAt: "2026-11-21T14:20:00.000Z",
				createdAt: "2026-11-20T14:20:00.000Z",
				_links: { self: "/v1/sequences/leases/0192f1b0-7a00-7b11-9c22-334455667788" },
			},
		],
	},
);
export type LeaseRecord = Static<typeof LeaseRecord>;

/** Body of `POST /v1/sequences/void`. */
export const VoidRequest = Type.Object(
	{
		type: EcfTypeSchema,
		from: Encf("First number that will never be used."),
		to: Encf("Last number."),
		reason: Type.String({
			minLength: 1,
			maxLength: 250,
			description: "The reason. It is stored here and not sent to the authority.",
		}),
	},
	closed,
);
export type VoidRequest = Static<typeof VoidRequest>;

export const VoidRecord = Type.Object(
	{
		id: Type.String(),
		type: Type.String(),
		from: Type.String(),
		to: Type.String(),
		count: Type.Integer(),
		reason: Type.String(),
		status: Type.String({
			description:
				"`pending`, `voided`, `partly-voided`, `rejected`, `unconfirmed` (sent, but the authority's answers leave open whether it " +
				"counts) or `failed` (not sent). The numbers of `rejected` and `failed` are free again.",
		}),
		messages: Type.Array(Type.Object({ code: Type.String(), text: Type.String() }), {
			description:
				"The authority's messages, or why nothing was sent. `awaiting-certificate` while the company has no certificate in force; after 72 " +
				"hours the void fails with `certificate-missing`.",
		}),
		attempts: Type.Integer(),
		createdAt: Type.String(),
		decidedAt: Nullable(Type.String()),
		_links: Type.Object({ self: Type.String() }),
	},
	{
		$id: "SequenceVoid",
		examples: [
			{
				id: "0192f1c0-7a00-7b11-9c22-334455667788",
				type: "31",
				from: "E310000000901",
				to: "E310000001000",
				count: 100,
				reason: "Punto de venta cerrado",
				status: "voided",
				messages: [{ code: "0", text: "Las secuencias fueron anuladas correctamente." }],
				attempts: 1,
				createdAt: "2026-11-20T14:20:00.000Z",
				decidedAt: "2026-11-20T14:20:00.900Z",
				_links: { self: "/v1/sequences/voids/0192f1c0-7a00-7b11-9c22-334455667788" },
			},
		],
	},
);
export type VoidRecord = Static<typeof VoidRecord>;
