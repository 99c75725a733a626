/** Every fault of the simulated authority, repeatedly while invoices come: each invoice is accepted once and announced once. */

import { readSteps } from "../../../test/support/documents";
import { type Client, startClient } from "../client";
import { type Environment, inEnvironment, type Scenario, sized } from "../environment";
import { readReceptions, withDatabase } from "../facts";
import type { Facts, Reception } from "../oracle";
import { createWireLog, findBlindSends } from "../wire-log";

type Kind = {
	readonly name: string;
	/** Used in turn. */
	readonly operations: readonly string[];
	readonly fault: Readonly<Record<string, unknown>>;
};

const SENDINGS = ["receive", "receive-summary"];
const CALLS = [...SENDINGS, "result"];

/** An unreachable host is `refused`. Contradictory verdicts are left out: no further query would reveal them. */
const KINDS: readonly Kind[] = [
	{ name: "vanished", operations: CALLS, fault: { mode: "black-hole" } },
	{ name: "broken before the work", operations: CALLS, fault: { mode: "reset-before" } },
	{ name: "broken after the work", operations: CALLS, fault: { mode: "reset-after" } },
	{ name: "answered 500", operations: CALLS, fault: { mode: "status-500" } },
	{ name: "answered 503", operations: CALLS, fault: { mode: "status-503", retryAfterSeconds: 1 } },
	{ name: "answered after a minute", operations: CALLS, fault: { mode: "slow", ms: 60_000 } },
	{ name: "answered by half", operations: CALLS, fault: { mode: "half-body" } },
	{ name: "answered with a page, 200", operations: CALLS, fault: { mode: "html-200" } },
	{ name: "answered with a page, 400", operations: CALLS, fault: { mode: "html-400" } },
	{ name: "token refused", operations: CALLS, fault: { mode: "status-401" } },
	{ name: "accepted, then silent", operations: SENDINGS, fault: { mode: "silent-after" } },
	// Each of these adds one reception of the same bytes; no other kind does.
	{ name: "taken twice", operations: ["receive"], fault: { mode: "duplicate-verdict" } },
	{ name: "wanted again", operations: SENDINGS, fault: { mode: "code-004" } },
	{ name: "verdicts reversed", operations: ["receive"], fault: { mode: "verdicts-reversed", count: 3, ms: 300 } },
	{ name: "not found, then found", operations: ["result"], fault: { mode: "not-found", count: 3 } },
	{ name: "at work for long", operations: ["result"], fault: { mode: "in-process", count: 3 } },
	{ name: "readable after 5 s", operations: SENDINGS, fault: { mode: "read-lag", ms: 5_000 } },
];
const REFUSED_MS = 300;

/** One at a time, with good answers between: this measures each fault, not an outage. */
const ORDERED_EVERY_MS = 250;
const PER_SECOND = 16;
/** Undecided documents at which the client waits. */
const UNDECIDED_MAX = 120;
/** A query during the authority's read lag leaves the outcome ambiguous for half a minute. */
const FINAL_WITHIN_MS = 90_000;
const STRUCK_WITHIN_MS = 60_000;

export const authorityFaults: Scenario = {
	name: "authority-faults",
	shows:
		"all that the authority can do wrong: each document accepted and received once, 0 signed again, 0 shown as rejected",
	run(size) {
		const rounds = sized(size, 25, 1);
		const wire = createWireLog();
		// The usual lease: a busy machine must not create a second holder, which another scenario covers.
		const settings = { SHARD_LEASE_SECONDS: "15" };
		return inEnvironment("authority-faults", { settings, onAuthorityChunk: wire.see }, async (environment) => {
			let isOver = false;
			const client = startClient({
				url: environment.url,
				tenants: environment.tenants,
				ledger: environment.acknowledged,
				perSecond: PER_SECOND,
				atOnceMax: 8,
				holdsBack: () => environment.acknowledged.count() - environment.webhooks.count() > UNDECIDED_MAX,
				wantsMore: () => !isOver,
			});
			for (let round = 0; round < rounds && !client.hasFailed(); round++) {
				for (const kind of KINDS) await order(environment, kind, round, client);
				await refuse(environment);
			}
			const unstruck = await untilStruck(environment);
			if (unstruck > 0) environment.violations.push(`${unstruck} faults met no call`);
			isOver = true;
			await client.finished;
			const wanted = await findWantedAgain(environment);
			const counts = await environment.judge(FINAL_WITHIN_MS, (facts) => seeOnce(facts, rounds));
			const blind = findBlindSends(wire.events()).filter((name) => !wanted.has(name));
			for (const name of blind) environment.violations.push(`${name} was sent again before it was asked about`);
			const changed = await countChanged(environment);
			if (changed > 0) environment.violations.push(`${changed} documents had more than one final state`);
			return {
				"kinds of fault": KINDS.length + 1,
				"faults ordered": rounds * (KINDS.length + 1),
				"faults that met no call": unstruck,
				"documents wanted again": wanted.size,
				"sent again unasked": blind.length,
				"final states that changed": changed,
				...counts,
			};
		});
	},
};

async function order(
	environment: Environment,
	{ operations, fault }: Kind,
	round: number,
	client: Client,
): Promise<void> {
	const from = performance.now();
	while ((await environment.countFaults()) > 1) {
		if (client.hasFailed() || performance.now() - from > STRUCK_WITHIN_MS) return;
		await Bun.sleep(ORDERED_EVERY_MS);
	}
	await environment.orderFault({ ...fault, operation: operations[round % operations.length] });
	await Bun.sleep(ORDERED_EVERY_MS);
}

/** The host is away, but faults can still be configured. */
async function refuse({ authorityProxy }: Environment): Promise<void> {
	authorityProxy.setEnabled(false);
	await Bun.sleep(REFUSED_MS);
	authorityProxy.setEnabled(true);
}

/** Cancels faults of queries that never happen; returns how many. */
async function untilStruck(environment: Environment): Promise<number> {
	const from = performance.now();
	while ((await environment.countFaults()) > 0 && performance.now() - from < STRUCK_WITHIN_MS)
		await Bun.sleep(ORDERED_EVERY_MS);
	const left = await environment.countFaults();
	await fetch(`${environment.simulatorUrl}/_simulator/faults`, { method: "DELETE" });
	return left;
}

const WANTED_AGAIN = "004";

/** Documents that the authority itself requested again without reading them. */
async function findWantedAgain(environment: Environment): Promise<Set<string>> {
	return new Set((await readReceptions(environment.simulatorUrl)).filter(isWantedAgain).map(nameOf));
}

const isWantedAgain = ({ messages = [] }: Reception) => messages.some(({ code }) => code === WANTED_AGAIN);
const isHidden = ({ receivedAt = 0, readableAt = 0 }: Reception) => readableAt > receivedAt;
const nameOf = ({ rnc, encf }: { rnc: string | null; encf: string | null }) => `${rnc} ${encf}`;

/**
 * Ignores receptions that the authority requested again, and one of each pair that it duplicated itself. If an answer was lost while the
 * document could not be read yet, the same bytes may arrive twice, but never others.
 */
function seeOnce(facts: Facts, takenTwice: number): Facts {
	const seen = new Set<string>();
	const hidden = new Map<string, number>();
	let left = takenTwice;
	const receptions = facts.receptions.filter((reception) => {
		if (isWantedAgain(reception)) return false;
		const bytes = `${nameOf(reception)} ${reception.sha256}`;
		const repeats = hidden.get(bytes);
		if (repeats !== undefined) {
			hidden.set(bytes, repeats + 1);
			return repeats > 0;
		}
		if (isHidden(reception)) hidden.set(bytes, 0);
		if (seen.has(bytes) && left-- > 0) return false;
		seen.add(bytes);
		return true;
	});
	return { ...facts, receptions };
}

async function countChanged(environment: Environment): Promise<number> {
	return withDatabase(environment.postgres.url(), async (sql) => {
		const documents = await sql<{ docId: string }[]>`select doc_id as "docId" from documents`;
		const ends = (
			await readSteps(
				sql,
				documents.map(({ docId }) => docId),
			)
		).flatMap(({ docId, history = [] }) => history.filter(({ status }) => status !== "pending").map(() => docId));
		return new Set(ends.filter((docId, i) => ends.indexOf(docId) !== i)).size;
	});
}
