/**
 * Traffic to the authority, read from the wire independently of the service: when each document was sent and queried.
 *
 *   send ──no answer──▶ query ──not found──▶ send    right: a query came before the second submission
 *   send ──401──▶ send                               right: the authority has not read it
 *   send ──no answer──▶ send                         wrong
 *
 * Model: the first bytes of a request identify it by the request line and, for a document, its file name. A call without them has sent
 * nothing. Submissions use separate connections.
 */
import type { Link } from "../../test/support/tcp-proxy";

export type WireEvent = { readonly kind: "send" | "ask" | "turned-away"; readonly rnc: string; readonly encf: string };

export type WireLog = {
	/** For the proxy's `onChunk`. */
	readonly see: (link: Link, direction: "upstream" | "downstream", chunk: Buffer) => void;
	/** In the order in which the calls started. */
	readonly events: () => readonly WireEvent[];
};

/** Large enough for a request's head and names. */
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
			// Query connections are kept: the next request starts with a new chunk.
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

/** A request without a valid token is refused before its body is read. */
function isTurnedAway(answer: Buffer): boolean {
	return answer.subarray(0, 12).toString("latin1") === "HTTP/1.1 401";
}

/** The event that a request's first bytes identify; undefined for other calls and incomplete heads. */
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

/** Documents that were submitted a second time without a query in between. */
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
