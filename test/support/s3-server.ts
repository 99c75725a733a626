/**
 * A real S3 server with Object Lock: Ceph's gateway over one monitor and one storage daemon that keeps objects in memory, on free ports, in a
 * temporary folder. Starts in about four seconds without special rights; Debian's packages are radosgw, ceph-mon and ceph-osd. Locked
 * objects disappear with the server, so every run has its own.
 */
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { atEnd } from "./at-end";
import { reportSkip } from "./skips";
import { until } from "./until";

export type S3Server = {
	readonly endpoint: string;
	/** The credentials of its one user, as environment variables. */
	readonly credentials: { readonly AWS_ACCESS_KEY_ID: string; readonly AWS_SECRET_ACCESS_KEY: string };
	/** A client with the credentials of the bucket's owner. */
	readonly client: S3Client;
	readonly makeBucket: (name: string, options: { readonly hasLock: boolean }) => Promise<void>;
	readonly close: () => Promise<void>;
};

const PROGRAMS = ["ceph", "ceph-mon", "ceph-osd", "monmaptool", "radosgw", "radosgw-admin", "setpriv"];
const START_TIMEOUT_MS = 120_000;

let sharing: Promise<S3Server> | undefined;

/** The server of the run. Started outside of a test, whose time limit would end it. */
export function sharedS3Server(): Promise<S3Server> {
	if (!sharing) {
		sharing = startS3Server();
		atEnd(async () => (await sharing)?.close());
	}
	return sharing;
}

/** Whether its programs are installed; in CI a missing one is a failure. */
export function hasS3Programs(): boolean {
	const missing = PROGRAMS.filter((program) => Bun.which(program) === null);
	if (missing.length === 0) return true;
	reportSkip(`an S3 server needs ${missing.join(", ")} (packages radosgw, ceph-mon, ceph-osd)`);
	return false;
}

/** Where its programs are. */
export async function startS3Server(): Promise<S3Server> {
	const folder = mkdtempSync(join(tmpdir(), "sello-s3-"));
	const running: Bun.Subprocess[] = [];
	const close = async () => {
		for (const child of running) child.kill("SIGKILL");
		await Promise.all(running.map((child) => child.exited));
		rmSync(folder, { recursive: true, force: true });
	};
	try {
		return await start(folder, running, close);
	} catch (error) {
		await close();
		throw error;
	}
}

async function start(folder: string, running: Bun.Subprocess[], close: () => Promise<void>): Promise<S3Server> {
	const config = join(folder, "ceph.conf");
	const env = { ...process.env, CEPH_CONF: config };
	const run = async (...command: string[]) => {
		const child = Bun.spawn(command, {
			env,
			cwd: folder,
			stdin: "ignore",
			stdout: "ignore",
			stderr: "pipe",
			timeout: START_TIMEOUT_MS,
		});
		const stderr = await new Response(child.stderr).text();
		if ((await child.exited) !== 0)
			throw new Error(`${command[0]} exited with ${child.exitCode}:\n${stderr.slice(-2_000)}`);
	};
	/** Ends with this process, however that ends. */
	const keep = (...command: string[]) => {
		const log = openSync(join(folder, `${command[0]}.out`), "w");
		const child = Bun.spawn(["setpriv", "--pdeathsig", "KILL", ...command], {
			env,
			cwd: folder,
			stdin: "ignore",
			stdout: log,
			stderr: log,
		});
		running.push(child);
		return child;
	};
	const monitor = `[v2:127.0.0.1:${freePort()}]`;
	const cluster = crypto.randomUUID();
	const storage = crypto.randomUUID();
	for (const name of ["mon", "osd", "rgw"]) mkdirSync(join(folder, name));
	writeFileSync(config, configure(folder, cluster, monitor));
	await run("monmaptool", "--create", "--fsid", cluster, "--addv", "a", monitor, "monmap");
	await run("ceph-mon", "--mkfs", "-i", "a", "--monmap", "monmap");
	keep("ceph-mon", "-i", "a", "-f");
	await run("ceph", "osd", "new", storage);
	await run("ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", storage);
	keep("ceph-osd", "-i", "0", "-f");
	const [key, secret] = ["AKTEST00000000000001", "secret-of-tests"];
	await run(
		"radosgw-admin",
		"user",
		"create",
		"--uid",
		"sello",
		"--display-name",
		"Sello",
		"--access-key",
		key,
		"--secret",
		secret,
	);
	const port = freePort();
	const gateway = keep(
		"radosgw",
		"-n",
		"client.rgw",
		"-f",
		"--rgw-frontends",
		`beast endpoint=127.0.0.1:${port} tcp_nodelay=1`,
	);
	const endpoint = `http://127.0.0.1:${port}`;
	await until(() => {
		if (gateway.exitCode !== null)
			throw new Error(`radosgw ended:\n${readFileSync(join(folder, "radosgw.out"), "utf8").slice(-2_000)}`);
		return fetch(endpoint).then(
			(answer) => answer.ok,
			() => false,
		);
	}, START_TIMEOUT_MS);
	const client = new S3Client({
		endpoint,
		region: "us-east-1",
		forcePathStyle: true,
		credentials: { accessKeyId: key, secretAccessKey: secret },
	});
	return {
		endpoint,
		credentials: { AWS_ACCESS_KEY_ID: key, AWS_SECRET_ACCESS_KEY: secret },
		client,
		makeBucket: async (Bucket, { hasLock }) => {
			await client.send(new CreateBucketCommand({ Bucket, ObjectLockEnabledForBucket: hasLock }));
		},
		async close() {
			client.destroy();
			await close();
		},
	};
}

/** One copy of each object, no authentication between the daemons, and a monitor that does not wait for others. */
function configure(folder: string, cluster: string, monitor: string): string {
	return `[global]
fsid = ${cluster}
mon host = ${monitor}
mon initial members = a
mon data = ${folder}/mon
mon data avail crit = 0
mon allow pool size one = true
mon max pg per osd = 1000
paxos propose interval = 0.02
paxos min wait = 0.01
public addr = 127.0.0.1
cluster addr = 127.0.0.1
auth cluster required = none
auth service required = none
auth client required = none
ms mon client mode = crc
ms mon cluster mode = crc
ms mon service mode = crc
osd data = ${folder}/osd
osd objectstore = memstore
memstore device bytes = 1073741824
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
rgw data = ${folder}/rgw
rgw enable ops log = false
run dir = ${folder}
admin socket = ${folder}/$name.sock
log file = ${folder}/$name.log
`;
}

/** A port that was free a moment ago. */
function freePort(): number {
	const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
	const { port } = listener;
	listener.stop(true);
	return port;
}
