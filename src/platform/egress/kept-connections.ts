/**
 * Connections that stay open for the next POST to the same destination.
 *
 *   destination = owner, scheme, host, port, checked address      the host is also the name in the certificate
 *
 * Model: every POST resolves and checks its address first, and only then uses an open connection to exactly that destination. So a name
 * that leads elsewhere by now gets a new connection, and one owner's receiver cannot affect another's.
 *
 * Bounds: connections are idle for seconds, since receivers close idle ones after five or more; a few idle ones per destination and a limit
 * in all; none older than a minute, so that certificates are checked again. TLS sessions are not resumed, because that would skip the
 * check.
 *
 * Failures: a receiver may close a connection just as a request is written to it, and then it is unknown whether the request was read. The
 * sender repeats the request and calls `distrust`, and that destination gets no kept connections for a while.
 *
 * Quirk: an unrequested answer, such as the 408 of a server that is tired of waiting, would be taken for the next answer. The runtime's
 * agent closes an idle connection on which anything arrives; a test checks this.
 */
import { Agent, type ClientRequestArgs } from "node:http";
import { Agent as TlsAgent } from "node:https";
import type { Duplex } from "node:stream";

export type Place = {
	/** The owner of the request, such as a webhook endpoint's id. */
	readonly owner: string;
	readonly url: URL;
	readonly address: string;
};

export type KeptConnections = {
	/** Request options that use a kept connection or leave one; undefined when the request needs its own. */
	readonly optionsFor: (place: Place) => { readonly agent: Agent; readonly [PLACE]: string } | undefined;
	/** A kept connection of the destination was closed under a request. */
	readonly distrust: (place: Place) => void;
	readonly idle: () => number;
};

export type KeepLimits = {
	readonly idleMs: number;
	readonly ageMaxMs: number;
	readonly idleMaxOfPlace: number;
	readonly idleMax: number;
	readonly distrustMs: number;
};

/** A key that no other request option has; the agent keys its connections by it. */
const PLACE = Symbol("place");

const LIMITS: KeepLimits = {
	idleMs: 3_000,
	ageMaxMs: 60_000,
	idleMaxOfPlace: 8,
	idleMax: 1_000,
	distrustMs: 60_000,
};
const DISTRUSTED_MAX = 10_000;

export function keepConnections(change: Partial<KeepLimits> = {}): KeptConnections {
	const limits = { ...LIMITS, ...change };
	const idle = new Set<Duplex>();
	const keptSinceMs = new WeakMap<Duplex, number>();
	/** Until when each destination gets no kept connection. */
	const distrusted = new Map<string, number>();
	const options = { keepAlive: true, timeout: limits.idleMs, maxFreeSockets: limits.idleMaxOfPlace };
	const agents = [new Agent(options), new TlsAgent({ ...options, maxCachedSessions: 0 })] as const;
	for (const agent of agents) guard(agent);

	function guard(agent: Agent): void {
		const { getName, keepSocketAlive, reuseSocket } = agent;
		agent.getName = (args?: ClientRequestArgs & { readonly [PLACE]?: string }) => {
			const place = args?.[PLACE];
			// Without it, owners would share connections.
			if (place === undefined) throw new Error("a request over kept connections has no place");
			return `${place} ${getName.call(agent, args)}`;
		};
		agent.keepSocketAlive = (socket) => {
			const now = performance.now();
			const keptSince = keptSinceMs.get(socket) ?? now;
			if (!keptSinceMs.has(socket)) socket.once("close", () => idle.delete(socket));
			keptSinceMs.set(socket, keptSince);
			if (idle.size >= limits.idleMax || now - keptSince >= limits.ageMaxMs) return false;
			idle.add(socket);
			return keepSocketAlive.call(agent, socket);
		};
		agent.reuseSocket = (socket, request) => {
			idle.delete(socket);
			reuseSocket.call(agent, socket, request);
		};
	}

	function isDistrusted(name: string): boolean {
		const until = distrusted.get(name);
		if (until === undefined) return false;
		if (until > performance.now()) return true;
		distrusted.delete(name);
		return false;
	}

	return {
		optionsFor(place) {
			const name = nameOf(place);
			if (isDistrusted(name)) return undefined;
			return { agent: agents[place.url.protocol === "https:" ? 1 : 0], [PLACE]: name };
		},
		distrust(place) {
			if (distrusted.size >= DISTRUSTED_MAX) distrusted.clear();
			distrusted.set(nameOf(place), performance.now() + limits.distrustMs);
		},
		idle: () => idle.size,
	};
}

function nameOf({ owner, url, address }: Place): string {
	return `${owner} ${url.origin} ${address}`;
}
