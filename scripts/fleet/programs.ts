/** Programs of Debian packages that drills run on loopback: found, started without the rights of root, and ended with this process. */
import {
	appendFileSync,
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	openSync,
	readdirSync,
	readFileSync,
	readlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findMemoryFolder } from "../../test/support/memory-folder";

/** Where Debian has the oldest PostgreSQL that is supported. */
export const POSTGRES_15 = "/usr/lib/postgresql/15/bin";

/** By package: a program of it. */
const PACKAGES = {
	patroni: "patroni",
	"etcd-server": "etcd",
	"postgresql-15": join(POSTGRES_15, "postgres"),
	haproxy: "/usr/sbin/haproxy",
	pgbouncer: "/usr/sbin/pgbouncer",
	radosgw: "radosgw",
	"ceph-mon": "ceph-mon",
	"ceph-osd": "ceph-osd",
} as const;

export type Package = keyof typeof PACKAGES;

export function listMissing(packages: readonly Package[]): readonly Package[] {
	return packages.filter((name) => Bun.which(PACKAGES[name]) === null && !existsSync(PACKAGES[name]));
}

export type Started = {
	readonly pid: number;
	readonly kill: (signal?: "SIGKILL" | "SIGTERM" | "SIGSTOP" | "SIGCONT") => void;
	readonly ended: Promise<unknown>;
};

const DRILL_FOLDER = "sello-drill-";

/** A folder for one drill that any user may write to, in memory when there is room. */
export function makeFolder(name: string): string {
	const folder = mkdtempSync(
		join(findMemoryFolder(DRILL_FOLDER) ?? tmpdir(), `${DRILL_FOLDER}${process.pid}-${name}-`),
	);
	chmodSync(folder, 0o777);
	// PostgreSQL outlives the Patroni that started it.
	process.on("exit", () => killAll(listWithin(folder)));
	return folder;
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

export function makeOpenFolder(path: string): string {
	mkdirSync(path);
	chmodSync(path, 0o777);
	return path;
}

/** Starts it in a folder as another user than root; its output goes to `NAME.log` there. It dies with this process. */
export function startUnprivileged(folder: string, name: string, command: readonly string[]): Started {
	const path = join(folder, `${name}.log`);
	appendFileSync(path, "");
	chmodSync(path, 0o666);
	const log = openSync(path, "a");
	const child = Bun.spawn([...unprivileged(), ...command], {
		...{ cwd: folder, stdin: "ignore", stdout: log, stderr: log },
		env: { PATH: `${POSTGRES_15}:${process.env.PATH ?? ""}`, HOME: folder, LC_ALL: "C.UTF-8" },
	});
	return { pid: child.pid, kill: (signal = "SIGKILL") => child.kill(signal), ended: child.exited };
}

/** PostgreSQL and PgBouncer refuse to run as root. */
function unprivileged(): readonly string[] {
	const together = ["setpriv", "--pdeathsig", "KILL"];
	if (process.getuid?.() !== 0) return together;
	return [...together, "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all"];
}

/** Processes that run in a folder or below it, as all of a PostgreSQL do in that of its data. */
export function listWithin(folder: string): number[] {
	return readdirSync("/proc").flatMap((entry) => {
		if (!/^\d+$/.test(entry)) return [];
		try {
			const isEnding = readFileSync(`/proc/${entry}/stat`, "latin1").includes(") Z ");
			return !isEnding && `${readlinkSync(`/proc/${entry}/cwd`)}/`.startsWith(`${folder}/`) ? [Number(entry)] : [];
		} catch {
			// It has ended, or belongs to another user.
			return [];
		}
	});
}

/** Returns how many there were. */
export function killAll(processes: readonly number[]): number {
	for (const pid of processes) {
		try {
			process.kill(pid, "SIGKILL");
		} catch {
			// It has ended meanwhile.
		}
	}
	return processes.length;
}
