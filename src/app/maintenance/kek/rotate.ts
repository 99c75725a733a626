/**
 * Puts every stored secret under another key-encryption key while the service runs.
 *
 *   new key in its file ─▶ all columns, some hundred rows a transaction ─▶ again, until two rounds, some seconds apart, find nothing
 *
 * Only the data keys are sealed anew; the secrets themselves stay as they are and are not opened. A row that a process has just written under
 * the old key is found by a later round: processes look for the new key before they seal (`secrets/kek-ring.ts`), and write soon afterwards.
 *
 * What fails: a crash leaves secrets under both keys, and doing it again goes on where it ended. A secret that does not open, because its row
 * was moved or changed, is told and left as it is; the others are done. Where nothing is sealed under either key the wrong one was given, and
 * nothing is done.
 */
import { operatorActor, recordAudit } from "../../../identity/audit-log";
import type { Sql } from "../../../platform/database";
import { idOfKek, rewrap, SealedSecretError } from "../../../platform/secrets";
import type { SealedColumn } from "./sealed-columns";
import { lockRowsUnderOthers, type SealedRow, tellKeysOf, updateSealed } from "./store";

export type Rotation = {
	/** By table and column. */
	readonly rewrapped: Readonly<Record<string, number>>;
	/** Places whose secret does not open under either key. */
	readonly faults: readonly string[];
};

/** What is stored is sealed under another key than the one to be replaced. */
export class KekNotInForceError extends Error {
	constructor() {
		super("KEK_FILE is not the key in force: nothing that is stored is sealed under it, and nothing was changed");
		this.name = "KekNotInForceError";
	}
}

type Keys = { readonly from: Uint8Array; readonly to: Uint8Array };

const ROWS_MAX = 200;
/** A secret that was sealed before the new key came is written by then. */
const SETTLE_MS = 5_000;
const settle = (): Promise<void> => Bun.sleep(SETTLE_MS);

/** Throws: KekNotInForceError. */
export async function rotateKek(sql: Sql, keys: Keys, untilSettled = settle): Promise<Rotation> {
	// It knows every folder that seals something, and processes that seal little need none of them.
	const { SEALED_COLUMNS } = await import("./sealed-columns");
	await checkInForce(sql, [keys.from, keys.to]);
	const rewrapped: Record<string, number> = {};
	const faults = new Set<string>();
	for (let quietRounds = 0; quietRounds < 2; ) {
		if (quietRounds > 0) await untilSettled();
		quietRounds++;
		for (const column of SEALED_COLUMNS) {
			const count = await rewrapColumn(sql, column, keys, faults);
			const name = `${column.table}.${column.column}`;
			rewrapped[name] = (rewrapped[name] ?? 0) + count;
			if (count > 0) quietRounds = 0;
		}
	}
	const count = Object.values(rewrapped).reduce((sum, one) => sum + one, 0);
	const nameOf = (kek: Uint8Array) => idOfKek(kek).toString("hex");
	await sql.begin((tx) =>
		recordAudit(tx, {
			at: new Date(),
			actor: operatorActor(),
			action: "keys-encryption.rotate",
			subject: nameOf(keys.to),
			details: { from: nameOf(keys.from), secrets: count, faults: faults.size },
		}),
	);
	return { rewrapped, faults: [...faults] };
}

/**
 * Whether something that is stored is sealed under one of these keys, or nothing is stored: an operator who was told to go on with the new key of a
 * strange one would take from the service the one that opens everything. Throws: KekNotInForceError.
 */
export async function checkInForce(sql: Sql, keks: readonly Uint8Array[]): Promise<void> {
	const { SEALED_COLUMNS } = await import("./sealed-columns");
	const told = await Promise.all(SEALED_COLUMNS.map((column) => tellKeysOf(sql, column, keks.map(idOfKek))));
	if (told.some(({ hasSecrets }) => hasSecrets) && !told.some(({ hasTheirs }) => hasTheirs)) {
		throw new KekNotInForceError();
	}
}

/** Answers how many rows were written. */
async function rewrapColumn(sql: Sql, column: SealedColumn, keys: Keys, faults: Set<string>): Promise<number> {
	const id = idOfKek(keys.to);
	for (let written = 0; ; ) {
		// Those that cannot be opened stay where they are, so they are asked for again and again.
		const taken = await sql.begin(async (tx) => {
			const rows = await lockRowsUnderOthers(tx, column, id, ROWS_MAX + faults.size);
			const done = rows.flatMap((row) => rewrapRow(row, column, keys, faults));
			if (done.length > 0) await updateSealed(tx, column, done);
			return done.length;
		});
		written += taken;
		if (taken === 0) return written;
	}
}

function rewrapRow({ at, place, sealed }: SealedRow, column: SealedColumn, { from, to }: Keys, faults: Set<string>) {
	const name = column.place.of(place);
	try {
		const anew = rewrap(sealed, name, from, to);
		return anew ? [{ at, place, sealed: anew }] : [];
	} catch (error) {
		if (!(error instanceof SealedSecretError)) throw error;
		faults.add(name);
		return [];
	}
}
