/** What becomes of the requests of a further process when the first one, which all its lines of the log go through, is killed. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTestDatabase, type TestDatabase } from "../support/database";
import { type Program, startService } from "../support/processes";
import { until } from "../support/until";

const folder = mkdtempSync(join(tmpdir(), "sello-test-killed-first-"));
/** The kernel decides which process gets one: all of them get the first one in one time of 65,536. */
const CONNECTIONS = 16;
const BODY = JSON.stringify({ grant_type: "client_credentials", client_id: "cli_x", client_secret: "cs_x" });

let database: TestDatabase;
let program: Program;
let port: number;

beforeAll(async () => {
	database = await openTestDatabase();
	const settings = { ROLE: "registry", PROCESSES: "2", PORT: "0", DATA_DIR: folder, DATABASE_URL: database.url };
	program = startService(settings, join(folder, "service.log"));
	port = Number(new URL(await program.ready).port);
}, 120_000);

afterAll(async () => {
	program.kill("SIGKILL");
	await program.ended;
	await database.close();
	rmSync(folder, { recursive: true });
}, 60_000);

test("they are answered before it ends", async () => {
	const begun = await Promise.all(Array.from({ length: CONNECTIONS }, beginRequest));
	program.kill("SIGKILL");
	await program.ended;
	// The further process stops listening when it has noticed, and by then the other connections have been cut.
	await until(async () => !(await isListening()));
	const left = begun.filter(({ socket }) => !socket.destroyed);
	expect(left.length).toBeGreaterThan(0);
	for (const { socket } of left) socket.write(BODY.slice(1));
	const statuses = await Promise.all(left.map(({ status }) => status));
	// Of failures of one address ten at once are 401, and more may be 429. The kernel may give the further process more than ten.
	expect(statuses.filter((status) => status !== 401 && status !== 429)).toEqual([]);
	expect(statuses.filter((status) => status === 401).length).toBeGreaterThanOrEqual(Math.min(left.length, 10));
}, 60_000);

type Begun = { readonly socket: Socket; readonly status: Promise<number | undefined> };

/** A request whose body is sent but for most of it. */
async function beginRequest(): Promise<Begun> {
	const socket = connect(port, "127.0.0.1");
	const { promise: connected, resolve } = Promise.withResolvers<void>();
	const status = new Promise<number | undefined>((answered) => {
		socket.on("data", (bytes) => answered(Number(/^HTTP\/1.1 (\d+)/.exec(String(bytes))?.[1])));
		socket.on("close", () => answered(undefined));
	});
	socket.on("error", () => socket.destroy());
	socket.on("connect", () => resolve());
	await connected;
	const head = ["POST /v1/auth/token HTTP/1.1", "Host: x", "Content-Type: application/json"];
	socket.write(`${[...head, `Content-Length: ${BODY.length}`].join("\r\n")}\r\n\r\n${BODY.slice(0, 1)}`);
	return { socket, status };
}

function isListening(): Promise<boolean> {
	return new Promise((answer) => {
		const socket = connect(port, "127.0.0.1");
		socket.on("connect", () => {
			socket.destroy();
			answer(true);
		});
		socket.on("error", () => answer(false));
	});
}
