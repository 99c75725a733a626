/**
 * The archive in a real S3 with Object Lock: a service archives there, then the service's own credentials are used to change, remove or
 * shorten
 * its objects. Every version stays intact, locked and retained until its date.
 */
import { createHash } from "node:crypto";
import { GetObjectRetentionCommand } from "@aws-sdk/client-s3";
import { hasS3Programs, type S3Server, startS3Server } from "../../../test/support/s3-server";
import type { ScenarioContext } from "../run-scenarios";
import { type Environment, openEnvironment, untilArchived, untilQuiet } from "./environment";
import { type LockedVersion, listS3Attempts } from "./s3-attempts";
import { verify } from "./verify";

const BUCKET = "scenarios";
const PREFIX = "sello/archive";
const DOCUMENTS = 12;
const TARGETS = 6;

type Row = {
	readonly docId: string;
	readonly key: string;
	readonly versionId: string;
	readonly sha256: string;
	readonly retainUntil: Date;
};

export async function s3Scenario(context: ScenarioContext) {
	const { violate, small } = context;
	if (small) return { skipped: "the tests do it small" };
	if (!hasS3Programs()) return { skipped: "no S3 server can be started here" };
	const server = await startS3Server();
	context.atEnd(server.close);
	await server.makeBucket(BUCKET, { hasLock: true });
	// This process opens the archive too.
	Object.assign(process.env, server.credentials);
	const address = `s3://${BUCKET}/${PREFIX}?endpoint=${encodeURIComponent(server.endpoint)}`;
	const environment = await openEnvironment(context, { ARCHIVE_URL: address, ...server.credentials });
	await environment.issue(await environment.register(), DOCUMENTS);
	await untilArchived(environment);
	await untilQuiet(environment);
	const sound = await verify(environment);
	if (sound.exitCode !== 0) violate(`before the attempts verify ended with ${sound.exitCode}`);
	const rows = await readRows(environment);
	const counts = { change: 0, retention: 0 };
	const answers: Record<string, number> = {};
	let succeeded = 0;
	for (const { key, versionId, retainUntil } of rows.slice(0, TARGETS)) {
		const target: LockedVersion = { bucket: BUCKET, path: `${PREFIX}/${key}`, versionId, retainUntil };
		for (const { name, aim, carryOut } of listS3Attempts(server.client, target)) {
			counts[aim]++;
			const answer = await carryOut().catch(
				(error: unknown) => `refused: ${error instanceof Error ? error.name : "?"}`,
			);
			answers[answer] = (answers[answer] ?? 0) + 1;
			const changes = await findChanges(environment, server, rows);
			if (changes.length === 0) continue;
			succeeded++;
			violate(`S3: ${name} (${aim}) was answered with ${answer}, and ${changes.slice(0, 3).join("; ")}`);
		}
	}
	const after = await verify(environment);
	const hidden = after.report.faults.filter(({ fault }) => fault === "hidden").length;
	for (const fault of after.report.faults.filter(({ fault }) => fault !== "hidden" && fault !== "strange"))
		violate(`after the attempts verify reports ${JSON.stringify(fault)}`);
	await environment.stop();
	return {
		"attempts to change": counts.change,
		"attempts to shorten retention": counts.retention,
		succeeded,
		"compared each time": rows.length,
		"versions laid over, reported by verify": hidden,
		answers,
	};
}

async function readRows({ sql }: Environment): Promise<Row[]> {
	return sql<Row[]>`
		select doc_id as "docId", sealed_object_key(tenant_id, doc_id, decided_at, sha256) as key, version_id as "versionId", encode(sha256, 'hex') as sha256, retain_until as "retainUntil"
		from seals order by doc_id`;
}

/** Reads each version again: bytes, lock, date. */
async function findChanges({ archive }: Environment, { client }: S3Server, rows: readonly Row[]): Promise<string[]> {
	const changes: string[] = [];
	for (const { key, versionId, sha256, retainUntil } of rows) {
		const bytes = await archive.get(key, versionId).catch(() => undefined);
		if (!bytes) changes.push(`${key} is gone`);
		else if (createHash("sha256").update(bytes).digest("hex") !== sha256) changes.push(`${key} holds other bytes`);
		const version = { Bucket: BUCKET, Key: `${PREFIX}/${key}`, VersionId: versionId };
		const { Retention } = await client.send(new GetObjectRetentionCommand(version));
		if (Retention?.Mode !== "COMPLIANCE") changes.push(`${key} is locked ${Retention?.Mode}`);
		// The store keeps whole seconds.
		if (!((Retention?.RetainUntilDate?.getTime() ?? 0) > retainUntil.getTime() - 1_000))
			changes.push(`${key} is kept until ${Retention?.RetainUntilDate?.toISOString()}`);
	}
	return changes;
}
