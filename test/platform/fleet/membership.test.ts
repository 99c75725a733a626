/** Processes on one database agree on their settings: who differs is refused, unless nothing else runs. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { hostname } from "node:os";
import { openChangeFeed } from "../../../src/platform/changes";
import {
	awaitsRestoration,
	DeploymentSettingsError,
	joinDeployment,
	listProcesses,
	listSettings,
	listUnreported,
	type Membership,
	setForAll,
} from "../../../src/platform/fleet";
import { createLog } from "../../../src/platform/telemetry";
import { newId } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { until } from "../../support/until";

const log = createLog("silent", "test");
let database: TestDatabase;
const members: Membership[] = [];
beforeAll(async () => {
	database = await openTestDatabase();
});
afterEach(async () => {
	for (const member of members.splice(0)) await member.leave();
	await database.sql`delete from processes`;
	await database.sql`delete from deployment_settings`;
});
afterAll(() => database.close());

type Values = Readonly<Record<string, string | null>>;

/** A process of another machine, unless a node is given. */
async function join(
	values: Values | undefined,
	{ node = "elsewhere/7/a", isAlone = false, also = [] as string[], mustReport = false } = {},
) {
	const readSettings = values && (() => Object.entries(values).map(([name, value]) => ({ name, value, also })));
	const member = await joinDeployment({
		sql: database.sql,
		log,
		node,
		role: "api",
		readSettings,
		isAlone,
		restores: mustReport,
		mustReport,
	});
	members.push(member);
	return member;
}

async function readSettings(): Promise<Values> {
	const settings = await listSettings(database.sql);
	return Object.fromEntries(settings.map(({ name, value }) => [name, value]));
}

/** A process that was seen so many seconds ago. */
const leaveBehind = (node: string, secondsAgo: number) => database.sql`
	insert into processes (id, node, role, seen_at)
	values (${newId()}, ${node}, 'all', now() - make_interval(secs => ${secondsAgo}))`;

test("a process that differs is refused by each setting's name and both values", async () => {
	await join({ BASE_URL: "https://a.example", ARCHIVE_URL: null, KEK_FILE: "01" });
	await join({ BASE_URL: "https://a.example", KEK_FILE: "01" });
	const refused = await join({ BASE_URL: "https://b.example", ARCHIVE_URL: "s3://b", KEK_FILE: "01" }).catch((e) => e);
	expect(refused).toBeInstanceOf(DeploymentSettingsError);
	expect(refused.message).toBe(
		"the settings differ from those of the deployment, in which elsewhere/7/a, elsewhere/7/a run:\n" +
			"  BASE_URL is https://b.example here and https://a.example in the deployment\n" +
			"  ARCHIVE_URL is s3://b here and not set in the deployment\n" +
			"set the same here, or change it for all with `bun run admin deployment set NAME VALUE`",
	);
	expect(await readSettings()).toEqual({ BASE_URL: "https://a.example", ARCHIVE_URL: null, KEK_FILE: "01" });
	expect(await listProcesses(database.sql)).toHaveLength(2);
});

test("of two that start at once with different settings one is refused", async () => {
	const tries = await Promise.allSettled([
		join({ BASE_URL: "https://a.example" }),
		join({ BASE_URL: "https://b.example" }),
	]);
	expect(tries.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
});

test("a process brings its settings when the others left, were killed or fell silent", async () => {
	const first = await join({ BASE_URL: "https://a.example" });
	await first.leave();
	await leaveBehind("elsewhere/7/a", 61);
	await leaveBehind(`${hostname()}/999999999/a`, 1);
	const second = await join({ BASE_URL: "https://b.example" }, { node: `${hostname()}/${process.pid}/a` });
	expect(await readSettings()).toEqual({ BASE_URL: "https://b.example" });
	await second.leave();
	await leaveBehind("elsewhere/7/a", 50);
	await expect(join({ BASE_URL: "https://c.example" })).rejects.toThrow("elsewhere/7/a run");
	// It has just started the embedded server.
	await join({ BASE_URL: "https://c.example" }, { isAlone: true });
	expect(await readSettings()).toEqual({ BASE_URL: "https://c.example" });
});

test("a key that is about to replace the own one agrees too", async () => {
	await join({ KEK_FILE: "02" });
	await join({ KEK_FILE: "01" }, { also: ["02"] });
	expect(await readSettings()).toEqual({ KEK_FILE: "02" });
});

test("after a change for all, running processes differ and new ones start with it", async () => {
	const feed = await openChangeFeed({ sql: database.sql, log, everyMs: 20 });
	const first = await join({ BASE_URL: "https://a.example", ARCHIVE_URL: null });
	const child = await join(undefined);
	for (const member of [first, child]) member.follow(feed);
	await database.sql.begin((tx) => setForAll(tx, { name: "BASE_URL", value: "https://b.example" }));
	await until(() => !first.agrees() && !child.agrees());
	expect((await join({ BASE_URL: "https://b.example", ARCHIVE_URL: null })).agrees()).toBe(true);
	await expect(join({ BASE_URL: "https://a.example" })).rejects.toThrow(DeploymentSettingsError);
	await database.sql.begin((tx) => setForAll(tx, { name: "BASE_URL", value: "https://a.example" }));
	await until(() => first.agrees() && child.agrees());
	await feed.close();
});

test("a lost process is awaited after a failover if its work may be lost with it", async () => {
	const { sql } = database;
	const isAwaited = async () => (await sql<{ is: boolean }[]>`select ${awaitsRestoration(sql)} as is`)[0]?.is;
	const nodes = async () => (await listUnreported(sql)).map(({ node, isSeen }) => `${node} ${isSeen}`);
	const ofLostServer = (node: string, mustReport: boolean, secondsAgo: number) => sql`
		insert into processes (id, node, role, restored_for, must_report, seen_at)
		values (${newId()}, ${node}, 'api', 'lost', ${mustReport}, now() - make_interval(secs => ${secondsAgo}))`;
	await ofLostServer("replicated", false, 61);
	await leaveBehind("killed-before", 61);
	expect(await isAwaited()).toBe(false);
	// What is gone is removed when another one joins.
	await join({}, { mustReport: true });
	expect(await sql`select node from processes`).toHaveLength(1);
	await ofLostServer("living", false, 1);
	await ofLostServer("gone", true, 61);
	await join({});
	expect([await isAwaited(), await nodes()]).toEqual([true, ["living true", "gone false"]]);
	await sql`delete from processes where node = 'living'`;
	expect([await isAwaited(), await nodes()]).toEqual([true, ["gone false"]]);

	await sql`delete from processes`;
	const member = await join({}, { mustReport: true });
	// As on a server that took over while it stopped.
	await sql`update processes set restored_for = 'lost'`;
	await member.leave();
	expect(await nodes()).toEqual(["elsewhere/7/a true"]);
});
