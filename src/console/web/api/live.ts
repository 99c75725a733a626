/**
 * The company's events as they happen: `useLive((event) => …)`.
 *
 * One tab of the browser holds the stream, because HTTP/1.1 allows six connections to a host; the others hear of events from it. When that tab is closed,
 * another takes over.
 */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef } from "react";
import { CallError, companyOfAddress, isPortal, type OperationId, send } from "./call";
import { callKey } from "./use-call";

export type LiveEvent = {
	/** `invoice.accepted` */
	readonly event: string;
	readonly docId: string;
	readonly occurredAt: string;
	readonly [member: string]: unknown;
};

type Listener = (event: LiveEvent) => void;
type Line = { readonly listeners: Set<Listener>; readonly end: () => void };

const PAUSE_MS = 2_000;
const PAUSE_MAX_MS = 60_000;
const lines = new Map<string, Line>();

/** Calls `onEvent` for each event of the company while the part is shown. */
export function useLive(onEvent: Listener): void {
	const listener = useEffectEvent(onEvent);
	const company = companyOfAddress();
	useEffect(() => {
		if (company === undefined) return undefined;
		const line = lines.get(company) ?? openLine(company);
		lines.set(company, line);
		const own: Listener = (event) => listener(event);
		line.listeners.add(own);
		return () => {
			line.listeners.delete(own);
			if (line.listeners.size > 0) return;
			line.end();
			lines.delete(company);
		};
	}, [company]);
}

/** Asks for what operations answer again after events: once for a burst, `gatherMs` after its last one. */
export function useLiveRenewal(operations: readonly OperationId[], gatherMs: number): void {
	const client = useQueryClient();
	const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
	useEffect(() => () => clearTimeout(timer.current), []);
	useLive(() => {
		clearTimeout(timer.current);
		timer.current = setTimeout(() => {
			for (const id of operations) void client.invalidateQueries({ queryKey: callKey(id) });
		}, gatherMs);
	});
}

function openLine(company: string): Line {
	const name = `sello-events-${company}`;
	const listeners = new Set<Listener>();
	const ending = new AbortController();
	const channel = new BroadcastChannel(name);
	const give = (event: LiveEvent) => {
		for (const listener of listeners) listener(event);
	};
	channel.onmessage = ({ data }: MessageEvent<LiveEvent>) => give(data);
	const lead = () =>
		follow(company, ending.signal, (event) => {
			channel.postMessage(event);
			give(event);
		});
	// Without https there are no locks, and in a portal of another site they may be refused; then each tab has a stream of its own.
	const led = navigator.locks && !isPortal() ? navigator.locks.request(name, { signal: ending.signal }, lead) : lead();
	led.catch(() => undefined);
	return {
		listeners,
		end: () => {
			ending.abort();
			channel.close();
		},
	};
}

/** Reads the stream again and again, from where it broke; returns when the company is closed or may not be read. */
async function follow(company: string, signal: AbortSignal, onEvent: Listener): Promise<void> {
	let after = "latest";
	let pauseMs = PAUSE_MS;
	while (!signal.aborted) {
		try {
			const answer = await send("listEvents", { query: { after } }, { company, signal, accept: "text/event-stream" });
			for await (const { id, data } of readMessages(answer)) {
				pauseMs = PAUSE_MS;
				after = id || after;
				if (data !== "") onEvent(JSON.parse(data) as LiveEvent);
			}
		} catch (error) {
			const status = error instanceof CallError ? error.problem?.status : undefined;
			if (status === 401 || status === 403 || status === 404) return;
			// Events that are kept no longer.
			if (status === 410 || status === 400) after = "latest";
		}
		await pause(pauseMs);
		pauseMs = Math.min(pauseMs * 2, PAUSE_MAX_MS);
	}
}

/** Ends early when the browser has a network again. */
function pause(ms: number): Promise<void> {
	return new Promise((resolve) => {
		const end = () => {
			clearTimeout(timer);
			removeEventListener("online", end);
			resolve();
		};
		const timer = setTimeout(end, ms);
		addEventListener("online", end);
	});
}

/** The messages of a stream. Source: HTML Living Standard, 9.2. */
async function* readMessages({ body }: Response): AsyncGenerator<{ id: string; data: string }> {
	if (!body) return;
	const reader = body.pipeThrough(new TextDecoderStream()).getReader();
	let rest = "";
	for (;;) {
		const { value, done } = await reader.read();
		if (done) return;
		const blocks = (rest + value).split("\n\n");
		rest = blocks.pop() ?? "";
		for (const block of blocks) {
			const fieldOf = (name: string) =>
				block
					.split("\n")
					.flatMap((line) => (line.startsWith(`${name}: `) ? [line.slice(name.length + 2)] : []))
					.join("\n");
			yield { id: fieldOf("id"), data: fieldOf("data") };
		}
	}
}
