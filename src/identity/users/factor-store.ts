/** SQL of the factors with which people sign in: passwords, codes of apps, passkeys and recovery codes. */
import type { Sql, Tx } from "../../platform/database";
import type { Passkey } from "./passkey";

/** Lets one transaction at a time change the factors of a person. */
export async function lockUser(tx: Tx, userId: string): Promise<void> {
	await tx`select 1 from users where id = ${userId} for update`;
}

export async function savePassword(tx: Tx, userId: string, hash: string, now: Date): Promise<void> {
	await tx`update users set password_hash = ${hash}, password_at = ${now} where id = ${userId}`;
}

type SavedTotp = { readonly sealedSecret: Uint8Array; readonly step: number; readonly at: Date };

export async function saveTotp(tx: Tx, userId: string, { sealedSecret, step, at }: SavedTotp): Promise<void> {
	await tx`
		update users set sealed_totp_secret = ${sealedSecret}, totp_at = ${at}, totp_step = ${step} where id = ${userId}`;
}

export async function deleteTotp(tx: Tx, userId: string): Promise<void> {
	await tx`update users set sealed_totp_secret = null, totp_at = null, totp_step = null where id = ${userId}`;
}

/** False if a code of this step or a later one has been used, here or by another process. */
export async function useTotpStep(sql: Sql | Tx, userId: string, step: number): Promise<boolean> {
	const { count } = await sql`
		update users set totp_step = ${step} where id = ${userId} and (totp_step is null or totp_step < ${step})`;
	return count === 1;
}

export type PasskeyRow = Passkey & {
	readonly id: string;
	readonly userId: string;
	readonly label: string;
	readonly createdAt: Date;
	readonly lastUsedAt: Date | null;
};

const passkeyColumns = (sql: Sql | Tx) => sql`
	id, user_id as "userId", credential_id as "credentialId", public_key as "publicKey", counter::float8 as counter, transports,
	label, is_backed_up as "isBackedUp", created_at as "createdAt", last_used_at as "lastUsedAt"`;

/** Oldest first. */
export async function listPasskeys(sql: Sql | Tx, userId: string): Promise<PasskeyRow[]> {
	return [
		...(await sql<PasskeyRow[]>`
			select ${passkeyColumns(sql)} from user_passkeys where user_id = ${userId} order by created_at, id`),
	];
}

export async function findPasskey(sql: Sql | Tx, credentialId: Buffer): Promise<PasskeyRow | undefined> {
	const [row] = await sql<PasskeyRow[]>`
		select ${passkeyColumns(sql)} from user_passkeys where credential_id = ${credentialId}`;
	return row;
}

/** False for a credential that is an account's already. */
export async function insertPasskey(tx: Tx, one: PasskeyRow): Promise<boolean> {
	const rows = await tx`
		insert into user_passkeys (id, user_id, credential_id, public_key, counter, transports, label, is_backed_up, created_at)
		values (${one.id}, ${one.userId}, ${one.credentialId}, ${one.publicKey}, ${one.counter}, ${[...one.transports]}::text[],
			${one.label}, ${one.isBackedUp}, ${one.createdAt})
		on conflict (credential_id) do nothing returning id`;
	return rows.length === 1;
}

/** False if another use has counted as far meanwhile; authenticators that do not count stay at zero. */
export async function savePasskeyUse(
	sql: Sql | Tx,
	{ id, counter, isBackedUp }: Pick<PasskeyRow, "id" | "counter" | "isBackedUp">,
	now: Date,
): Promise<boolean> {
	const { count } = await sql`
		update user_passkeys set counter = ${counter}, is_backed_up = ${isBackedUp}, last_used_at = ${now}
		where id = ${id} and (counter < ${counter} or (counter = 0 and ${counter} = 0))`;
	return count === 1;
}

/** False for a passkey that is not the person's. */
export async function deletePasskey(tx: Tx, userId: string, id: string): Promise<boolean> {
	return (await tx`delete from user_passkeys where user_id = ${userId} and id = ${id}`).count === 1;
}

/** The former codes no longer work. */
export async function replaceRecoveryCodes(tx: Tx, userId: string, digests: readonly Buffer[]): Promise<void> {
	await tx`delete from user_recovery_codes where user_id = ${userId}`;
	await tx`insert into user_recovery_codes ${tx(digests.map((digest) => ({ user_id: userId, digest })))}`;
}

/** Uses a code up; false for one that is unknown, another person's or used. */
export async function takeRecoveryCode(tx: Sql | Tx, userId: string, digest: Buffer, now: Date): Promise<boolean> {
	const { count } = await tx`
		update user_recovery_codes set used_at = ${now}
		where user_id = ${userId} and digest = ${digest} and used_at is null`;
	return count === 1;
}
