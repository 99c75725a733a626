/**
 * What passes to the authority, read off the wire by somebody who knows nothing of the service's memory: which document was sent when,
 * and when it was asked about.
 *
 *   send ──no answer──▶ ask ──not found──▶ send      right: nobody sends again without having asked
 *   send ──401──▶ send                               right: nobody has looked at it
 *   send ──no answer──▶ send                         wrong
 *
 * Model: a request's first bytes tell what it is for: the request line, and for a document the name of its file. A call that never got
 * so far has sent nothing. Sendings have connections of their own.
 */
import type { Link } from "../../test/support/tcp-proxy";

export type WireEvent = { readonly kind: "send" | "ask" | "turned-away"; readonly rnc: string; readonly encf: string };

export type WireLog = {
	/** For the proxy's `onChunk`. */
	readonly see: (link: Link, direction: "upstream" | "downstream", chunk: Buffer) => void;
	/** In the order in which the calls began. */
	readonly events: () => readonly WireEvent[];
};

/** Names and head of a request fit in here. */
const HEAD_BYTES = 4_096;

export function createWireLog(): WireLog {
	const events: WireEvent[] = [];
	const heads = new Map<number, string>();
	const sent = new Map<number, WireEvent>();
	return {
		see(link, direction, chunk) {
			if (direction === "downstream") {
				const sending = sent.get(link.id);
				if (sending && isTurnedAway(chunk)) events.push({ ...sending, kind: "turned-away" });
				sent.delete(link.id);
				return;
			}
			// Connections for questions are kept: the next request begins with a chunk of its own.
			const isNext = /^(GET|POST) /.test(chunk.subarray(0, 5).toString("latin1"));
			const before = isNext ? "" : (heads.get(link.id) ?? "");
			if (before.length >= HEAD_BYTES || before === "known") return;
			const head = before + chunk.subarray(0, HEAD_BYTES - before.length).toString("latin1");
			const event = readEvent(head);
			if (event) events.push(event);
			if (event?.kind === "send") sent.set(link.id, event);
			heads.set(link.id, event ? "known" : head);
		},
		events: () => events,
	};
}

/** Whoever has no token is turned away before anybody reads what he brings. */
function isTurnedAway(answer: Buffer): boolean {
	return answer.subarray(0, 12).toString("latin1") === "HTTP/1.1 401";
}

/** What a request's first bytes tell; undefined for other calls and while too little is there. */
export function readEvent(head: string): WireEvent | undefined {
	const address = /^GET (\S+) HTTP\/1\.1\r\n/.exec(head)?.[1];
	if (address !== undefined) {
		const query = new Map(
			[...new URL(address, "http://wire").searchParams].map(([name, v]) => [name.toLowerCase(), v]),
		);
		const rnc = query.get("rncemisor") ?? query.get("rnc_emisor");
		const encf = query.get("encf");
		const isQuestion = /consultatrackids|consultarfce|consultaestado/i.test(address);
		return isQuestion && rnc !== undefined && encf !== undefined ? { kind: "ask", rnc, encf } : undefined;
	}
	if (!/^POST \S*recepcion/.test(head)) return undefined;
	const [, rnc, encf] = /filename="(\d{9}|\d{11})(E\d{12})\.xml"/.exec(head) ?? [];
	return rnc !== undefined && encf !== undefined ? { kind: "send", rnc, encf } : undefined;
}

/** Documents that were sent a second time although nobody had asked about them in between. */
export function findBlindSends(events: readonly WireEvent[]): string[] {
	const last = new Map<string, WireEvent["kind"]>();
	const blind: string[] = [];
	for (const { kind, rnc, encf } of events) {
		const name = `${rnc} ${encf}`;
		if (kind === "send" && last.get(name) === "send") blind.push(name);
		last.set(name, kind);
	}
	return blind;
}
