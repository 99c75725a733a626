/** Sessions and people as the console sees them. */
import { type Static, Type } from "@sinclair/typebox";
import type { Person } from "../../platform/operation";
import { LANGUAGES } from "../../platform/problem";
import { ENVIRONMENTS } from "../../platform/values";
import { CONFIRMED_MS } from "../auth";
import { isOperatorRole, scopesOf, type User } from "../users";
import { ACCESS_ROLE } from "./authenticate";
import type { ConsoleAddress } from "./cookie";
import { hasMailbox } from "./local-user";
import type { SessionRow } from "./store";

const Role = Type.Union(
	(["viewer", "accountant", "developer", "owner", "operator", "operator-readonly"] as const).map((one) =>
		Type.Literal(one),
	),
);
const Scopes = Type.Array(Type.String(), { description: "What the role may do." });

const CompanyOfPerson = Type.Object({
	tenantId: Type.String({ description: "Send it in `X-Company`." }),
	ownerId: Type.Union([Type.String(), Type.Null()], {
		description: "The customer; null for the demo key's companies.",
	}),
	rnc: Type.String(),
	name: Type.String(),
	status: Type.String({ description: "As of the company." }),
	role: Role,
	scopes: Scopes,
});

const Team = Type.Object({
	ownerId: Type.Union([Type.String(), Type.Null()], {
		description: "The customer; null for operators, and in a local sandbox for the companies of the demo key.",
	}),
	role: Role,
	tenantIds: Type.Union([Type.Array(Type.String()), Type.Null()], {
		description: "The companies that the person sees; null for all of the customer.",
	}),
	scopes: Scopes,
});

/** Companies of a person that are listed. */
export const COMPANIES_MAX = 500;

export const Me = Type.Object(
	{
		user: Type.Object({
			id: Type.String(),
			email: Type.Union([Type.String(), Type.Null()], { description: "Null for the person of a local sandbox." }),
			name: Type.String(),
			language: Type.Union(LANGUAGES.map((one) => Type.Literal(one))),
			settings: Type.Record(Type.String(), Type.Unknown(), { description: "As the console stored them." }),
		}),
		factors: Type.Object({
			password: Type.Boolean(),
			totp: Type.Boolean({ description: "Whether an authenticator app is set up." }),
			passkeys: Type.Integer(),
			recoveryCodes: Type.Integer({ description: "Codes that are left." }),
			sso: Type.Union([Type.String(), Type.Null()], {
				description: "Name of the identity provider that can confirm the person; null without one.",
			}),
		}),
		teams: Type.Array(Team),
		memberships: Type.Array(CompanyOfPerson, { description: `Companies by name, the first ${COMPANIES_MAX}.` }),
		environment: Type.Union(ENVIRONMENTS.map((one) => Type.Literal(one))),
	},
	{ $id: "Me", description: "The person who is signed in." },
);
export type Me = Static<typeof Me>;

export const SessionRecord = Type.Object(
	{
		id: Type.String(),
		method: Type.String({ description: "How it began: `passkey`, `password`, `link`, `recovery` or `sso`." }),
		current: Type.Boolean({ description: "Whether the request came with it." }),
		operator: Type.Boolean({ description: "Whether it has its person's rights as an operator." }),
		address: Type.String(),
		agent: Type.String({ description: "As the browser named itself." }),
		createdAt: Type.String(),
		lastSeenAt: Type.String({ description: "To the minute." }),
		expiresAt: Type.String(),
		idleSeconds: Type.Integer({ description: "It also ends after this long without a request." }),
		confirmedUntil: Type.String({ description: "Until when the shown factor counts." }),
	},
	{ $id: "Session" },
);
export type SessionRecord = Static<typeof SessionRecord>;

export const SignedIn = Type.Object({ session: SessionRecord, me: Me }, { $id: "SignedIn" });

export type PersonsCompany = {
	readonly tenantId: string;
	readonly ownerId: string | null;
	readonly rnc: string;
	readonly name: string;
	readonly status: string;
};

/** `memberships` and `accesses` are those that the session shows. */
export function toMe(
	user: User,
	{ memberships, accesses }: Pick<Person, "memberships" | "accesses">,
	companies: readonly PersonsCompany[],
	{ address, sso }: { readonly address: ConsoleAddress; readonly sso: { readonly label: string } | undefined },
): Me {
	const { environment } = address;
	const isLocal = !hasMailbox(user);
	const roleIn = ({ tenantId, ownerId }: PersonsCompany) =>
		memberships.find(
			(one) => !isOperatorRole(one.role) && one.ownerId === ownerId && (one.tenantIds?.includes(tenantId) ?? true),
		)?.role;
	/** A company that is not the person's has been opened for an operator. */
	const accessTo = ({ tenantId }: PersonsCompany) =>
		accesses.some((one) => one.tenantId === tenantId)
			? { role: "operator-readonly" as const, scopes: [...scopesOf(ACCESS_ROLE, environment)] }
			: undefined;
	return {
		user: {
			...{ id: user.id, email: isLocal ? null : user.email, name: user.name },
			...{ language: user.language, settings: { ...user.settings } },
		},
		factors: {
			...{ password: user.passwordHash !== null, totp: user.totpAt !== null },
			...{ passkeys: user.passkeys, recoveryCodes: user.recoveryCodes },
			sso: isLocal ? null : (sso?.label ?? null),
		},
		teams: memberships.map(({ ownerId, role, tenantIds }) => ({
			...{ ownerId, role, tenantIds: tenantIds && [...tenantIds] },
			scopes: [...scopesOf(role, environment)],
		})),
		memberships: companies.flatMap((company) => {
			const role = roleIn(company);
			const { tenantId, ownerId, rnc, name, status } = company;
			const may = role ? { role, scopes: [...scopesOf(role, environment)] } : accessTo(company);
			return may ? [{ tenantId, ownerId, rnc, name, status, ...may }] : [];
		}),
		environment,
	};
}

export function toSessionRecord(row: SessionRow, currentId: string): SessionRecord {
	return {
		...{ id: row.id, method: row.method, current: row.id === currentId, operator: row.isOperator },
		...{ address: row.address, agent: row.agent, createdAt: row.createdAt.toISOString() },
		...{ lastSeenAt: row.lastSeenAt.toISOString(), expiresAt: row.expiresAt.toISOString() },
		...{
			idleSeconds: row.idleSeconds,
			confirmedUntil: new Date(row.confirmedAt.getTime() + CONFIRMED_MS).toISOString(),
		},
	};
}
