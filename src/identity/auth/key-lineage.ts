/**
 * Which keys may be in the same hands. The holder of a key sees the text of each key that it creates or rotates, and gets the key that
 * replaces it. A key that the operator created has no parent.
 */
import type { Tx } from "../../platform/database";

export type KeyLineage = {
	/** All keys that share a root with this key, including itself. */
	readonly keyIds: readonly string[];
	/** The roots, which the operator created; several, where one key has rotated another. */
	readonly rootIds: readonly string[];
	/** When the key was created; undefined for an unknown key. */
	readonly madeAt: Date | undefined;
};

/** The lineage of a key, including revoked and expired keys: what they did counts. */
export async function findKeyLineage(tx: Tx, keyId: string): Promise<KeyLineage> {
	const [row] = await tx<{ keyIds: string[]; rootIds: string[]; madeAt: Date | null }[]>`
		with recursive origins (id) as (
			select ${keyId}::uuid
			union
			select origin.id from origins o join api_keys k on k.id = o.id
				cross join lateral (values (k.made_by), (k.follows)) origin (id) where origin.id is not null
		),
		roots as (
			select o.id from origins o
			where not exists (select from api_keys k where k.id = o.id and (k.made_by is not null or k.follows is not null))
		),
		kin (id) as (
			select id from roots
			union
			select k.id from kin join api_keys k on k.made_by = kin.id or k.follows = kin.id
		)
		select array(select id from kin) as "keyIds", array(select id from roots) as "rootIds",
			(select created_at from api_keys where id = ${keyId}::uuid) as "madeAt"`;
	if (!row) throw new Error("a question for a key's kin was not answered");
	return { ...row, madeAt: row.madeAt ?? undefined };
}
