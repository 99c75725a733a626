/** All SQL of the audit. There is no way to change or remove an entry: the database refuses both. */
import type { Tx } from "../database";
import { newId } from "../values";
import type { Actor } from "./actor";

export type AuditEntry = {
	readonly at: Date;
	readonly actor: Actor;
	/** `noun.verb` with the capability before it: `registry.purge`. */
	readonly action: string;
	/** Identifier of what it was done to. */
	readonly subject: string;
	/** Never holds what the action was to remove. */
	readonly details: Readonly<Record<string, string | number | boolean | null>>;
};

/** Writes an entry in the transaction that does what it tells: neither is there without the other. */
export async function recordAudit(tx: Tx, { at, actor, action, subject, details }: AuditEntry): Promise<void> {
	const { keyId = null, ownerId = null, tenantId = null, address, requestId = null } = actor;
	await tx`
		insert into audit (id, at, key_id, owner_id, tenant_id, address, action, subject, request_id, details)
		values (${newId()}, ${at}, ${keyId}, ${ownerId}, ${tenantId}, ${address}, ${action}, ${subject}, ${requestId},
			${tx.json(details)})`;
}

/**
 * How often a key did one of the actions since a moment, and when first. Until the transaction ends the key waits with the next, so that
 * a limit holds exactly in however many processes.
 */
export async function countSince(
	tx: Tx,
	keyId: string,
	actions: readonly string[],
	since: Date,
): Promise<{ readonly times: number; readonly firstAt: Date | null }> {
	await tx`select pg_advisory_xact_lock(hashtextextended(${`audit|${keyId}`}, 0))`;
	const [row] = await tx<{ times: number; firstAt: Date | null }[]>`
		select count(*)::int as times, min(at) as "firstAt" from audit
		where key_id = ${keyId} and action = any(${actions as string[]}) and at > ${since}`;
	return row ?? { times: 0, firstAt: null };
}
