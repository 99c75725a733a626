/** An authority of a few lines, scripted by each test; what it is asked is kept. */

import {
	type AuthorityOptions,
	type Caller,
	type CallReport,
	createAuthority,
	type RawAnswer,
} from "../../../../src/authority/client";
import { createLog } from "../../../../src/platform/telemetry";

export type Asked = {
	readonly path: string;
	readonly query: URLSearchParams;
	readonly headers: Headers;
	readonly bytes: Uint8Array;
};
export type Script = (asked: Asked) => Response | Promise<Response> | undefined;

export const SEED =
	'<?xml version="1.0" encoding="utf-8"?>\n<SemillaModel xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema">\n  <valor>abc+/=</valor>\n  <fecha>2026-11-20T11:59:31.3551245-04:00</fecha>\n</SemillaModel>';

/** Starts it. What the script leaves alone gets a seed, a numbered token that lives an hour, or 404. */
export function startScripted(script: Script) {
	const asked: Asked[] = [];
	let tokens = 0;
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		async fetch(request) {
			const url = new URL(request.url);
			const bytes = new Uint8Array(await request.arrayBuffer());
			// A copy: the request's own headers are gone when it has been answered.
			const headers = new Headers(request.headers);
			const one = { path: url.pathname, query: url.searchParams, headers, bytes };
			asked.push(one);
			const scripted = await script(one);
			if (scripted) return scripted;
			if (url.pathname.endsWith("/semilla"))
				return new Response(SEED, { headers: { "content-type": "application/xml" } });
			if (url.pathname.endsWith("/validarsemilla")) return Response.json(tokenOf(`token-${++tokens}`, 3600));
			return new Response(null, { status: 404 });
		},
	});
	return {
		url: `http://127.0.0.1:${server.port}`,
		asked,
		count: (ending: string) => asked.filter((one) => one.path.endsWith(ending)).length,
		stop: () => server.stop(true),
	};
}

export function tokenOf(token: string, lifetimeSeconds: number) {
	const form = (at: Date) => `${at.toISOString().slice(0, 19)}Z`;
	const issuedAt = new Date("2026-11-20T15:00:00Z");
	return { token, expira: form(new Date(issuedAt.getTime() + lifetimeSeconds * 1000)), expedido: form(issuedAt) };
}

/** The client against one address, with a settable clock, keeping everything that it reports. */
export function openClient(url: string, options: Partial<AuthorityOptions<string>> = {}) {
	const calls: CallReport[] = [];
	const records: RawAnswer[] = [];
	const signed: { seed: string; identity: string }[] = [];
	const time = { at: new Date("2026-11-20T15:00:00Z") };
	const authority = createAuthority<string>({
		urls: { main: url, fc: url, status: url },
		signSeed: async (seed, identity) => {
			signed.push({ seed, identity });
			return new TextEncoder().encode("<signed/>");
		},
		log: createLog("silent", "test"),
		connectTimeoutMs: 2_000,
		answerTimeoutMs: 2_000,
		onCall: (call) => calls.push(call),
		clock: { now: () => time.at },
		...options,
	});
	return { authority, calls, records, signed, time, record: (answer: RawAnswer) => void records.push(answer) };
}

export function whoOf(certificateId: string, segment: Caller<string>["segment"] = "testecf"): Caller<string> {
	return { segment, certificateId, identity: `key of ${certificateId}` };
}
