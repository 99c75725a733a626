/** A team in requests and answers. */
import { type Static, Type } from "@sinclair/typebox";
import { lineOf } from "../../platform/operation";
import { LANGUAGES, msg } from "../../platform/problem";
import { EMAIL_PATTERN, ID_PATTERN } from "../../platform/values";
import { type Member, type OpenInvitation, TEAM_ROLES } from "../users";

const TeamRole = Type.Union(
	TEAM_ROLES.map((role) => Type.Literal(role)),
	{
		description:
			"`viewer` reads; `accountant` also issues and approves; `developer` manages keys and webhooks; `owner` does everything, and manages the " +
			"team if bound to no companies.",
	},
);
const TenantIds = Type.Union(
	[
		Type.Array(
			Type.String({ pattern: ID_PATTERN, faultCode: "invalid-id", faultDetail: msg`Is not a company's tenant id.` }),
			{ minItems: 1, maxItems: 100 },
		),
		Type.Null(),
	],
	{ description: "The companies that the person sees; null for all of the owner, also later ones." },
);

export const InvitationRequest = Type.Object(
	{
		email: Type.String({
			maxLength: 254,
			pattern: EMAIL_PATTERN,
			faultCode: "invalid-email",
			faultDetail: msg`Is not an e-mail address.`,
			description: "Of the person: the invitation is for this address alone.",
		}),
		role: TeamRole,
		tenantIds: Type.Optional(TenantIds),
		language: Type.Optional(
			Type.Union(
				LANGUAGES.map((language) => Type.Literal(language)),
				{ description: "Of the mail. Default: `es`." },
			),
		),
	},
	{ additionalProperties: false },
);
export type InvitationRequest = Static<typeof InvitationRequest>;

export const MemberPatch = Type.Object(
	{ role: Type.Optional(TeamRole), tenantIds: Type.Optional(TenantIds) },
	{ additionalProperties: false },
);
export type MemberPatch = Static<typeof MemberPatch>;

export const AcceptRequest = Type.Object(
	{
		token: Type.String({ pattern: "^[A-Za-z0-9_-]{43}$", description: "The last part of the mailed link." }),
		name: Type.Optional(lineOf(100, "Of the person, for a new account.")),
	},
	{ additionalProperties: false },
);
export type AcceptRequest = Static<typeof AcceptRequest>;

export const MemberRecord = Type.Object({
	id: Type.String({ description: "Of the membership." }),
	userId: Type.String(),
	email: Type.String(),
	name: Type.String(),
	role: Type.String(),
	tenantIds: Type.Union([Type.Array(Type.String()), Type.Null()]),
	factors: Type.Object({ password: Type.Boolean(), totp: Type.Boolean(), passkeys: Type.Integer() }),
	disabled: Type.Boolean({ description: "The operator has closed the account." }),
	createdAt: Type.String(),
});
export type MemberRecord = Static<typeof MemberRecord>;

export const InvitationRecord = Type.Object({
	id: Type.String(),
	email: Type.String(),
	role: Type.String(),
	tenantIds: Type.Union([Type.Array(Type.String()), Type.Null()]),
	createdAt: Type.String(),
	expiresAt: Type.String(),
});
export type InvitationRecord = Static<typeof InvitationRecord>;

export const AcceptedRecord = Type.Object({
	ownerId: Type.Union([Type.String(), Type.Null()], { description: "The team; null for the operators." }),
	role: Type.String(),
	isNewSession: Type.Boolean({ description: "Whether the answer signs the person in." }),
});
export type AcceptedRecord = Static<typeof AcceptedRecord>;

export function toMemberRecord(member: Member): MemberRecord {
	const { id, userId, email, name, role, tenantIds, createdAt } = member;
	const { hasPassword: password, hasTotp: totp, passkeys, disabledAt } = member;
	return {
		...{ id, userId, email, name, role, tenantIds: tenantIds && [...tenantIds], factors: { password, totp, passkeys } },
		...{ disabled: disabledAt !== null, createdAt: createdAt.toISOString() },
	};
}

export function toInvitationRecord({
	id,
	email,
	role,
	tenantIds,
	createdAt,
	expiresAt,
}: OpenInvitation): InvitationRecord {
	return {
		...{ id, email, role, tenantIds: tenantIds && [...tenantIds] },
		...{ createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() },
	};
}
