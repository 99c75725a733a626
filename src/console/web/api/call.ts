/**
 * Calls operations of the service as the signed-in person: `call("getInvoice", { path: { docId } })`.
 *
 * The session's cookie is the credential. The company is the one of the page's address, so two tabs may show two companies. In a portal the credential is a
 * token in memory, which names the company.
 */
import { language } from "../app/language";
import { OPERATIONS, type Operations } from "./generated";

export type OperationId = keyof Operations;
export type Input<Id extends OperationId> = Operations[Id]["input"];
export type Answer<Id extends OperationId> = Operations[Id]["answer"];

/** One violation of a refused request. */
export type Fault = { readonly pointer: string; readonly code: string; readonly detail: string };

/** A problem document of the service. Source: RFC 9457. */
export type Problem = {
	readonly type: string;
	readonly title: string;
	readonly status: number;
	readonly detail?: string;
	readonly advice?: string;
	readonly requestId?: string;
	readonly errors?: readonly Fault[];
	readonly [extra: string]: unknown;
};

/** A refused call, or one that did not arrive: then `problem` is undefined. */
export class CallError extends Error {
	constructor(
		readonly problem: Problem | undefined,
		readonly requestId: string | undefined,
		options?: ErrorOptions,
	) {
		super(problem?.title ?? "no answer", options);
	}

	/** The last part of the problem's type: `not-found`. */
	get slug(): string {
		return this.problem?.type.split("/").at(-1) ?? "offline";
	}

	/** What is wrong with the member at a pointer, or with one below it. */
	faultAt(pointer: string): string | undefined {
		const faults = this.problem?.errors ?? [];
		return faults.find((one) => one.pointer === pointer || one.pointer.startsWith(`${pointer}/`))?.detail;
	}
}

/** Problems of a caller without a session. */
const SIGNED_OUT = ["session-expired", "unauthorised"];

/** What any call may have besides its operation's input. */
type Further = {
	readonly signal?: AbortSignal;
	/** Default: that of the page's address. Null for operations on the person, which need none. */
	readonly company?: string | null;
	/** Media type of the answer, where an operation has several. */
	readonly accept?: string;
	/** The call was made before, and a factor was shown since. */
	readonly isRepeat?: true;
};

/** The parts of an input, whatever the operation. */
type Parts = {
	readonly path?: Readonly<Record<string, string>>;
	readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
	readonly body?: unknown;
	readonly idempotencyKey?: string;
	readonly ifMatch?: string;
	readonly wait?: number;
	readonly scenario?: string;
};

/** Of a portal. */
type Bearer = { readonly token: string; readonly tenantId: string };
let bearer: Bearer | undefined;

/** All further calls are those of a portal, without cookies. */
export function actAs(portal: Bearer): void {
	bearer = portal;
}

/** Throws a CallError. A file is a Blob; an answer without content is null. */
export async function call<Id extends OperationId>(
	id: Id,
	input: Input<Id>,
	further: Further = {},
): Promise<Answer<Id>> {
	const answer = await send(id, input, further);
	if (answer.status === 204) return null as Answer<Id>;
	const isJson = /[/+]json\b/.test(answer.headers.get("content-type") ?? "");
	return (isJson ? await answer.json() : await answer.blob()) as Answer<Id>;
}

/** The same with the answer as it came, for streams and headers. */
export async function send<Id extends OperationId>(id: Id, input: Input<Id>, further: Further = {}): Promise<Response> {
	const parts = input as Parts;
	const [method = "GET", template = ""] = OPERATIONS[id].split(" ");
	const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parts.path?.[name] ?? ""));
	const query = new URLSearchParams(
		Object.entries(parts.query ?? {}).flatMap(([name, value]) =>
			value === undefined || value === "" ? [] : [[name, `${value}`]],
		),
	);
	const isRaw = typeof parts.body === "string" || parts.body instanceof Blob;
	const headers = new Headers({ "accept-language": language() });
	const company = further.company === undefined ? companyOfAddress() : further.company;
	if (bearer) headers.set("authorization", `Bearer ${bearer.token}`);
	else if (company) headers.set("x-company", company);
	if (further.accept !== undefined) headers.set("accept", further.accept);
	if (parts.body !== undefined && !isRaw) headers.set("content-type", "application/json; charset=utf-8");
	if (parts.idempotencyKey !== undefined) headers.set("idempotency-key", parts.idempotencyKey);
	if (parts.ifMatch !== undefined) headers.set("if-match", parts.ifMatch);
	if (parts.wait !== undefined) headers.set("prefer", `wait=${parts.wait}`);
	if (parts.scenario !== undefined) headers.set("x-sandbox-scenario", parts.scenario);
	const body =
		parts.body === undefined ? undefined : isRaw ? (parts.body as string | Blob) : JSON.stringify(parts.body);
	const url = query.size > 0 ? `${path}?${query}` : path;
	const answer = await fetch(url, {
		method,
		headers,
		credentials: isPortal() ? "omit" : "same-origin",
		...(body === undefined ? {} : { body }),
		signal: further.signal ?? null,
	}).catch((cause) => {
		if (further.signal?.aborted) throw cause;
		throw new CallError(undefined, undefined, { cause });
	});
	if (answer.ok) return answer;
	const error = await toError(answer);
	if (error.slug === "confirmation-required" && further.isRepeat !== true && (await confirm())) {
		return send(id, input, { ...further, isRepeat: true });
	}
	if (SIGNED_OUT.includes(error.slug) && id !== "getSession") onSignedOut();
	throw error;
}

async function toError(answer: Response): Promise<CallError> {
	const requestId = answer.headers.get("x-request-id") ?? undefined;
	const problem = (await answer.json().catch(() => undefined)) as Problem | undefined;
	const isProblem = typeof problem?.type === "string";
	const substitute = { type: "about:blank", title: `HTTP ${answer.status}`, status: answer.status };
	return new CallError(isProblem ? problem : substitute, requestId);
}

/** The company in `/console/c/{tenantId}/…`, or that of the portal. */
export function companyOfAddress(): string | undefined {
	return bearer?.tenantId ?? /^\/console\/c\/([^/]+)/.exec(location.pathname)?.[1];
}

/** Whether the page is that of a portal, which has no session. */
export function isPortal(): boolean {
	return location.pathname.startsWith("/portal/");
}

let onSignedOut: () => void = () => undefined;

/** Registers what happens when the session has ended. */
export function whenSignedOut(act: () => void): void {
	onSignedOut = act;
}

let ask: () => Promise<boolean> = async () => false;
let asked: Promise<boolean> | undefined;

/** Registers how a person shows a factor again; the promise says whether that succeeded. */
export function whenConfirming(act: () => Promise<boolean>): void {
	ask = act;
}

/** Calls that are refused at the same time ask once. */
function confirm(): Promise<boolean> {
	asked ??= ask().finally(() => {
		asked = undefined;
	});
	return asked;
}
