/**
 * Connections that stay open for the next POST to the same place.
 *
 *   place = owner, scheme, host, port, vetted address      the host is also the name in the certificate
 *
 * Model: every POST finds and vets its address as if nothing were open, and only then asks for a connection of exactly that place. So
 * a name that leads elsewhere by now gets a new connection, and what one owner's receiver does to a connection meets nobody else.
 *
 * Bounds: idle for seconds, since receivers close idle connections after five at the least; a few idle ones a place and so many in all;
 * none older than a minute, so that certificates are looked at again. TLS sessions are not resumed: that would skip the look.
 *
 * What fails: a receiver may close a connection in the moment in which a request is written to it. Then nobody knows whether the request
 * was read. Who sends it again tells us (`distrust`), and that place gets no kept connections for a while.
 *
 * Quirk: an answer that nobody asked for, such as the 408 of a server that is tired of waiting, would be taken for the answer to the next
 * request. The runtime's agent ends a connection on which anything comes while it is idle; a test holds it to that.
 */
import { Agent, type ClientRequestArgs } from "node:http";
import { Agent as TlsAgent } from "node:https";
import type { Duplex } from "node:stream";

export type Place = {
	/** Whose request it is, such as a webhook endpoint's id. */
	readonly owner: string;
	readonly url: URL;
	readonly address: string;
};

export type KeptConnections = {
	/** What a request to the place is given as its options, to use a kept connection or leave one; undefined when it should have its own. */
	readonly optionsFor: (place: Place) => { readonly agent: Agent; readonly [PLACE]: string } | undefined;
	/** A connection of the place was closed under a request. */
	readonly distrust: (place: Place) => void;
	/** Connections that wait now. */
	readonly idle: () => number;
};

export type KeepLimits = {
	readonly idleMs: number;
	readonly ageMaxMs: number;
	readonly idleMaxOfPlace: number;
	readonly idleMax: number;
	readonly distrustMs: number;
};

/** A name in a request's options that no other option has; the agent that gets them back keeps connections by it. */
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
	/** Since its first answer. */
	const keptSinceMs = new WeakMap<Duplex, number>();
	/** Until when each place gets no kept connection. */
	const distrusted = new Map<string, number>();
	const options = { keepAlive: true, timeout: limits.idleMs, maxFreeSockets: limits.idleMaxOfPlace };
	const agents = [new Agent(options), new TlsAgent({ ...options, maxCachedSessions: 0 })] as const;
	for (const agent of agents) guard(agent);

	function guard(agent: Agent): void {
		const { getName, keepSocketAlive, reuseSocket } = agent;
		agent.getName = (args?: ClientRequestArgs & { readonly [PLACE]?: string }) => {
			const place = args?.[PLACE];
			// Without it connections of all owners would be one another's.
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
