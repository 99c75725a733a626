/** The driver as it is patched: a connection that ends takes its transaction with it, and nothing else; not the process either. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AddressInfo, connect as connectSocket, createServer, type Socket } from "node:net";
import postgres from "postgres";
import { codeOf, connect, type Sql, type Tx, withoutTimeout } from "../../../src/platform/database";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { type Link, startTcpProxy } from "../../support/tcp-proxy";

const ROUNDS = 12;

let database: TestDatabase;
let sql: Sql;
beforeAll(async () => {
	database = await openTestDatabase();
	sql = connect({ url: database.url, name: "test driver", connectionsMax: 3 });
	await database.owner`create table driver_test (n int)`;
});
afterAll(async () => {
	await sql.end({ timeout: 1 });
	await database.close();
});

const codeOfFailure = (work: Promise<unknown>) => work.then(() => "none", codeOf);

/** A transaction whose connection the server ends after its first statement. `between` happens before it goes on. */
function endInTransaction(between: (heard: Promise<unknown>) => Promise<unknown>): Promise<unknown> {
	return sql.begin(async (tx) => {
		const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
		await tx`insert into driver_test values (1)`;
		const heard = Promise.withResolvers<unknown>();
		sql.options.onclose = heard.resolve;
		await database.sql`select pg_terminate_backend(${row?.pid ?? 0})`;
		await between(heard.promise);
		// Code that goes on after the first failure must not write either.
		await tx`insert into driver_test values (2)`.catch(() => undefined);
		await tx`insert into driver_test values (3)`;
	});
}

const moments: readonly (readonly [name: string, between: Parameters<typeof endInTransaction>[0]])[] = [
	["at once", async () => undefined],
	["when the end has been heard", (heard) => heard],
	[
		"when the pool has connected again",
		async (heard) => {
			await heard;
			await Promise.all(Array.from({ length: 6 }, () => sql`select 1`.catch(() => undefined)));
		},
	],
];

test.each(moments)("a transaction that goes on %s after its connection ended writes nothing", async (_, between) => {
	for (let round = 0; round < ROUNDS; round++) {
		// The server's word that it ends the connection, when that is heard before the end itself.
		expect(["CONNECTION_CLOSED", "57P01"]).toContain(await codeOfFailure(endInTransaction(between)));
	}
	expect([...(await sql`select n from driver_test`)]).toEqual([]);
});

test("after that all connections of the pool work, in transactions too", async () => {
	await Promise.all(Array.from({ length: 12 }, () => sql`select 1`));
	await Promise.all(
		Array.from({ length: 12 }, (_, n) =>
			sql.begin(async (tx) => {
				await tx`insert into driver_test values (${n + 100})`;
				await tx`select pg_sleep(0.005)`;
			}),
		),
	);
	expect([...(await sql`select count(*)::int as count from driver_test`)]).toEqual([{ count: 12 }]);
});

test("a statement that a transaction did not wait for fails with its connection", async () => {
	const late: Promise<string>[] = [];
	await codeOfFailure(
		sql.begin(async (tx) => {
			const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
			for (let n = 0; n < 5; n++) late.push(codeOfFailure(tx`select pg_sleep(30)`.execute()));
			await database.sql`select pg_terminate_backend(${row?.pid ?? 0})`;
			await Promise.all(late);
		}),
	);
	const codes = new Set(await Promise.all(late));
	expect(codes.has("none")).toBe(false);
});

/** Of the types whose arrays statements use. */
const ARRAYS: readonly (readonly [type: string, values: readonly unknown[]])[] = [
	["uuid", [crypto.randomUUID(), crypto.randomUUID()]],
	["text", ["a, b", '"{}', ""]],
	["bigint", [1, 2 ** 40]],
	["int", [1, -2]],
	["smallint", [3]],
	["float8", [1.5]],
	["numeric", ["18.000"]],
];

test("a connection's first statement may have arrays, and nothing precedes it", async () => {
	const url = new URL(database.url);
	let isLearning = false;
	const proxy = await startTcpProxy({
		port: Number(url.port),
		onChunk: (_, direction, chunk) => {
			if (direction === "upstream" && chunk.includes("pg_type")) isLearning = true;
		},
	});
	url.port = String(proxy.port);
	for (const [type, values] of ARRAYS) {
		const pool = connect({ url: url.href, name: "test driver", connectionsMax: 1 });
		const [row] = await pool`select ${[...values] as string[]}::${pool.unsafe(`${type}[]`)} as list`;
		expect(row?.list).toEqual([...values]);
		await pool.end({ timeout: 1 });
	}
	expect(isLearning).toBe(false);
	await proxy.stop();
});

test("silently dead connections are ended, and the pool works again", async () => {
	const links: Link[] = [];
	const url = new URL(database.url);
	const proxy = await startTcpProxy({
		port: Number(url.port),
		onChunk: (link) => void (links.includes(link) || links.push(link)),
	});
	url.port = String(proxy.port);
	const pool = connect({ url: url.href, name: "test driver", connectionsMax: 2, statementTimeoutMs: 100 });
	await Promise.all([pool`select 1`, pool`select 1`]);
	const dead = [...links];
	for (const link of dead) link.add("downstream", { type: "timeout", timeoutMs: 0 });
	const lost = pool.begin(async (tx) => {
		await tx`select 1`;
	});
	const codes = await Promise.all([codeOfFailure(pool`select 1`), codeOfFailure(lost)]);
	expect(codes).toEqual(["CONNECTION_CLOSED", "CONNECTION_CLOSED"]);
	expect([...(await pool`select 2 as n`)]).toEqual([{ n: 2 }]);
	expect(links.length).toBeGreaterThan(dead.length);
	await pool.end({ timeout: 0 });
	await proxy.stop();
}, 30_000);

test("an answer that may be late is waited for: of a statement, and of a whole pool", async () => {
	const sleep = (tx: Tx) => tx`select pg_sleep(8)`;
	const ask = (isPatient: boolean, wait: (tx: Tx) => PromiseLike<unknown>, statementTimeoutMs = 100) => {
		const pool = connect({
			...{ url: database.url, name: "test driver", connectionsMax: 1 },
			statementTimeoutMs,
			isPatient,
		});
		const asked = pool.begin(async (tx) => {
			await tx`set local statement_timeout = 0`;
			await wait(tx);
		});
		return codeOfFailure(asked).finally(() => pool.end({ timeout: 0 }));
	};
	const codes = [
		ask(false, sleep),
		ask(false, (tx) => withoutTimeout(sleep(tx))),
		ask(true, sleep),
		ask(false, sleep, 0),
	];
	expect(await Promise.all(codes)).toEqual(["CONNECTION_CLOSED", "none", "none", "none"]);
}, 30_000);

test("a transaction behind any number of statements stays one transaction", async () => {
	const pool = connect({ url: database.url, name: "test ahead", connectionsMax: 2 });
	await database.sql`delete from driver_test`;
	const written: number[] = [];
	try {
		await Promise.all([pool`select pg_sleep(0.05)`, pool`select pg_sleep(0.05)`]);
		// Around the hundredth on each of two connections, which is as many as the driver sends ahead by itself.
		for (const ahead of [195, 196, 197, 198, 199, 200]) {
			const before = [0.1, 0.1].map((seconds) => pool`select pg_sleep(${seconds})`.execute());
			for (let n = 0; n < ahead; n++) before.push(pool`select 1`.execute());
			const begun = pool.begin((tx) => tx`insert into driver_test values (${-ahead})`.then(() => "committed"));
			expect(await begun.catch(codeOf)).toBe("committed");
			const after = Array.from({ length: 6 }, (_, i) => ahead * 10 + i);
			await Promise.all(after.map((n) => pool`insert into driver_test values (${n})`));
			written.push(-ahead, ...after);
			await Promise.all(before);
		}
		const seen = await database.sql<{ n: number }[]>`select n from driver_test order by n`;
		expect(seen.map(({ n }) => n)).toEqual(written.sort((a, b) => a - b));
	} finally {
		await pool.end({ timeout: 1 });
		await database.sql`delete from driver_test`;
	}
});

/** A socket that always says that it is full, as one does whose network is slow. */
function openFullSocket(url: string): Promise<Socket> {
	const { hostname, port } = new URL(url);
	const opened = Promise.withResolvers<Socket>();
	const socket = connectSocket(Number(port), hostname, () => opened.resolve(socket));
	const write = socket.write.bind(socket) as (bytes: Uint8Array) => boolean;
	socket.write = (bytes: Uint8Array | string) => {
		write(bytes as Uint8Array);
		setImmediate(() => socket.emit("drain"));
		return false;
	};
	return opened.promise;
}

test("a transaction whose BEGIN fills the socket stays one transaction", async () => {
	// The driver's types do not know of the option, which its documentation has.
	const options: object = { max: 2, onnotice: () => undefined, socket: () => openFullSocket(database.url) };
	const pool = postgres(database.url, options);
	await database.sql`delete from driver_test`;
	const written: number[] = [];
	try {
		await Promise.all([pool`select 1`, pool`select 1`]);
		// The driver writes when it has a kilobyte: of these lengths some are completed by the BEGIN.
		for (let length = 960; length < 1_024; length += 4) {
			const sleep = () => pool.unsafe("select pg_sleep(0.02)").execute();
			const pad = () => pool.unsafe(`select '${"a".repeat(length - 20)}'`).execute();
			const before = [sleep(), sleep()];
			await Bun.sleep(1);
			before.push(pad(), pad());
			const begun = pool.begin((tx) => tx`insert into driver_test values (${-length})`.then(() => "committed"));
			expect(await begun.catch(codeOf)).toBe("committed");
			await Promise.all([pool`insert into driver_test values (${length})`, ...before]);
			written.push(-length, length);
		}
		const seen = await database.sql<{ n: number }[]>`select n from driver_test order by n`;
		expect(seen.map(({ n }) => n)).toEqual(written.sort((a, b) => a - b));
	} finally {
		await pool.end({ timeout: 1 });
		await database.sql`delete from driver_test`;
	}
});

test("a statement that fails between rows leaves later answers intact", async () => {
	const pool = connect({ url: database.url, name: "test driver", connectionsMax: 1 });
	try {
		const halfway = pool`select 1 / (3 - i) as n from generate_series(1, 5) i`;
		const [code, behind] = await Promise.all([codeOfFailure(halfway), pool`select 7 as n`]);
		expect({ code, behind: [...behind], after: [...(await pool`select 8 as n`)] }).toEqual({
			...{ code: "22012", behind: [{ n: 7 }], after: [{ n: 8 }] },
		});
		expect(await codeOfFailure(pool`select 1 / (3 - i) as n from generate_series(1, 5) i`)).toBe("22012");
		expect([...(await pool`select 9 as n`)]).toEqual([{ n: 9 }]);
	} finally {
		await pool.end({ timeout: 0 });
	}
});

test("statements with invalidated plans each get their own rows", async () => {
	const pool = connect({ url: database.url, name: "test driver", connectionsMax: 1 });
	try {
		await database.owner`create table driver_read (id int primary key)`;
		await database.sql`insert into driver_read select generate_series(1, 60)`;
		const read = (id: number) => pool<{ id: number }[]>`select * from driver_read where id = ${id}`;
		await read(1);
		await database.owner`alter table driver_read add column name text`;
		const ids = Array.from({ length: 60 }, (_, n) => n + 1);
		const answers = await Promise.all(ids.map((id) => read(id)));
		expect(answers.map((rows) => rows.map(({ id }) => id))).toEqual(ids.map((id) => [id]));
	} finally {
		await pool.end({ timeout: 0 });
	}
});

test("a write with an invalidated plan survives a later transaction's end", async () => {
	const pool = connect({ url: database.url, name: "test driver", connectionsMax: 1 });
	try {
		await database.owner`create table driver_kept (n int)`;
		const write = (n: number) => pool`insert into driver_kept values (${n}) returning *`;
		await write(1);
		await database.owner`alter table driver_kept add column name text`;
		const asked = write(2).execute();
		const undone = pool.begin(async (tx) => {
			await tx`select 1`;
			throw new Error("of its own");
		});
		expect(await codeOfFailure(undone)).toBe("");
		expect([...(await asked)]).toEqual([{ n: 2, name: null }]);
		expect([...(await database.sql`select n from driver_kept order by n`)]).toEqual([{ n: 1 }, { n: 2 }]);
	} finally {
		await pool.end({ timeout: 0 });
	}
});

test("a write with an invalidated plan stores the given values", async () => {
	const pool = connect({ url: database.url, name: "test driver", connectionsMax: 1 });
	try {
		await database.owner`create table driver_written (flag boolean, doc jsonb, bytes bytea, ids int[])`;
		const given = { flag: true, doc: { a: 1 }, bytes: Buffer.from("abc"), ids: [1, 2] };
		const write = () => pool`insert into driver_written (flag, doc, bytes, ids)
			values (${given.flag}, ${pool.json(given.doc)}, ${given.bytes}, ${given.ids}) returning *`;
		await write();
		await database.owner`alter table driver_written add column name text`;
		expect([...(await write())]).toEqual([{ ...given, name: null }]);
	} finally {
		await pool.end({ timeout: 0 });
	}
});

test("a statement with an invalidated plan reports why its repeat failed", async () => {
	const pool = connect({ url: database.url, name: "test driver", connectionsMax: 1 });
	try {
		await database.owner`create table driver_unique (id int primary key)`;
		const write = (id: number) => pool`insert into driver_unique values (${id}) returning *`;
		await write(1);
		await database.owner`alter table driver_unique add column name text`;
		expect(await codeOfFailure(write(1))).toBe("23505");
		expect([...(await write(2))]).toEqual([{ id: 2, name: null }]);
	} finally {
		await pool.end({ timeout: 0 });
	}
});

test("a statement with an invalid value fails alone", async () => {
	const pool = connect({ url: database.url, name: "test driver", connectionsMax: 1 });
	try {
		const ask = (n: number) => pool`select ${n}::int as n`.then((rows) => rows[0]?.n, codeOf);
		const askDay = (day: Date) => codeOfFailure(pool`select ${day}::timestamptz as day`);
		const missing = undefined as unknown as number;
		await Promise.all([ask(0), askDay(new Date())]);
		expect(await askDay(new Date(Number.NaN))).not.toBe("none");
		const answers = await Promise.all([ask(1), ask(2), askDay(new Date(Number.NaN)), ask(3), ask(missing), ask(4)]);
		expect(answers.filter((answer) => typeof answer === "number")).toEqual([1, 2, 3, 4]);
		expect(answers[4]).toBe("UNDEFINED_VALUE");
		expect(await Promise.all([ask(5), ask(6)])).toEqual([5, 6]);
	} finally {
		await pool.end({ timeout: 0 });
	}
});

test("a server that drops new connections is retried at a measured pace", async () => {
	let count = 0;
	const server = createServer((socket) => {
		count++;
		socket.on("error", () => undefined);
		socket.end();
	});
	await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
	const { port } = server.address() as AddressInfo;
	const pool = connect({ url: `postgres://none@127.0.0.1:${port}/none`, name: "test driver", connectionsMax: 1 });
	try {
		const asked = [pool`select 1`, pool`select 2`, pool.begin((tx) => tx`select 3`)].map(codeOfFailure);
		expect(await Promise.all(asked)).toEqual(asked.map(() => "CONNECTION_CLOSED"));
		expect(count).toBe(asked.length);
	} finally {
		await pool.end({ timeout: 0 });
		server.close();
	}
});
