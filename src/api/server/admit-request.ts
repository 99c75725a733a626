/** Admission: everything that is decided before a body is read. See `src/api/server/app.ts` for the order. */
import { type Access, requireConfirmation, requireScope } from "../../identity/auth";
import type { Limits } from "../../identity/rate-limits";
import { type Operation, OperationTable, opensCompany, type Principal } from "../../platform/operation";
import { msg, Problem } from "../../platform/problem";
import { type Clock, LOOPBACK_RANGES } from "../../platform/values";
import { admitOperators, type IsFromOperator } from "./caller-address";
import { checkNotRetired } from "./deprecation";
import type { RequestState } from "./request-state";

export type Admission = {
	readonly operations: readonly Operation[];
	readonly authenticate: Access["authenticate"];
	readonly clock: Clock;
	/** Default: from this machine alone. */
	readonly isFromOperator?: IsFromOperator;
	/** Absent: there are no limits. */
	readonly limits?: Pick<Limits, "take" | "peek"> | undefined;
	/** Answers a request that an operation sends on behalf of a caller at this address. */
	readonly forward: (request: Request, remoteAddress: string) => Promise<Response>;
};

/** Stores the call in the request's state once its operation is known, so that a refusal is logged under it. Throws the refusal's Problem. */
export type Admit = (request: Request, state: RequestState, remoteAddress: string, peer: string) => Promise<void>;

/** Longer URLs are refused before they are parsed. */
const URL_BYTES_MAX = 8 * 1024;
/** Names and values of all headers, each with the four bytes around them. */
const HEADERS_BYTES_MAX = 16 * 1024;

export function createAdmit(deps: Admission): Admit {
	const table = new OperationTable(deps.operations);
	const { isFromOperator = admitOperators(LOOPBACK_RANGES) } = deps;
	return async (request, state, remoteAddress, peer) => {
		const url = checkUrl(request, state);
		checkHeaders(request.headers);
		const { operation, params } = findOperation(table, request.method, url.pathname);
		const { requestId } = state;
		const countItems = (count: number): void => {
			state.items += count;
		};
		const countBillable = (count: number): void => {
			state.billable += count;
		};
		const noteBody = (stage: "begun" | "whole"): void => {
			state.waitsSince = stage === "whole" ? performance.now() : undefined;
		};
		const noteClient = (clientId: string): void => {
			state.clientId = clientId;
		};
		const base = {
			...{ request, url, requestId, remoteAddress, isLengthEnforced: true },
			...{ params, operation, countItems, countBillable, noteBody, noteClient },
			forward: (other: Request) => deps.forward(other, remoteAddress),
		};
		state.call = base;
		if (operation.credentials.operates && !isFromOperator(request, { peer, caller: remoteAddress }))
			throw new Problem("not-found");
		checkNotRetired(operation, deps.clock);
		const authenticate = () =>
			operation.findCaller?.(params, remoteAddress) ?? deps.authenticate(request, operation.credentials, remoteAddress);
		const checkScope = (caller: Principal | undefined): void => {
			if (operation.scope && caller) requireScope(caller, operation.scope);
		};
		const principal = await authenticate();
		const checkAgain = async () => checkScope(await authenticate());
		if (principal) state.call = { ...base, principal, checkAgain };
		state.limits = operation.chargesLate ? deps.limits?.peek(state.call) : deps.limits?.take(state.call);
		checkScope(principal);
		if (principal) refuseOtherCompany(operation, params, principal);
		if (principal && operation.confirms) requireConfirmation(principal, deps.clock.now());
		checkAccept(request, operation);
	};
}

/** Throws: validation-error, payload-too-large. */
function checkUrl(request: Request, { url }: RequestState): URL {
	if (!url) {
		const detail = msg`Host and path do not form a valid URL.`;
		throw new Problem("validation-error", { faults: [{ pointer: "#/headers/host", code: "invalid-host", detail }] });
	}
	if (request.url.length <= URL_BYTES_MAX) return url;
	throw new Problem("payload-too-large", {
		detail: msg`The URL exceeds ${URL_BYTES_MAX} bytes.`,
		extensions: { limitBytes: URL_BYTES_MAX },
	});
}

/** Throws: headers-too-large; validation-error for several Host headers, which the runtime joins. Source: RFC 9112, 3.2. */
function checkHeaders(headers: Headers): void {
	let size = 0;
	for (const [name, value] of headers) size += name.length + value.length + 4;
	if (size > HEADERS_BYTES_MAX) {
		throw new Problem("headers-too-large", {
			detail: msg`The headers exceed ${HEADERS_BYTES_MAX} bytes.`,
			extensions: { limitBytes: HEADERS_BYTES_MAX },
			headers: { connection: "close" },
		});
	}
	if (headers.get("host")?.includes(",") !== true) return;
	const detail = msg`Send one Host header.`;
	throw new Problem("validation-error", { faults: [{ pointer: "#/headers/host", code: "repeated", detail }] });
}

/** Throws: not-found, method-not-allowed. */
function findOperation(table: OperationTable, method: string, pathname: string) {
	// HEAD is handled as GET; the runtime leaves out the body and keeps its length. Source: RFC 9110, 9.3.2.
	const match = table.find(method === "HEAD" ? "GET" : method, pathname);
	if (match.found === "nothing") throw new Problem("not-found");
	if (match.found === "other-method") {
		throw new Problem("method-not-allowed", { headers: { allow: listMethods(match.allow) } });
	}
	return match;
}

/**
 * Refuses a path that names a company other than that of the caller's token, or one that its key does not open. Throws: not-found, equally for
 * an unknown company.
 */
function refuseOtherCompany(
	operation: Operation,
	params: Readonly<Record<string, string>>,
	principal: Principal,
): void {
	for (const { name, isCompany } of operation.parameters ?? []) {
		if (isCompany && !opensCompany(principal, params[name] ?? "")) throw new Problem("not-found");
	}
}

function listMethods(methods: readonly string[]): string {
	return methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
}

/** Refuses an `Accept` header that matches none of the operation's media types. Throws: not-acceptable. Source: RFC 9110, 12.5.1. */
export function checkAccept(request: Request, operation: Operation): void {
	const header = request.headers.get("accept");
	if (header === null || header.trim() === "") return;
	const offered = new Set(["application/json", "application/problem+json"]);
	for (const { mediaType, alsoMediaTypes = [] } of Object.values(operation.answers))
		for (const one of [...(mediaType ? [mediaType] : []), ...alsoMediaTypes]) offered.add(one);
	if (offered.has("*/*")) return;
	const isFit = header.split(",").some((range) => {
		const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
		if (parameters.some((p) => /^q=0(\.0{0,3})?$/.test(p))) return false;
		if (type === "*/*") return true;
		if (type.endsWith("/*")) return [...offered].some((media) => media.startsWith(type.slice(0, -1)));
		return offered.has(type);
	});
	if (!isFit) throw new Problem("not-acceptable", { detail: msg`Offered: ${[...offered].join(", ")}.` });
}
