/**
 * A backup: all tables of one snapshot in compressed parts, and a manifest, which is written last.
 *
 *     backup.json           time, schema, parts with digests, the last checkpoint, the sealed key-encryption key, settings
 *     documents.0000.zst    the first part of a table in the text form of COPY
 */
import { existsSync } from "node:fs";
import { type Static, Type } from "@sinclair/typebox";
import { describeConfig } from "../../src/app/config/config";
import { VERSION } from "../../src/app/version";
import type { Args } from "../../src/cli";
import { copyOut, type DatabaseShape, inSnapshot, type Tx } from "../../src/platform/database";
import { type Objects, openObjects } from "../../src/platform/objects";
import { nameOfKek, nextKekFile, RecoveryKeyError, readKek, sealToRecoveryKey } from "../../src/platform/secrets";
import { type Context, type Result, type Runs, refuseAsUsage, UsageError } from "./command";

export const MANIFEST = "backup.json";
export const FORMAT = "sello-backup/1";
/** Of a part before it is compressed: what is held in memory at a time. */
const PART_BYTES = 16 * 1_024 * 1_024;
const LEVEL = 3;

const Part = Type.Object({ name: Type.String(), bytes: Type.Integer(), sha256: Type.String() });
export type Part = Static<typeof Part>;

export const Manifest = Type.Object({
	format: Type.Literal(FORMAT),
	version: Type.String(),
	takenAt: Type.String(),
	environment: Type.String(),
	shape: Type.Unsafe<DatabaseShape>(Type.Object({ tables: Type.Array(Type.Object({ name: Type.String() })) })),
	/** By table. */
	parts: Type.Record(Type.String(), Type.Array(Part)),
	checkpoint: Type.Union([
		Type.Object({ number: Type.Integer(), size: Type.Integer(), root: Type.String(), madeAt: Type.String() }),
		Type.Null(),
	]),
	kek: Type.Object({ name: Type.String(), sealed: Type.Union([Type.String(), Type.Null()]) }),
	settings: Type.Record(Type.String(), Type.Unknown()),
});
export type Manifest = Static<typeof Manifest>;

export const backupCommands = {
	backup,
} satisfies Runs;

/** Opens the place of a backup. Throws: UsageError. */
export function openPlace(option: string, text: string): Objects {
	try {
		return openObjects(text);
	} catch (error) {
		throw new UsageError(`--${option}: ${(error as Error).message}`);
	}
}

async function backup({ config, sql, kekFile }: Context, args: Args): Promise<Result> {
	const startedMs = performance.now();
	const to = args.need("to");
	const place = openPlace("to", to);
	if ((await place.list()).length > 0)
		throw new UsageError(`--to ${to} is not empty: give each backup a place of its own`);
	if (existsSync(nextKekFile(kekFile)))
		throw new UsageError(`${nextKekFile(kekFile)} exists: finish the rotation of the key first`);
	const kek = readKek(kekFile);
	const recoveryKey = args.text("recovery-key");
	const sealed = recoveryKey === undefined ? null : await seal(kek, recoveryKey);
	const manifest = await inSnapshot(sql, async (tx, shape, takenAt): Promise<Manifest> => {
		const parts: Record<string, Part[]> = {};
		for (const table of shape.tables) parts[table.name] = await writeParts(place, table.name, copyOut(tx, table));
		return {
			...{
				format: FORMAT,
				version: VERSION,
				takenAt: takenAt.toISOString(),
				environment: config.environment,
				shape,
				parts,
			},
			checkpoint: await findLastCheckpoint(tx),
			kek: { name: nameOfKek(kek), sealed },
			settings: JSON.parse(JSON.stringify(describeConfig(config))),
		};
	});
	await place.putContent(MANIFEST, JSON.stringify(manifest, null, "\t"));
	const all = Object.values(manifest.parts).flat();
	const { takenAt, checkpoint, shape } = manifest;
	return {
		data: {
			...{ to, takenAt, checkpoint: checkpoint?.number ?? null, tables: shape.tables.length, parts: all.length },
			...{ bytes: all.reduce((sum, { bytes }) => sum + bytes, 0), ms: Math.round(performance.now() - startedMs) },
			key:
				sealed === null ? "the key-encryption key is not in the backup: keep KEK_FILE" : "sealed to the recovery key",
		},
	};
}

async function seal(kek: Uint8Array, recoveryKey: string): Promise<string> {
	try {
		return sealToRecoveryKey(kek, recoveryKey).toString("base64");
	} catch (error) {
		return refuseAsUsage(RecoveryKeyError)(error);
	}
}

async function writeParts(place: Objects, table: string, rows: AsyncIterable<Uint8Array>): Promise<Part[]> {
	const parts: Part[] = [];
	let waiting: Uint8Array[] = [];
	let waitingBytes = 0;
	const flush = async () => {
		const packed = await Bun.zstdCompress(Buffer.concat(waiting), { level: LEVEL });
		waiting = [];
		waitingBytes = 0;
		const name = `${table}.${String(parts.length).padStart(4, "0")}.zst`;
		await place.putContent(name, packed);
		parts.push({ name, bytes: packed.length, sha256: digest(packed) });
	};
	for await (const piece of rows) {
		waiting.push(piece);
		waitingBytes += piece.length;
		if (waitingBytes >= PART_BYTES) await flush();
	}
	if (waitingBytes > 0) await flush();
	return parts;
}

/** Hex. */
export const digest = (bytes: Uint8Array): string => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");

/** What the archive had signed at the time of the snapshot. */
async function findLastCheckpoint(tx: Tx): Promise<Manifest["checkpoint"]> {
	const [row] = await tx<{ number: number; size: number; root: string; madeAt: Date }[]>`
		select number, size, encode(root, 'hex') as root, made_at as "madeAt" from archive_checkpoints order by number desc limit 1`;
	return row ? { ...row, madeAt: row.madeAt.toISOString() } : null;
}
