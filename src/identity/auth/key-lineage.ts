/**
 * Which keys may be in the same hands: a key's holder sees the text of each key that it makes or rotates, and whoever holds a key is given the
 * one that comes in its place. A key that the operator made comes from none.
 */
import type { Tx } from "../../platform/database";

export type Kin = {
	/** All that have a root in common with the key, itself among them. */
	readonly keyIds: readonly string[];
	/** The keys made by the operator that it comes from; several, where one key has rotated another. */
	readonly rootIds: readonly string[];
	/** When the key was made; undefined for one that is not there. */
	readonly madeAt: Date | undefined;
};

/** The kin of a key, revoked and expired ones included: what they did counts. */
export async function findKeyLineage(tx: Tx, keyId: string): Promise<Kin> {
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
