/** An API key in the forms that its owner meets: the request that makes it, the one that changes it, and the record. */
import { type Static, Type } from "@sinclair/typebox";
import { SCOPES } from "../../../platform/operation";
import { EMAIL_PATTERN } from "../../../platform/values";
import type { ApiKey } from "../api-key";

const ScopeName = Type.Union(SCOPES.map((scope) => Type.Literal(scope)));
const Label = Type.String({ minLength: 1, maxLength: 100, description: "What the key is for." });
const Scopes = Type.Array(ScopeName, {
	minItems: 1,
	maxItems: SCOPES.length,
	description:
		"What it may do, at most what both credentials of the request may. All of that when absent, but `registry:purge` and `admin`.",
});
const ExpiresAt = Type.String({
	maxLength: 40,
	description: "Instant with its zone from which on it counts no more; not later than the end of the key that is sent.",
});
const IpAllowList = Type.Array(Type.String({ minLength: 1, maxLength: 60 }), {
	maxItems: 100,
	description:
		"IPv4 and IPv6 addresses or CIDR ranges that may use it, all when empty; within the list of the key that is sent, if that has one.",
});
const ContactEmails = Type.Array(
	Type.String({
		maxLength: 80,
		pattern: EMAIL_PATTERN,
		faultCode: "invalid-email",
		faultDetail: "Is not an e-mail address.",
	}),
	{ maxItems: 10, description: "Who is told of changes of the interface." },
);
const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

/** Body of `POST /v1/api-keys`. */
export const CreateKeyRequest = Type.Object(
	{
		label: Label,
		scopes: Type.Optional(Scopes),
		expiresAt: Type.Optional(Nullable(ExpiresAt)),
		ipAllowList: Type.Optional(IpAllowList),
		contactEmails: Type.Optional(ContactEmails),
	},
	{ additionalProperties: false },
);
export type CreateKeyRequest = Static<typeof CreateKeyRequest>;

/** Body of `PATCH /v1/api-keys/{id}`. Gap: scopes and plan stay for life: whoever holds the key was given just these. */
export const KeyPatch = Type.Object(
	{
		label: Type.Optional(Label),
		expiresAt: Type.Optional(
			Nullable(
				Type.String({
					maxLength: 40,
					description: "To come, and not later than the end of the key that is sent. `null`: it has no end any more.",
				}),
			),
		),
		ipAllowList: Type.Optional(Nullable(IpAllowList)),
		contactEmails: Type.Optional(Nullable(ContactEmails)),
	},
	{ additionalProperties: false },
);
export type KeyPatch = Static<typeof KeyPatch>;

/** Body of `POST /v1/api-keys/{id}/rotate`. */
export const RotateKeyRequest = Type.Object(
	{
		graceSeconds: Type.Optional(
			Type.Integer({
				minimum: 0,
				maximum: 604_800,
				description: "How long the old key lives on; a day when absent. 0 for a key that others know.",
			}),
		),
	},
	{ additionalProperties: false },
);
export type RotateKeyRequest = Static<typeof RotateKeyRequest>;

const recordMembers = {
	id: Type.String(),
	prefix: Type.String({ description: "The key's first characters, to know it by." }),
	label: Type.String(),
	plan: Type.String(),
	scopes: Type.Array(Type.String()),
	environment: Type.String(),
	ipAllowList: Type.Array(Type.String()),
	contactEmails: Type.Array(Type.String()),
	createdBy: Type.Union([Type.String(), Type.Null()], {
		description: "Id of the key that made it; null where it was the operator.",
	}),
	createdAt: Type.String(),
	lastUsedAt: Type.Union([Type.String(), Type.Null()], { description: "To the minute." }),
	expiresAt: Type.Union([Type.String(), Type.Null()]),
	_links: Type.Object({ self: Type.String() }),
};

export const KeyRecord = Type.Object(recordMembers);
export type KeyRecord = Static<typeof KeyRecord>;

const keyMember = {
	key: Type.Union([Type.String(), Type.Null()], { description: "Shown in this answer alone; null in a repeat of it." }),
};
export const NewKeyRecord = Type.Object({ ...recordMembers, ...keyMember });
export const RotatedKeyRecord = Type.Object({
	...recordMembers,
	...keyMember,
	previousExpiresAt: Type.String({ description: "When the old key ends." }),
});

export function toKeyRecord(key: ApiKey): KeyRecord {
	const { id, prefix, label, plan, environment } = key;
	return {
		...{ id, prefix, label, plan },
		scopes: [...key.scopes],
		environment,
		ipAllowList: [...key.ipAllowList],
		contactEmails: [...key.contactEmails],
		createdBy: key.createdBy,
		createdAt: key.createdAt.toISOString(),
		lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
		expiresAt: key.expiresAt?.toISOString() ?? null,
		_links: { self: `/v1/api-keys/${id}` },
	};
}
