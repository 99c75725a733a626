/**
 * Five hundred callers send half a head or body and stall, or drip. Ordinary callers are served as usual meanwhile, and the slow
 * connections are
 * closed eventually.
 */
import { connect, type Socket } from "node:net";
import type { ScenarioContext } from "../run-scenarios";
import type { Caller, Environment } from "./environment";
import { openWire } from "./wire";

const SIZES = { full: { slow: 500, seconds: 15 }, small: { slow: 100, seconds: 2 } };
const PER_SECOND = 20;
const DRIP_EVERY_MS = 1_000;
const TIMES_SLOWER_MAX = 2;
/** A delay below this is noise. */
const FLOOR_MS = 10;
/** The listener closes silent or unfinished connections by then. */
const LET_GO_MS = 90_000;

export async function slowConnectionsScenario(context: ScenarioContext, environment: Environment) {
	const { small, violate } = context;
	const { slow, seconds } = SIZES[small ? "small" : "full"];
	const caller = await environment.register();
	// The first requests pay for one-time work.
	await speakPlainly(environment, caller, 1);
	const baseline = await speakPlainly(environment, caller, seconds);
	const crowd = openCrowd(environment, caller, slow);
	context.atEnd(crowd.leave);
	await crowd.arrived;
	const meanwhile = await speakPlainly(environment, caller, seconds);
	const [before, during] = [percentile(baseline.delaysMs, 0.99), percentile(meanwhile.delaysMs, 0.99)];
	for (const failure of [...baseline.failures, ...meanwhile.failures])
		violate(`an ordinary request failed: ${failure}`);
	if (!small && during > Math.max(FLOOR_MS, before * TIMES_SLOWER_MAX))
		violate(`ordinary requests' p99 is ${Math.round(during)} ms instead of ${Math.round(before)} ms`);
	const held = crowd.open();
	if (!small) await crowd.untilGone(LET_GO_MS);
	const left = crowd.open();
	if (!small && left > 0) violate(`${left} slow callers are still connected after ${LET_GO_MS / 1_000} s`);
	crowd.leave();
	return {
		...{ slow, "held meanwhile": held, requests: meanwhile.delaysMs.length },
		"p99 ms before and meanwhile": [before, during].map((ms) => Math.round(ms * 10) / 10),
		...(small ? {} : { "let go after s": crowd.goneAfterSeconds() }),
		"answers to the slow": crowd.answers(),
	};
}

/** Requests of an ordinary caller at a steady rate; each must succeed. */
async function speakPlainly({ url }: Environment, caller: Caller, seconds: number) {
	const wire = openWire(url);
	const headers = Object.entries(caller.headers);
	const targets = ["/v1/invoices?limit=5", "/v1/authority/document/990000001", `/v1/company/${caller.tenantId}`];
	const delaysMs: number[] = [];
	const failures: string[] = [];
	for (let i = 0; i < seconds * PER_SECOND; i++) {
		const from = performance.now();
		const answer = await wire.send({ method: "GET", target: targets[i % targets.length] ?? "/livez", headers });
		const delayMs = performance.now() - from;
		delaysMs.push(delayMs);
		// Other scenarios may have erased the sample's companies.
		if (answer.status !== 200 && answer.status !== 404)
			failures.push(`${targets[i % targets.length]}: ${answer.status}`);
		await Bun.sleep(Math.max(0, 1_000 / PER_SECOND - delayMs));
	}
	wire.close();
	return { delaysMs, failures };
}

/** Half stop in the head, half in the body; every other one continues, one byte a second. */
function openCrowd({ url }: Environment, caller: Caller, size: number) {
	const { hostname, port, host } = new URL(url);
	const sockets = new Set<Socket>();
	const answers: Record<string, number> = {};
	const startedAt = performance.now();
	let goneAt = Number.NaN;
	const head = `POST /v1/invoices HTTP/1.1\r\nHost: ${host}\r\nx-api-key: ${caller.apiKey}\r\nAuthorization: Bearer ${caller.token}\r\nContent-Type: application/json\r\n`;
	const drips = new Map<Socket, string>();
	const all = Array.from({ length: size }, (_, i) => {
		const socket = connect(Number(port), hostname);
		sockets.add(socket);
		const inBody = i % 2 === 0;
		if (i % 4 < 2) drips.set(socket, inBody ? " " : "x");
		socket.on("data", (data: Buffer) => {
			const status = data.toString("latin1", 9, 12);
			answers[status] = (answers[status] ?? 0) + 1;
		});
		socket.on("error", () => socket.destroy());
		socket.on("close", () => {
			sockets.delete(socket);
			if (sockets.size === 0) goneAt = performance.now();
		});
		return new Promise<void>((done) => {
			socket.once("close", done);
			socket.once("connect", () => {
				const start = inBody
					? `${head}Idempotency-Key: ${crypto.randomUUID()}\r\nContent-Length: 5000\r\n\r\n{"type"`
					: `${head}X-Slow: x`;
				socket.write(start, () => done());
			});
		});
	});
	const timer = setInterval(() => {
		for (const [socket, byte] of drips) if (!socket.destroyed) socket.write(byte);
	}, DRIP_EVERY_MS);
	return {
		arrived: Promise.all(all),
		open: () => sockets.size,
		answers: () => answers,
		goneAfterSeconds: () => Math.round((goneAt - startedAt) / 100) / 10,
		async untilGone(patienceMs: number) {
			for (const deadline = performance.now() + patienceMs; sockets.size > 0 && performance.now() < deadline; )
				await Bun.sleep(100);
		},
		leave() {
			clearInterval(timer);
			for (const socket of sockets) socket.destroy();
		},
	};
}

function percentile(values: readonly number[], share: number): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
