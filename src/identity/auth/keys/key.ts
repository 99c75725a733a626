/** An API key in requests and answers: the body that creates it, the body that changes it, and the record. */
import { type Static, Type } from "@sinclair/typebox";
import { lineOf, SCOPES } from "../../../platform/operation";
import { type Fault, msg } from "../../../platform/problem";
import { EMAIL_PATTERN, ID_PATTERN } from "../../../platform/values";
import type { ApiKey } from "../api-key";
import { isAddressRange, isWithin } from "../directory";

const ScopeName = Type.Union(SCOPES.map((scope) => Type.Literal(scope)));
const Label = lineOf(100, "What the key is for.");
const Scopes = Type.Array(ScopeName, {
	minItems: 1,
	maxItems: SCOPES.length,
	description:
		"Scopes of the key, at most those of your credentials. Default: all of these except `registry:purge` and `admin`.",
});
const ExpiresAt = Type.String({
	maxLength: 40,
	description: "Expiry with its time zone, not later than that of the key that you send.",
});
const IpAllowList = Type.Array(Type.String({ minLength: 1, maxLength: 60 }), {
	maxItems: 100,
	description:
		"IPv4 and IPv6 addresses or CIDR ranges that may use the key; all if empty. They must be within the list of the key that you " +
		"send, if it has one.",
});
const TenantIds = Type.Array(
	Type.String({ pattern: ID_PATTERN, faultCode: "invalid-id", faultDetail: msg`Is not a company's tenant id.` }),
	{
		maxItems: 100,
		description:
			"Tenant ids of the companies that the key opens, such as one for a till; all of the owner's if empty. They must be among those " +
			"that your credentials open.",
	},
);
const ContactEmails = Type.Array(
	Type.String({
		maxLength: 80,
		pattern: EMAIL_PATTERN,
		faultCode: "invalid-email",
		faultDetail: msg`Is not an e-mail address.`,
	}),
	{ maxItems: 10, description: "Recipients of announcements of interface changes." },
);
const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

/** Body of `POST /v1/api-keys`. */
export const CreateKeyRequest = Type.Object(
	{
		label: Label,
		scopes: Type.Optional(Scopes),
		expiresAt: Type.Optional(Nullable(ExpiresAt)),
		ipAllowList: Type.Optional(IpAllowList),
		tenantIds: Type.Optional(TenantIds),
		contactEmails: Type.Optional(ContactEmails),
	},
	{ additionalProperties: false },
);
export type CreateKeyRequest = Static<typeof CreateKeyRequest>;

/** Body of `PATCH /v1/api-keys/{id}`. Gap: scopes and plan never change, because the holder of the key was given exactly these. */
export const KeyPatch = Type.Object(
	{
		label: Type.Optional(Label),
		expiresAt: Type.Optional(
			Nullable(
				Type.String({
					maxLength: 40,
					description:
						"In the future, and not later than the expiry of the key that you send. `null` removes the expiry.",
				}),
			),
		),
		ipAllowList: Type.Optional(Nullable(IpAllowList)),
		tenantIds: Type.Optional(Nullable(TenantIds)),
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
				description: "How long the old key stays valid. Default: a day. Send 0 for a leaked key.",
			}),
		),
	},
	{ additionalProperties: false },
);
export type RotateKeyRequest = Static<typeof RotateKeyRequest>;

const recordMembers = {
	id: Type.String(),
	prefix: Type.String({ description: "The first characters of the key, to recognise it." }),
	label: Type.String(),
	plan: Type.String(),
	scopes: Type.Array(Type.String()),
	environment: Type.String(),
	ipAllowList: Type.Array(Type.String()),
	tenantIds: Type.Array(Type.String(), { description: "The companies that it opens; all of the owner's if empty." }),
	contactEmails: Type.Array(Type.String()),
	createdBy: Type.Union([Type.String(), Type.Null()], {
		description: "Id of the key that created it; null if the operator or a person did.",
	}),
	createdAt: Type.String(),
	lastUsedAt: Type.Union([Type.String(), Type.Null()], { description: "Accurate to the minute." }),
	expiresAt: Type.Union([Type.String(), Type.Null()]),
	_links: Type.Object({ self: Type.String() }),
};

export const KeyRecord = Type.Object(recordMembers);
export type KeyRecord = Static<typeof KeyRecord>;

const keyMember = {
	key: Type.Union([Type.String(), Type.Null()], { description: "Shown only in this answer; null in a repeat of it." }),
};
export const NewKeyRecord = Type.Object({ ...recordMembers, ...keyMember });
export const RotatedKeyRecord = Type.Object({
	...recordMembers,
	...keyMember,
	previousExpiresAt: Type.String({ description: "When the old key expires." }),
});

export function toKeyRecord(key: ApiKey): KeyRecord {
	const { id, prefix, label, plan, environment } = key;
	return {
		...{ id, prefix, label, plan },
		scopes: [...key.scopes],
		environment,
		ipAllowList: [...key.ipAllowList],
		tenantIds: [...key.tenantIds],
		contactEmails: [...key.contactEmails],
		createdBy: key.createdBy,
		createdAt: key.createdAt.toISOString(),
		lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
		expiresAt: key.expiresAt?.toISOString() ?? null,
		_links: { self: `/v1/api-keys/${id}` },
	};
}

/** Checks that a schema cannot express. */

/** Violations of an end; undefined stands for a malformed one. */
export function findEndFaults(end: Date | undefined, now: Date): Fault[] {
	const pointer = "/expiresAt";
	if (!end) {
		const detail = msg`Send an instant with its zone, such as 2026-12-01T00:00:00-04:00.`;
		return [{ pointer, code: "invalid-instant", detail }];
	}
	return end > now
		? []
		: [{ pointer, code: "not-to-come", detail: msg`Send a future time. To end a key now, delete it.` }];
}

export function findRangeFaults(range: string, i: number): Fault[] {
	if (isAddressRange(range)) return [];
	const detail = msg`Send an IPv4 or IPv6 address or a range such as 192.0.2.0/24 or 2001:db8::/32.`;
	return [{ pointer: `/ipAllowList/${i}`, code: "invalid-address", detail }];
}

/**
 * A key can give only what it has: no key that it creates or renews gets more scopes, time, addresses or companies. Otherwise a key that was
 * lent for a week, or bound to an office, could create one that is not. A person gives what the role has.
 */
export type Giver = Pick<ApiKey, "plan" | "expiresAt" | "ipAllowList" | "tenantIds"> & {
	/** The key; null for a person. */
	readonly id: string | null;
};

/** The requested scopes that the giver lacks. */
export function missingScopes(given: ReadonlySet<string>, wanted: readonly string[]): string[] {
	return wanted.filter((scope) => !given.has(scope));
}

/** What exceeds the giver's time, addresses and companies. */
export function findExcess(giver: Giver, wanted: Pick<ApiKey, "expiresAt" | "ipAllowList" | "tenantIds">): Fault[] {
	return [
		...findLateEnd(giver, wanted.expiresAt),
		...findWideList(giver, wanted.ipAllowList),
		...findFurtherCompanies(giver, wanted.tenantIds),
	];
}

/** Violations of a list that opens more companies than the giver. */
export function findFurtherCompanies({ tenantIds: own }: Giver, wanted: readonly string[]): Fault[] {
	if (own.length === 0) return [];
	const detail = msg`This exceeds the companies that your credentials open.`;
	if (wanted.length === 0) return [{ pointer: "/tenantIds", code: "beyond-own-companies", detail }];
	return wanted.flatMap((id, i) =>
		own.includes(id) ? [] : [{ pointer: `/tenantIds/${i}`, code: "beyond-own-companies", detail }],
	);
}

/** Violations of an end later than the giver's; null means no end. */
export function findLateEnd({ expiresAt: end }: Giver, wanted: Date | null): Fault[] {
	if (end === null || (wanted !== null && wanted <= end)) return [];
	const detail = msg`The key that you send expires at ${end.toISOString()}; this one may not expire later.`;
	return [{ pointer: "/expiresAt", code: "beyond-own-end", detail }];
}

/** Violations of an allow-list that allows more than the giver's. */
export function findWideList({ ipAllowList: own }: Giver, wanted: readonly string[]): Fault[] {
	if (own.length === 0) return [];
	const detail = msg`This exceeds the addresses of the key that you send.`;
	if (wanted.length === 0) return [{ pointer: "/ipAllowList", code: "beyond-own-list", detail }];
	return wanted.flatMap((range, i) =>
		isWithin(own, range) ? [] : [{ pointer: `/ipAllowList/${i}`, code: "beyond-own-list", detail }],
	);
}
