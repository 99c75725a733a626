/**
 * Brings a company's events to a laptop: prints each as it happens and, where told to, posts it to a receiver on this machine, signed
 * like the real thing. Nothing has to be reachable from outside.
 *
 *     bun run listen --forward http://localhost:8080/hooks
 *     options: --url URL of the service (http://127.0.0.1:3000), --types invoice.*,certificate.*, --after SEQUENCE (from now on when absent),
 *     --secret whsec_… (a fresh one is made and told when absent)
 *
 * The company's credentials come from the environment: SELLO_API_KEY, SELLO_CLIENT_ID, SELLO_CLIENT_SECRET.
 *
 * Each line is time, sequence, event and document, and what the receiver answered. A line that breaks is taken up where it ended. What the
 * receiver refuses is told and not repeated: this is for development, the service's own webhooks repeat.
 */
import { parseArgs } from "node:util";
import { createSecret } from "../src/endpoints/secret";
import { toDeliveryHeaders } from "../src/webhooks/delivery-headers";
import { type FeedMessage, readMessages } from "./listen/messages";

const { values: options } = parseArgs({
	options: {
		url: { type: "string", default: "http://127.0.0.1:3000" },
		forward: { type: "string" },
		types: { type: "string" },
		after: { type: "string" },
		secret: { type: "string" },
	},
});

const RECONNECT_MS = 2_000;
/** A token lives an hour. */
const RENEW_AFTER_MS = 45 * 60_000;
const FORWARD_TIMEOUT_MS = 10_000;

const credentials = readCredentials();
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
		if (!answer.ok) throw new Refused(`no token: ${answer.status} ${await answer.text()}`);
		const { access_token } = (await answer.json()) as { access_token: string };
		token = { text: access_token, renewAt: performance.now() + RENEW_AFTER_MS };
	}
	return { "x-api-key": credentials.apiKey, authorization: `Bearer ${token.text}` };
}

/** What no new try heals. */
class Refused extends Error {}

/** The newest event's number: a filter that nothing passes leads to the feed's end. */
async function findEnd(): Promise<string> {
	const answer = await fetch(`${options.url}/v1/events?types=nothing.at_all`, { headers: await authorise() });
	if (!answer.ok) throw new Refused(`no events: ${answer.status} ${await answer.text()}`);
	return ((await answer.json()) as { next: string }).next;
}

/** Reads until the line breaks; answers where to go on. */
async function follow(from: string): Promise<string> {
	let after = from;
	const query = new URLSearchParams({ after, ...(options.types === undefined ? {} : { types: options.types }) });
	const headers = { ...(await authorise()), accept: "text/event-stream" };
	const answer = await fetch(`${options.url}/v1/events?${query}`, { headers });
	if (answer.status >= 500) return after;
	if (!answer.ok || !answer.body) throw new Refused(`no events: ${answer.status} ${await answer.text()}`);
	for await (const message of readMessages(answer.body)) {
		console.log(await tell(message));
		after = message.id;
	}
	return after;
}

async function tell(message: FeedMessage): Promise<string> {
	const { docId, encf } = JSON.parse(message.data) as { docId: string; encf?: string };
	const time = new Date().toTimeString().slice(0, 8);
	const line = `${time}  ${message.id.padStart(6)}  ${message.event.padEnd(24)}  ${encf ?? docId}`;
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

function readCredentials() {
	const read = (name: string): string => {
		const value = process.env[name];
		if (value) return value;
		console.error(`expected ${name} in the environment: see the answer of POST /v1/company`);
		process.exit(2);
	};
	return {
		...{ apiKey: read("SELLO_API_KEY"), clientId: read("SELLO_CLIENT_ID") },
		clientSecret: read("SELLO_CLIENT_SECRET"),
	};
}

try {
	let after = options.after ?? (await findEnd());
	if (options.forward !== undefined) console.log(`forwarding to ${options.forward}, signed with ${secret}`);
	console.log(`listening at ${options.url} after event ${after}; Ctrl+C ends`);
	for (;;) {
		try {
			after = await follow(after);
		} catch (error) {
			if (error instanceof Refused) throw error;
			console.error(`the line broke: ${error instanceof Error ? error.message : error}`);
		}
		await Bun.sleep(RECONNECT_MS);
	}
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
