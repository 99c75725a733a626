/**
 * A process joins its deployment: it notes that it lives, and its settings must be those of the others.
 *
 *   its settings            others alive            result
 *   as in the database      –                       joins
 *   others                  none within a minute    its settings become the deployment's
 *   others                  some                    DeploymentSettingsError
 *
 * An operator changes a setting for all (`setForAll`): that counts for processes that start later, and those that run report that they differ.
 *
 * Failures: a process that was killed counts as alive for a minute, or until another one on its host sees that it is gone.
 */
import { announce, type ChangeFeed } from "../changes";
import { LOCKS, type Sql, type Tx } from "../database";
import { hasEnded, restartLanes } from "../lanes";
import type { Log } from "../telemetry";
import { newId } from "../values";
import {
	findServer,
	listProcesses,
	listSettings,
	listUnreported,
	noteProcess,
	type OwnProcess,
	putSettings,
	removeProcess,
	type SharedSetting,
	sweepProcesses,
} from "./store";

/** Settings of this process; `also` are further values that it works with as well. */
type OwnSetting = SharedSetting & { readonly also?: readonly (string | null)[] };

export type JoinDeps = {
	readonly sql: Sql;
	readonly log: Log;
	readonly node: string;
	readonly role: string;
	/** Read again at each comparison. Absent in a child process: its first process has compared them. */
	readonly readSettings: (() => readonly OwnSetting[]) | undefined;
	/** Whether it issues or sends, so that it has something to restore after a failover. */
	readonly restores: boolean;
	/** Whether what it acknowledges may be nowhere else than in its memory and on the database server that it writes to. */
	readonly mustReport: boolean;
	/** Whether no other process can be alive, because this one has just started the database. */
	readonly isAlone: boolean;
};

export type Membership = {
	/** Compares again whenever the deployment's settings have changed. */
	readonly follow: (changes: ChangeFeed) => void;
	readonly agrees: () => boolean;
	/** `restore` is called when another server has taken over, until it resolves. */
	readonly restoreBy: (restore: () => Promise<void>) => void;
	/** False from a failover until what this process acknowledged has been restored. Asks the database. */
	readonly isRestored: () => Promise<boolean>;
	/** Removes the process from the list. */
	readonly leave: () => Promise<void>;
};

type Difference = { readonly name: string; readonly here: string | null; readonly deployment: string | null };

/** The process's settings differ from those of others that run; the message names each with both values, and says what to do. */
export class DeploymentSettingsError extends Error {
	constructor(differences: readonly Difference[], others: readonly string[]) {
		const lines = differences.map(
			({ name, here, deployment }) => `  ${name} is ${show(here)} here and ${show(deployment)} in the deployment`,
		);
		super(
			`the settings differ from those of the deployment, in which ${others.join(", ")} ${others.length === 1 ? "runs" : "run"}:\n${lines.join("\n")}\nset the same here, or change it for all with \`bun run admin deployment set NAME VALUE\``,
		);
		this.name = "DeploymentSettingsError";
	}
}

const show = (value: string | null): string => value ?? "not set";

const HEARTBEAT_MS = 15_000;
const RETRY_MS = 1_000;

/** Throws: DeploymentSettingsError. */
export async function joinDeployment(deps: JoinDeps): Promise<Membership> {
	const { sql, log, isAlone, readSettings } = deps;
	const own: OwnProcess = { id: newId(), node: deps.node, role: deps.role, mustReport: deps.mustReport };
	let restoredFor = deps.restores ? await findServer(sql) : undefined;
	let isRestoring = false;
	let restore = async (): Promise<void> => undefined;
	const before = await sql.begin(async (tx) => {
		// Of two that start at once, the later one sees the settings of the earlier one.
		await tx`select pg_advisory_xact_lock(${LOCKS.deployment})`;
		await sweepProcesses(tx);
		const others = isAlone ? [] : (await listProcesses(tx)).filter((other) => !isGone(other, own));
		await noteProcess(tx, own, restoredFor);
		return compareAtStart(tx, readSettings?.() ?? [], others, log);
	});
	/** A child process differs when the deployment has changed since it started. */
	const read = readSettings ?? (() => before);
	let differing = "";
	const reported = new Set<string>();

	async function compare(): Promise<void> {
		const differences = findDifferences(read(), await listSettings(sql));
		const found = JSON.stringify(differences);
		if (found === differing || (differences.length === 0 && differing === "")) return;
		differing = differences.length === 0 ? "" : found;
		if (differences.length > 0)
			log.warn({ event: "deployment.differs", settings: differences }, "settings differ from the deployment's");
		else log.info({ event: "deployment.agrees" }, "settings are the deployment's again");
	}
	const compareSoon = () => {
		compare().catch((err: unknown) => log.debug({ event: "deployment.unread", err }, "cannot compare the settings"));
	};
	const beat = async (): Promise<void> => {
		try {
			await noteProcess(sql, own, restoredFor);
			await sweepProcesses(sql);
			await reportUnreported();
		} catch (err) {
			log.debug({ event: "deployment.unnoted", err }, "cannot note that the process lives");
		}
	};
	/** Once for each process. */
	async function reportUnreported(): Promise<void> {
		const gone = (await listUnreported(sql)).filter(({ id, isSeen }) => !isSeen && !reported.has(id));
		for (const { id, node, seenAt } of gone) {
			reported.add(id);
			log.error(
				{ event: "acknowledged.unreported", node, seenAt },
				"a process is gone that may have acknowledged what this database server lacks; no numbers are given until `admin fleet reconcile` has run",
			);
		}
	}
	const timer = setInterval(beat, HEARTBEAT_MS);
	let isOver = false;

	/** After each connection that was lost. The row may have been lost with the server, and others must see it before they give numbers. */
	async function restoreAfterFailover(): Promise<void> {
		if (restoredFor === undefined || isRestoring) return;
		isRestoring = true;
		for (; !isOver; await Bun.sleep(RETRY_MS)) {
			try {
				const server = await findServer(sql);
				if (server !== restoredFor) {
					await noteProcess(sql, own, restoredFor);
					await restore();
					// Its lanes take for finished what only the lost server knew to be so. They start again.
					await restartLanes(sql, own.node);
					restoredFor = server;
					await noteProcess(sql, own, restoredFor);
				}
				isRestoring = false;
				return;
			} catch (err) {
				log.warn({ event: "acknowledged.unrestored", err }, "cannot store acknowledged invoices again yet");
			}
		}
	}
	const onGap = () => {
		compareSoon();
		void restoreAfterFailover();
	};
	let unfollow = (): unknown => undefined;
	return {
		follow: (changes) => {
			unfollow = changes.follow({ kinds: ["deployment"], onChange: compareSoon, onGap });
		},
		agrees: () => differing === "",
		restoreBy: (by) => {
			restore = by;
		},
		async isRestored() {
			if (restoredFor === undefined) return true;
			if ((await findServer(sql)) === restoredFor) return true;
			void restoreAfterFailover();
			return false;
		},
		leave: async () => {
			isOver = true;
			clearInterval(timer);
			unfollow();
			await removeProcess(sql, own.id);
		},
	};
}

/** Returns the deployment's settings afterwards. */
async function compareAtStart(
	tx: Tx,
	own: readonly OwnSetting[],
	others: readonly OwnProcess[],
	log: Log,
): Promise<SharedSetting[]> {
	const known = await listSettings(tx);
	const differences = findDifferences(own, known);
	if (differences.length > 0 && others.length > 0)
		throw new DeploymentSettingsError(
			differences,
			others.map(({ node }) => node),
		);
	const isNew = ({ name }: OwnSetting) => !known.some((one) => one.name === name);
	const taken = own.filter((one) => isNew(one) || differences.some(({ name }) => name === one.name));
	await putSettings(tx, taken);
	if (differences.length > 0)
		log.info(
			{ event: "deployment.settings_taken", settings: differences },
			"no other process runs; the deployment has this process's settings now",
		);
	return listSettings(tx);
}

function findDifferences(own: readonly OwnSetting[], known: readonly SharedSetting[]): Difference[] {
	return own.flatMap(({ name, value, also = [] }) => {
		const shared = known.find((one) => one.name === name);
		if (shared === undefined || shared.value === value || also.includes(shared.value)) return [];
		return [{ name, here: value, deployment: shared.value }];
	});
}

/** Killed, on this host. */
const isGone = (other: OwnProcess, own: OwnProcess): boolean =>
	hasEnded({ node: other.node, thread: other.id }, { node: own.node, thread: own.id });

/** Changes a setting for processes that start from now on, in the transaction of its cause. */
export async function setForAll(tx: Tx, setting: SharedSetting): Promise<void> {
	await putSettings(tx, [setting]);
	await announce(tx, "deployment", setting.name);
}
