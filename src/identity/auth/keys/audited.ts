/** What the audit keeps of changes to keys: never the key, nor whom its mail goes to. */

import type { Tx } from "../../../platform/database";
import { type Actor, type AuditEntry, recordAudit } from "../../audit-log";
import type { ApiKey } from "../api-key";

/** Notes that a key was made; of a rotation, which one it follows. */
export async function recordMadeKey(tx: Tx, actor: Actor, key: ApiKey, follows?: ApiKey): Promise<void> {
	const end = key.expiresAt?.toISOString() ?? null;
	const details = {
		prefix: key.prefix,
		label: key.label,
		plan: key.plan,
		scopes: key.scopes.join(" "),
		expiresAt: end,
	};
	const made = { at: key.createdAt, actor, subject: key.id };
	if (follows) await recordAudit(tx, { ...made, action: "key.rotate", details: { ...details, follows: follows.id } });
	else await recordAudit(tx, { ...made, action: "key.create", details });
}

/** Notes that a key will end, or has. */
export const revocationOf = (id: string): Pick<AuditEntry, "action" | "subject" | "details"> => ({
	...{ action: "key.revoke", subject: id, details: {} },
});
