/** An audit entry as its reader sees it. */

import { hostname, userInfo } from "node:os";
import { type Static, Type } from "@sinclair/typebox";
import type { Call } from "../../platform/operation";

const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

export const AuditRecord = Type.Object(
	{
		id: Type.String(),
		at: Type.String(),
		action: Type.String({
			description: "Action as `noun.verb`: `company.patch`, `webhook.delete`, `registry.purge`.",
		}),
		target: Type.String({ description: "Id of the subject." }),
		tenantId: Nullable(Type.String({ description: "The company of the subject, or of the token that was sent." })),
		actor: Type.Object({
			kind: Type.Union(
				[
					...[Type.Literal("key"), Type.Literal("client"), Type.Literal("bearer"), Type.Literal("operator")],
					Type.Literal("person"),
				],
				{
					description:
						"`client`: a company's token, with or without a key. `bearer`: a caller of the token operations who showed nothing but a token. " +
						"`operator`: the operator of the service. `person`: a person in the console.",
				},
			),
			keyId: Nullable(Type.String()),
			clientId: Nullable(Type.String()),
			userId: Nullable(Type.String({ description: "The person." })),
			address: Nullable(Type.String({ description: "IP address of the caller; null for the operator." })),
		}),
		requestId: Nullable(Type.String({ description: "`X-Request-Id` of the request." })),
		changed: Type.Array(Type.String(), { description: "Names of the changed members, never their values." }),
		details: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]), {
			description: "Further details, which depend on the action. Never a secret.",
		}),
	},
	{
		$id: "AuditEntry",
		examples: [
			{
				id: "0192f1c0-7a00-7b11-9c22-334455667788",
				at: "2026-11-20T14:00:00.000Z",
				action: "company.patch",
				target: "0192f0a1-b2c3-7d4e-8f00-112233445566",
				tenantId: "0192f0a1-b2c3-7d4e-8f00-112233445566",
				actor: {
					kind: "client",
					keyId: "0192f0c0-7a00-7b11-9c22-334455667788",
					clientId: "cli_0192f0a1b2c37d4e8f00112233445566",
					userId: null,
					address: "203.0.113.7",
				},
				requestId: "0192f170-3c55-7e21-9b0a-6d4f8e2a7c31",
				changed: ["pdfLogo", "settings.printFormat"],
				details: { version: 2 },
			},
		],
	},
);
export type AuditRecord = Static<typeof AuditRecord>;

/** The operator's account and machine are not shown. */
export function toAuditRecord(row: AuditRow): AuditRecord {
	const { id, action, subject, tenantId, keyId, clientId, userId, address, requestId, changed } = row;
	const { operator: _, ...details } = row.details;
	const kind = kindOf(row);
	return {
		id,
		at: row.at.toISOString(),
		action,
		target: subject,
		tenantId,
		actor: { kind, keyId, clientId, userId, address: kind === "operator" ? null : address },
		requestId,
		changed: [...changed],
		details,
	};
}

/** Present for what a request caused. */
function kindOf({ clientId, keyId, userId, requestId, details }: AuditRow): AuditRecord["actor"]["kind"] {
	if (details.operator === true) return "operator";
	if (userId !== null) return "person";
	if (clientId !== null) return "client";
	if (keyId !== null) return "key";
	return requestId === null ? "operator" : "bearer";
}

/** Who did something. */

export type Actor = {
	/** The API key; absent for the operator. */
	readonly keyId?: string;
	/** The OAuth client of the token that was sent along. */
	readonly clientId?: string;
	/** The person, and the session of the console. */
	readonly userId?: string;
	readonly sessionId?: string;
	/** The customer who owns the key. */
	readonly ownerId?: string;
	/** The company of the token that was sent along. */
	readonly tenantId?: string;
	/** The caller's network address, or the operator's account and machine. */
	readonly address: string;
	readonly requestId?: string;
	/** What an operator does to a company is its owner's to see, without the operator's address. */
	readonly isOperator?: true;
};

/** An actor and a time. */
export type Doer = { readonly actor: Actor; readonly at: Date };

export function actorOf({ principal, remoteAddress, requestId }: Call): Actor {
	const { keyId, clientId, ownerId, tenantId, person } = principal ?? {};
	return {
		...(keyId === undefined ? {} : { keyId }),
		...(person ? { userId: person.userId, sessionId: person.sessionId } : {}),
		...(clientId === undefined ? {} : { clientId }),
		...(ownerId ? { ownerId } : {}),
		...(tenantId === undefined ? {} : { tenantId }),
		address: remoteAddress,
		requestId,
	};
}

/** A caller of an operation for operators. Its own customer has no part in it. */
export function operatorOf(call: Call): Actor {
	const { ownerId: _, tenantId: __, ...actor } = actorOf(call);
	return { ...actor, isOperator: true };
}

/** The operator: a command, or the service itself. */
export function operatorActor(): Actor {
	return { address: `${accountName()}@${hostname()}` };
}

function accountName(): string {
	try {
		return userInfo().username;
	} catch {
		// A container may run under a user id without an account.
		return String(process.getuid?.() ?? "unknown");
	}
}

export type AuditRow = {
	readonly id: string;
	readonly at: Date;
	readonly keyId: string | null;
	readonly clientId: string | null;
	readonly userId: string | null;
	readonly tenantId: string | null;
	readonly address: string;
	readonly action: string;
	readonly subject: string;
	readonly requestId: string | null;
	readonly changed: readonly string[];
	readonly details: AuditDetails;
};

export type AuditDetails = Readonly<Record<string, string | number | boolean | null>>;
