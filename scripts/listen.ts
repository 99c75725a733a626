/**
 * Brings a company's events to a laptop: prints each as it happens and, with `--forward`, posts it to a local receiver, signed like a real
 * webhook. Nothing has to be reachable from outside.
 *
 *     bun run listen --forward http://localhost:8080/hooks
 *
 * Options and credentials: `--help`, or `listen/options.ts`.
 *
 * Each line has time, sequence, event, document and the receiver's answer. A broken stream resumes where it ended. Refusals by the receiver
 * are printed and not retried: this is for development. The service's own webhooks retry.
 */
import { createSecret } from "../src/events/endpoints";
import { toDeliveryHeaders } from "../src/events/webhooks";
import { type FeedMessage, readMessages } from "./listen/messages";
import { readOptions, USAGE, UsageError } from "./listen/options";

const RECONNECT_MS = 2_000;
/** A token is valid for an hour. */
const RENEW_AFTER_MS = 45 * 60_000;
const FORWARD_TIMEOUT_MS = 10_000;

const options = readOptionsOrLeave();
const { credentials } = options;
const secret = options.secret ?? createSecret().secret;

type Token = { readonly text: string; readonly renewAt: number };
let token: Token | undefined;

async function authorise(): Promise<Record<string, string>> {
	if (!token || performance.now() > token.renewAt) {
		const { clientId, clientSecret } = credentials;
		const answer = await fetch(`${options.url}/v1/auth/token`, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify({ grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret }),
		});
		if (!answer.ok) throw await toError("no token", answer);
		const { access_token } = (await answer.json()) as { access_token: string };
		token = { text: access_token, renewAt: performance.now() + RENEW_AFTER_MS };
	}
	return { "x-api-key": credentials.apiKey, authorization: `Bearer ${token.text}` };
}

/** An error that a retry does not fix. */
class Refused extends Error {}

/** A service that starts, stops or is busy is tried again; a refusal is final. */
async function toError(what: string, answer: Response): Promise<Error> {
	const text = `${what}: ${answer.status} ${await answer.text()}`;
	return answer.status >= 500 || answer.status === 429 ? new Error(text) : new Refused(text);
}

/** The newest event's sequence: a filter that matches nothing leads to the end of the feed. */
async function findEnd(): Promise<string> {
	const answer = await fetch(`${options.url}/v1/events?types=nothing.at_all`, { headers: await authorise() });
	if (!answer.ok) throw await toError("no events", answer);
	return ((await answer.json()) as { next: string }).next;
}

/** Reads until the stream breaks, and keeps the position to resume from in `place`. */
async function follow(place: { after: string }): Promise<void> {
	const query = new URLSearchParams({ ...place, ...(options.types === undefined ? {} : { types: options.types }) });
	const headers = { ...(await authorise()), accept: "text/event-stream" };
	const answer = await fetch(`${options.url}/v1/events?${query}`, { headers });
	if (!answer.ok || !answer.body) throw await toError("no events", answer);
	for await (const message of readMessages(answer.body)) {
		console.log(await report(message));
		place.after = message.id;
	}
}

async function report(message: FeedMessage): Promise<string> {
	const { sequence, docId, encf } = JSON.parse(message.data) as { sequence: number; docId: string; encf?: string };
	const time = new Date().toTimeString().slice(0, 8);
	const line = `${time}  ${String(sequence).padStart(6)}  ${message.event.padEnd(24)}  ${encf ?? docId}`;
	return options.forward === undefined ? line : `${line}  ${await forward(options.forward, message)}`;
}

async function forward(url: string, { event, data }: FeedMessage): Promise<string> {
	const body = Buffer.from(data);
	const deliveryId = Bun.randomUUIDv7();
	const headers = toDeliveryHeaders({
		secrets: { main: secret, next: undefined },
		...{ deliveryId, event, body, attempt: 1, at: new Date() },
	});
	const from = performance.now();
	try {
		const signal = AbortSignal.timeout(FORWARD_TIMEOUT_MS);
		const answer = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal });
		await answer.arrayBuffer();
		return `→ ${answer.status} in ${Math.round(performance.now() - from)} ms`;
	} catch (error) {
		return `→ ${error instanceof Error ? error.message : error}`;
	}
}

function readOptionsOrLeave() {
	try {
		const read = readOptions(process.argv.slice(2), process.env);
		if (read) return read;
		console.log(USAGE);
		process.exit(0);
	} catch (error) {
		if (!(error instanceof UsageError)) throw error;
		console.error(`${error.message}\n\n${USAGE}`);
		process.exit(2);
	}
}

try {
	const place = { after: options.after ?? (await findEnd()) };
	if (options.forward !== undefined) console.log(`forwarding to ${options.forward}, signed with ${secret}`);
	console.log(`listening at ${options.url} after event ${place.after}; Ctrl+C ends`);
	for (;;) {
		try {
			await follow(place);
		} catch (error) {
			if (error instanceof Refused) throw error;
			console.error(`the line broke: ${error instanceof Error ? error.message : error}`);
		}
		await Bun.sleep(RECONNECT_MS);
	}
} catch (error) {
	const isRefused = error instanceof Refused;
	console.error(
		`${isRefused ? "" : `no events from ${options.url}: `}${error instanceof Error ? error.message : error}`,
	);
	process.exitCode = 1;
}
