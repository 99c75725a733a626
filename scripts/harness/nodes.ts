/**
 * Whole services on one database, each with a proxy of its own in front of it, behind a health check like that of a load balancer.
 *
 *   client ──▶ a node that is ready ──▶ its proxy ──▶ PostgreSQL
 *
 * A node stands for a machine: it keeps its port when it is started again.
 */
import { findFreePort, type Program } from "../../test/support/processes";
import { startTcpProxy, type TcpProxy } from "../../test/support/tcp-proxy";
import type { Environment } from "./environment";

export type Node = {
	readonly name: string;
	/** Between the node and the database. */
	readonly proxy: TcpProxy;
	/** The running service, or the last one. */
	readonly program: () => Program;
	/** Starts it anew; resolves when it is ready. */
	readonly start: () => Promise<void>;
	/** By its last health check. */
	readonly isReady: () => boolean;
};

export type Nodes = {
	readonly all: () => readonly Node[];
	/** Starts another one; resolves when it is ready. */
	readonly add: () => Promise<Node>;
	/** Stops a node in order and forgets it. Returns its exit code. */
	readonly remove: (node: Node) => Promise<number | string>;
	/** The address for the next request: each node that is ready in turn, or the first address if none is. */
	readonly pick: () => string;
	readonly untilReady: () => Promise<void>;
	readonly stop: () => Promise<void>;
};

type Member = Node & { readonly url: string; readonly check: () => Promise<void>; readonly end: () => Promise<void> };

/** A stopping node gives four times as much notice. */
const CHECK_EVERY_MS = 100;
const CHECK_TIMEOUT_MS = 500;
const READY_WITHIN_MS = 120_000;

/** The environment's first service becomes the first node. */
export function openNodes(environment: Environment): Nodes {
	let members: readonly Member[] = [];
	let next = 1;
	let turn = 0;
	let isOver = false;
	const adopt = (member: Member) => {
		members = [...members, member];
		void (async () => {
			for (; !isOver && members.includes(member); await Bun.sleep(CHECK_EVERY_MS)) await member.check();
		})();
		return member;
	};
	const first = new URL(environment.url);
	adopt(
		createMember(environment, `node-${next++}`, Number(first.port), environment.databaseProxy, environment.service),
	);
	return {
		all: () => members,
		async add() {
			const proxy = await startTcpProxy({ port: environment.postgres.port() });
			const member = createMember(environment, `node-${next++}`, await findFreePort(), proxy);
			await member.start();
			return adopt(member);
		},
		async remove(node) {
			node.program().kill("SIGTERM");
			const ending = await node.program().ended;
			members = members.filter((member) => member !== node);
			return ending;
		},
		pick() {
			const ready = members.filter((member) => member.isReady());
			return ready[turn++ % Math.max(1, ready.length)]?.url ?? environment.url;
		},
		async untilReady() {
			const deadline = performance.now() + READY_WITHIN_MS;
			while (!members.every((member) => member.isReady())) {
				if (performance.now() > deadline) throw new Error("the nodes did not become ready");
				await Bun.sleep(CHECK_EVERY_MS);
			}
		},
		async stop() {
			isOver = true;
			await Promise.all(members.map((member) => member.end()));
		},
	};
}

function createMember(
	environment: Environment,
	name: string,
	port: number,
	proxy: TcpProxy,
	running?: Program,
): Member {
	const url = `http://127.0.0.1:${port}`;
	const database = new URL(environment.postgres.url());
	database.port = String(proxy.port);
	const settings = { PORT: String(port), DATABASE_URL: database.href };
	let program = running;
	let isReady = false;
	const current = () => {
		if (!program) throw new Error(`${name} has not been started`);
		return program;
	};
	return {
		...{ name, url, proxy, program: current, isReady: () => isReady },
		async start() {
			program = environment.start(name, settings);
			await program.ready;
		},
		async check() {
			try {
				const { status } = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) });
				isReady = status === 200;
			} catch {
				isReady = false;
			}
		},
		async end() {
			proxy.heal();
			proxy.setEnabled(true);
			if (proxy === environment.databaseProxy) return;
			current().kill("SIGCONT");
			current().kill("SIGTERM");
			await current().ended;
			await proxy.stop();
		},
	};
}
