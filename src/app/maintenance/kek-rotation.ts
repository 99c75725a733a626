/**
 * Re-encrypts every stored secret under a new key-encryption key while the service runs.
 *
 *   new key in its file ─▶ all columns, some hundred rows a transaction ─▶ repeat until two rounds, some seconds apart, find nothing
 *
 * Only the data keys are sealed again; the secrets themselves are not opened. A row that a process has just written under the old key is found by a
 * later round: processes look for the new key before they seal (`src/platform/secrets/kek.ts`) and write soon afterwards.
 *
 * Failures: a crash leaves secrets under both keys, and a repeated call continues. A secret that does not open, because its row was moved or changed, is
 * reported and left as it is. If nothing is sealed under either key, the operator has given the wrong key and nothing is changed.
 */
import { archiveKeyContext } from "../../archive";
import { signingKeyContext } from "../../ecf/signing";
import { secretContextOf } from "../../events/endpoints";
import { operatorActor, recordAudit } from "../../identity/audit-log";
import { contextOfKey } from "../../identity/auth";
import { contextOfLetter, contextOfTotp } from "../../identity/users";
import type { Sql, Tx } from "../../platform/database";
import { setForAll } from "../../platform/fleet";
import { OUTBOX_KINDS } from "../../platform/outbox";
import { contextOfKeptKey, idOfKek, rewrap, SealedSecretError } from "../../platform/secrets";
import { ERASED_NUMBER_CONTEXT, registryKeyContext } from "../../registry";
import { KEK_SETTING } from "../config/shared-settings";

type Rotation = {
	/** Number of re-encrypted secrets by `table.column`. */
	readonly rewrapped: Readonly<Record<string, number>>;
	/** Contexts of secrets that open under neither key. */
	readonly unopened: readonly string[];
};

/** Nothing that is stored is sealed under the key to be replaced. */
export class KekNotInForceError extends Error {
	constructor() {
		super("KEK_FILE is not the key in force: no stored secret is sealed under it; nothing was changed");
		this.name = "KekNotInForceError";
	}
}

type SealedColumn = {
	readonly table: string;
	readonly column: string;
	/** Database function that writes the column, by the row's only name, if the service may not. */
	readonly writtenBy?: string;
	/** For messages of one kind, whose payload in this column has the secret as base64 in `sealed`. */
	readonly kind?: string;
	/** The context that a secret is sealed for, from the columns that name its row. */
	readonly context: {
		readonly columns: readonly string[];
		readonly of: (row: Readonly<Record<string, string>>) => string;
	};
};

const ofEndpoint = {
	columns: ["subject_id", "id"],
	of: ({ subject_id: tenantId = "", id = "" }: Readonly<Record<string, string>>) => secretContextOf({ tenantId, id }),
};

/** All of them; a test compares the list with the database. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
	{
		table: "kept_keys",
		column: "sealed_key",
		context: { columns: ["name"], of: ({ name = "" }) => contextOfKeptKey(name) },
	},
	{
		table: "token_signing_keys",
		column: "sealed_private_key",
		context: { columns: ["kid"], of: ({ kid = "" }) => contextOfKey(kid) },
	},
	{
		table: "users",
		column: "sealed_totp_secret",
		context: { columns: ["id"], of: ({ id = "" }) => contextOfTotp(id) },
	},
	{
		table: "registry_keys",
		column: "sealed_private_key",
		context: { columns: ["kid"], of: ({ kid = "" }) => registryKeyContext(kid) },
	},
	{
		table: "registry_erased_numbers",
		column: "sealed_number",
		context: { columns: ["digest"], of: () => ERASED_NUMBER_CONTEXT },
	},
	{
		table: "signing_certificates",
		column: "sealed_key",
		context: {
			columns: ["tenant_id", "thumbprint"],
			of: ({ tenant_id: tenantId = "", thumbprint = "" }) => signingKeyContext(tenantId, thumbprint),
		},
	},
	{
		table: "archive_keys",
		column: "sealed_private_key",
		writtenBy: "rewrap_archive_key",
		context: { columns: ["name"], of: ({ name = "" }) => archiveKeyContext(name) },
	},
	{
		table: "outbox",
		column: "payload",
		kind: OUTBOX_KINDS.mailPerson,
		context: { columns: ["subject"], of: ({ subject = "" }) => contextOfLetter(subject) },
	},
	{ table: "webhook_endpoints", column: "sealed_secret", context: ofEndpoint },
	{ table: "webhook_endpoints", column: "sealed_next_secret", context: ofEndpoint },
];

type Keys = { readonly from: Uint8Array; readonly to: Uint8Array };

const ROWS_MAX = 200;
/** By then a secret that was sealed before the new key came has been written. */
const SETTLE_MS = 5_000;
const settle = (): Promise<void> => Bun.sleep(SETTLE_MS);

/** Throws: KekNotInForceError. */
export async function rotateKek(sql: Sql, keys: Keys, untilSettled = settle): Promise<Rotation> {
	await checkInForce(sql, [keys.from, keys.to]);
	const rewrapped: Record<string, number> = {};
	const unopened = new Set<string>();
	for (let quietRounds = 0; quietRounds < 2; ) {
		if (quietRounds > 0) await untilSettled();
		quietRounds++;
		for (const column of SEALED_COLUMNS) {
			const count = await rewrapColumn(sql, column, keys, unopened);
			const name = `${column.table}.${column.column}`;
			rewrapped[name] = (rewrapped[name] ?? 0) + count;
			if (count > 0) quietRounds = 0;
		}
	}
	const count = Object.values(rewrapped).reduce((sum, one) => sum + one, 0);
	const nameOf = (kek: Uint8Array) => idOfKek(kek).toString("hex");
	await sql.begin(async (tx) => {
		await setForAll(tx, { name: KEK_SETTING, value: nameOf(keys.to) });
		await recordAudit(tx, {
			at: new Date(),
			actor: operatorActor(),
			action: "keys-encryption.rotate",
			subject: nameOf(keys.to),
			details: { from: nameOf(keys.from), secrets: count, faults: unopened.size },
		});
	});
	return { rewrapped, unopened: [...unopened] };
}

/**
 * Checks that a stored secret is sealed under one of these keys, or that none is stored. An operator who went on with an unrelated key would take away
 * the key that opens everything. Throws: KekNotInForceError.
 */
export async function checkInForce(sql: Sql, keks: readonly Uint8Array[]): Promise<void> {
	const found = await Promise.all(SEALED_COLUMNS.map((column) => findKeysOf(sql, column, keks.map(idOfKek))));
	if (found.some(({ hasSecrets }) => hasSecrets) && !found.some(({ hasTheirs }) => hasTheirs)) {
		throw new KekNotInForceError();
	}
}

/** Returns how many rows were written. */
async function rewrapColumn(sql: Sql, column: SealedColumn, keys: Keys, unopened: Set<string>): Promise<number> {
	const id = idOfKek(keys.to);
	for (let written = 0; ; ) {
		// Secrets that do not open stay under the old key, so every batch finds them again.
		const count = await sql.begin(async (tx) => {
			const rows = await lockRowsUnderOthers(tx, column, id, ROWS_MAX + unopened.size);
			const done = rows.flatMap((row) => rewrapRow(row, column, keys, unopened));
			if (done.length > 0) await updateSealed(tx, column, done);
			return done.length;
		});
		written += count;
		if (count === 0) return written;
	}
}

function rewrapRow({ at, names, sealed }: SealedRow, column: SealedColumn, { from, to }: Keys, unopened: Set<string>) {
	const context = column.context.of(names);
	try {
		const resealed = rewrap(sealed, context, from, to);
		return resealed ? [{ at, names, sealed: resealed }] : [];
	} catch (error) {
		if (!(error instanceof SealedSecretError)) throw error;
		unopened.add(context);
		return [];
	}
}

type SealedRow = {
	readonly at: string;
	readonly names: Readonly<Record<string, string>>;
	readonly sealed: Buffer;
};

/**
 * Locks rows whose secret is under another key than `id`, the first bytes of the key's digest. Rows are locked in the order of their own names, as
 * everywhere, to avoid deadlocks. No row is skipped: two rounds that find nothing must mean that the old key is unused.
 */
export async function lockRowsUnderOthers(
	tx: Tx,
	{ table, column, context, writtenBy, kind }: SealedColumn,
	id: Uint8Array,
	limit: number,
): Promise<SealedRow[]> {
	const secret = secretIn(tx, { column, kind });
	const members = context.columns.map((name) => tx`${name}::text, ${tx(name)}::text`);
	const [own = ""] = context.columns.slice(-1);
	const object = members.reduce((all, one) => tx`${all}, ${one}`);
	return tx<SealedRow[]>`
		select ctid::text as at, json_build_object(${object}) as names, ${secret} as sealed from ${tx(table)}
		where ${secret} is not null and substring(${secret} from 2 for 8) <> ${id}
		order by ${tx(own)} limit ${limit} ${writtenBy === undefined ? tx`for update` : tx``}`;
}

/** The secret of a row as bytes; null where it has none. */
function secretIn(sql: Sql | Tx, { column, kind }: Pick<SealedColumn, "column" | "kind">) {
	if (kind === undefined) return sql`${sql(column)}`;
	return sql`(case when kind = ${kind} then decode(${sql(column)}->>'sealed', 'base64') end)`;
}

/** Whether a column holds secrets, and whether one of them is under a key of these. */
async function findKeysOf(
	sql: Sql,
	{ table, column, kind }: SealedColumn,
	ids: readonly Uint8Array[],
): Promise<{ readonly hasSecrets: boolean; readonly hasTheirs: boolean }> {
	const secret = secretIn(sql, { column, kind });
	const id = sql`substring(${secret} from 2 for 8)`;
	const theirs = ids.reduce((any, one) => sql`${any} or ${id} = ${one}`, sql`false`);
	const [row] = await sql<{ hasSecrets: boolean; hasTheirs: boolean }[]>`
		select exists (select 1 from ${sql(table)} where ${secret} is not null) as "hasSecrets",
			exists (select 1 from ${sql(table)} where ${theirs}) as "hasTheirs"`;
	if (!row) throw new Error("expected a row without a table");
	return row;
}

/** Writes secrets of locked rows. */
async function updateSealed(
	tx: Tx,
	{ table, column, context, writtenBy, kind }: SealedColumn,
	rows: readonly (Pick<SealedRow, "at" | "names"> & { readonly sealed: Uint8Array })[],
): Promise<void> {
	if (writtenBy !== undefined) {
		const [name = ""] = context.columns;
		for (const row of rows) await tx`select ${tx(writtenBy)}(${row.names[name] ?? ""}, ${Buffer.from(row.sealed)})`;
		return;
	}
	const sealed = tx`decode(g.sealed, 'hex')`;
	const value =
		kind === undefined
			? sealed
			: tx`jsonb_set(${tx(column)}, '{sealed}', to_jsonb(translate(encode(${sealed}, 'base64'), E'\\n', '')))`;
	await tx`
		update ${tx(table)} t set ${tx(column)} = ${value}
		from unnest(${rows.map(({ at }) => at)}::text[], ${rows.map(({ sealed }) => Buffer.from(sealed).toString("hex"))}::text[]) as g(at, sealed)
		where t.ctid = g.at::tid`;
}
