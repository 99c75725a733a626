/**
 * The header `X-Sandbox-Scenario`: what the simulator does with an invoice.
 *
 *     header ─▶ checked with the request ─▶ stored with the invoice ─▶ header of the sending, for the simulator
 *
 * It never changes the document. The service itself plays `fail`. The header is refused where it would have no effect: outside the sandboxes, in
 * a sandbox with an authority on another machine, and in a dry run.
 *
 * Gap: the header's names and JSON form. A repeat keeps the scenario of the first request.
 */
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { AuthorityUrls } from "../../../authority/client";
import type { Parameter } from "../../../platform/operation";
import { type Fault, type Message, msg, Problem } from "../../../platform/problem";
import { type Environment, isSandbox, parseTaxpayerDocument } from "../../../platform/values";

const NAMES = ["accept", "reject", "conditional", "silent", "lost-answer", "fail", "release"] as const;

const Scenario = Type.Object(
	{
		scenario: Type.Union(NAMES.map((name) => Type.Literal(name))),
		/** Code of the authority's message. */
		code: Type.Optional(Type.String({ pattern: "^[0-9]{1,5}$" })),
		/** Time from reception to verdict, or length of the silence; ten minutes at most. */
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
		'`{"scenario": "reject", "code": "614", "after": "2s"}`. Other environments refuse the request.',
	schema: Type.String(),
	example: "accept",
};

type Target = { readonly environment: Environment; readonly authorityUrls: AuthorityUrls };

/** The scenario of a request; undefined when it asks for none. Throws: validation-error, naming the header. */
export function readScenario(request: Request, target: Target, isRehearsal = false): Scenario | undefined {
	const header = request.headers.get(HEADER)?.trim();
	if (header === undefined) return undefined;
	if (!isSandbox(target.environment)) throw refuse("sandbox-only", msg`${HEADER} exists in the sandboxes only.`);
	if (!isOnThisMachine(target.authorityUrls)) {
		throw refuse("sandbox-only", msg`${HEADER} controls the simulator, and this sandbox uses another authority.`);
	}
	if (isRehearsal) throw refuse("no-effect", msg`A dry run sends nothing, so no scenario applies.`);
	const value = header.startsWith("{") ? parse(header) : { scenario: header };
	if (!Value.Check(Scenario, value) || !isPlayable(value)) {
		const detail = msg`Send one of ${NAMES.join(", ")}, or JSON like {"scenario": "reject", "code": "614", "after": "2s"}.`;
		throw refuse("invalid-format", detail);
	}
	return value;
}

const BY_BUYER: Readonly<Record<string, Scenario["scenario"]>> = {
	"000000001": "accept",
	"000000002": "reject",
	"000000003": "conditional",
	"000000004": "silent",
	"000000005": "lost-answer",
	"000000006": "fail",
	"000000007": "release",
};

/** The scenario of a stored document in a sandbox, by its header or else by its buyer. */
export function playedBy(
	environment: Environment,
	{ scenario, request }: { readonly scenario: Scenario | null; readonly request: string },
): Scenario["scenario"] | undefined {
	if (!isSandbox(environment)) return undefined;
	return scenario?.scenario ?? scenarioOfBuyer(JSON.parse(request).customer?.rnc);
}

/** Scenarios in which the authority does not answer the sending. They say nothing about its availability. */
export function playsAbsence(played: Scenario["scenario"] | undefined): boolean {
	return played === "silent" || played === "lost-answer";
}

/** Quirk: a request may write the number with hyphens. */
function scenarioOfBuyer(rnc: string | undefined): Scenario["scenario"] | undefined {
	return BY_BUYER[(rnc === undefined ? undefined : parseTaxpayerDocument(rnc)?.digits) ?? ""];
}

/** Outside the sandboxes a scenario's buyer is a misplaced test, which would have fiscal effect. */
export function checkBuyer(rnc: string | undefined, environment: Environment): Fault[] {
	if (rnc === undefined || isSandbox(environment) || scenarioOfBuyer(rnc) === undefined) return [];
	const detail = msg`${rnc} selects a scenario of the sandboxes and is no real number.`;
	return [{ pointer: "/customer/rnc", code: "sandbox-only", detail }];
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** `fail` takes neither a message code nor a time. */
function isPlayable({ scenario, code, after }: Scenario): boolean {
	if (scenario === "fail" && (code !== undefined || after !== undefined)) return false;
	if (after === undefined) return true;
	const figure = Number.parseInt(after, 10);
	return (after.endsWith("ms") ? figure : figure * 1000) <= AFTER_MAX_MS;
}

/** The simulator runs on the same machine; the authority never does. */
function isOnThisMachine(urls: AuthorityUrls): boolean {
	return [urls.main, urls.fc].every((text) => {
		const { hostname } = new URL(text);
		return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
	});
}

function refuse(code: string, detail: Message): Problem {
	return new Problem("validation-error", {
		faults: [{ pointer: `#/headers/${HEADER.toLowerCase()}`, code, detail }],
	});
}
