/**
 * What a caller of a sandbox wants to happen to an invoice: the header `X-Sandbox-Scenario`.
 *
 *     header ─▶ checked with the request ─▶ stored beside the invoice, in its transaction ─▶ header of the sending, for the simulator
 *
 * It never touches the document. `fail` is played by ourselves: the authority knows nothing of our failures. Outside the sandboxes,
 * in a sandbox that talks to an authority on another machine, and in a rehearsal it would have no effect, so it is refused there.
 *
 * Gap: the header's names and its JSON form; a repeat of a request keeps the scenario that was stored with the first.
 */
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { AuthorityUrls } from "../../../authority/client";
import type { Parameter } from "../../../platform/operation";
import { type Fault, Problem } from "../../../platform/problem";
import { type Environment, isSandbox, parseTaxpayerDocument } from "../../../platform/values";

const NAMES = ["accept", "reject", "conditional", "silent", "lost-answer", "fail", "release"] as const;

const Scenario = Type.Object(
	{
		scenario: Type.Union(NAMES.map((name) => Type.Literal(name))),
		/** Of the authority's message. */
		code: Type.Optional(Type.String({ pattern: "^[0-9]{1,5}$" })),
		/** From reception to the verdict, or the length of the silence; ten minutes at most. */
		after: Type.Optional(Type.String({ pattern: "^([0-9]{1,6}ms|[0-9]{1,3}s)$" })),
	},
	{ additionalProperties: false },
);
export type Scenario = Static<typeof Scenario>;

const HEADER = "X-Sandbox-Scenario";
const AFTER_MAX_MS = 600_000;

export const SCENARIO_PARAMETER: Parameter = {
	name: HEADER,
	in: "header",
	required: false,
	description:
		`Sandboxes only: what the authority does. One of ${NAMES.join(", ")}; or JSON with a message code and a time, ` +
		'`{"scenario": "reject", "code": "614", "after": "2s"}`. Elsewhere the request is refused.',
	schema: Type.String(),
	example: "accept",
};

type Place = { readonly environment: Environment; readonly authorityUrls: AuthorityUrls };

/** The scenario of a request; undefined when it asks for none. Throws: validation-error, naming the header. */
export function readScenario(request: Request, place: Place, isRehearsal = false): Scenario | undefined {
	const header = request.headers.get(HEADER)?.trim();
	if (header === undefined) return undefined;
	if (!isSandbox(place.environment)) throw refuse("sandbox-only", `${HEADER} exists in the sandboxes only.`);
	if (!isOnThisMachine(place.authorityUrls)) {
		throw refuse("sandbox-only", `${HEADER} steers the simulator, and this sandbox sends to another authority.`);
	}
	if (isRehearsal) throw refuse("no-effect", "A dry run sends nothing, so no scenario can be played.");
	const value = header.startsWith("{") ? parse(header) : { scenario: header };
	if (!Value.Check(Scenario, value) || !isPlayable(value)) {
		const detail = `Send one of ${NAMES.join(", ")}, or JSON like {"scenario": "reject", "code": "614", "after": "2s"}.`;
		throw refuse("invalid-format", detail);
	}
	return value;
}

/** Buyers that stand for a scenario. */
const BY_BUYER: Readonly<Record<string, Scenario["scenario"]>> = {
	"000000001": "accept",
	"000000002": "reject",
	"000000003": "conditional",
	"000000004": "silent",
	"000000005": "lost-answer",
	"000000006": "fail",
	"000000007": "release",
};

/** What a stored document plays in a sandbox, by the header that came with it or else by its buyer; undefined elsewhere and of any other document. */
export function playedBy(
	environment: Environment,
	{ scenario, request }: { readonly scenario: Scenario | null; readonly request: string },
): Scenario["scenario"] | undefined {
	if (!isSandbox(environment)) return undefined;
	return scenario?.scenario ?? scenarioOfBuyer(JSON.parse(request).customer?.rnc);
}

/** Scenarios in which the authority does not answer the sending: what comes of it tells nothing of how the authority is. */
export function playsAbsence(played: Scenario["scenario"] | undefined): boolean {
	return played === "silent" || played === "lost-answer";
}

/** Quirk: a buyer may be written with hyphens; in the document it never is. */
function scenarioOfBuyer(rnc: string | undefined): Scenario["scenario"] | undefined {
	return BY_BUYER[(rnc === undefined ? undefined : parseTaxpayerDocument(rnc)?.digits) ?? ""];
}

/** Outside the sandboxes a buyer that stands for a scenario is a test that went astray: the document would have fiscal effect. */
export function checkBuyer(rnc: string | undefined, environment: Environment): Fault[] {
	if (isSandbox(environment) || scenarioOfBuyer(rnc) === undefined) return [];
	const detail = `${rnc} stands for a scenario of the sandboxes; it is nobody's number.`;
	return [{ pointer: "/customer/rnc", code: "sandbox-only", detail }];
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** A failure of ours has neither a message of the authority nor a time of its own. */
function isPlayable({ scenario, code, after }: Scenario): boolean {
	if (scenario === "fail" && (code !== undefined || after !== undefined)) return false;
	if (after === undefined) return true;
	const figure = Number.parseInt(after, 10);
	return (after.endsWith("ms") ? figure : figure * 1000) <= AFTER_MAX_MS;
}

/** The simulator is on the same machine; the authority never is. */
function isOnThisMachine(urls: AuthorityUrls): boolean {
	return [urls.main, urls.fc].every((text) => {
		const { hostname } = new URL(text);
		return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
	});
}

function refuse(code: string, detail: string): Problem {
	return new Problem("validation-error", {
		faults: [{ pointer: `#/headers/${HEADER.toLowerCase()}`, code, detail }],
	});
}
