/**
 * The scenario of a sandbox document, selected by a reserved buyer or by the header `X-Sandbox-Scenario`.
 *
 * Business rules do not apply to such a document; structure, signature and duplicates do. The header wins over the buyer.
 */
import { ACCEPTED, conditional, invalidField, type Judgement, rejected, released } from "./validation/judgement";

export type Scenario = {
	readonly judgement: Judgement;
	/** From reception to the verdict, in place of the usual delay. */
	readonly verdictAfterMs?: number;
	/** How long the submission gets no answer; the verdict exists when it ends. */
	readonly silentMs?: number;
	/** The first time, the document is stored and the connection is closed without an answer. */
	readonly losesAnswer?: boolean;
	/** Nothing is stored: the service reports an internal failure. */
	readonly fails?: boolean;
};

export type ScenarioOrder = {
	readonly scenario: ScenarioName;
	/** Code of the message with the verdict. */
	readonly code?: string;
	readonly afterMs?: number;
};

export const SCENARIO_HEADER = "x-sandbox-scenario";

const NAMES = ["accept", "reject", "conditional", "silent", "lost-answer", "fail", "release"] as const;
type ScenarioName = (typeof NAMES)[number];

const BY_BUYER: Readonly<Record<string, ScenarioOrder>> = {
	"000000001": { scenario: "accept", afterMs: 200 },
	"000000002": { scenario: "reject" },
	"000000003": { scenario: "conditional" },
	"000000004": { scenario: "silent" },
	"000000005": { scenario: "lost-answer" },
	"000000006": { scenario: "fail" },
	"000000007": { scenario: "release" },
};

const AFTER_MAX_MS = 600_000;

const TEXTS: Readonly<Record<string, string>> = {
	"75": "El e-NCF no está autorizado.",
	"135": "El e-NCF no está autorizado para el emisor.",
	"613": "Los comprobantes electrónicos no pueden reemplazarse entre sí.",
	"614": "El e-NCF modificado no ha sido emitido.",
	"615": "El comprador no es el del comprobante modificado.",
	"1209": "El e-NCF ya ha sido utilizado.",
	"1385": invalidField("1385", { field: "RNCComprador", area: "Comprador", section: "Encabezado" }).text,
};

/**
 * Reads the header: a name, or `{"scenario": name, "code": "614", "after": "2s"}`. A string states what is wrong. An unknown scenario must not count
 * as none.
 */
export function readScenario(header: string | undefined): ScenarioOrder | string | undefined {
	const text = header?.trim();
	if (!text) return undefined;
	const order = text.startsWith("{") ? parseObject(text) : { scenario: text };
	if (!order) return `${SCENARIO_HEADER} is not JSON`;
	const { scenario, code, after, ...others } = order;
	const name = NAMES.find((candidate) => candidate === scenario);
	if (!name) return `${SCENARIO_HEADER} must name one of ${NAMES.join(", ")}`;
	if (Object.keys(others).length > 0) return `${SCENARIO_HEADER} has an unknown member`;
	if (code !== undefined && !/^[0-9]{1,5}$/.test(String(code))) return `${SCENARIO_HEADER}: code must be 1 to 5 digits`;
	const afterMs = after === undefined ? undefined : toMs(after);
	if (afterMs === null) return `${SCENARIO_HEADER}: after must be like 200ms or 2s, at most ${AFTER_MAX_MS / 1000}s`;
	return {
		scenario: name,
		...(code === undefined ? {} : { code: String(code) }),
		...(afterMs === undefined ? {} : { afterMs }),
	};
}

/** The scenario of a header, or of a buyer. `silenceMs`: the default length of silence. */
export function scenarioOf(
	order: ScenarioOrder | undefined,
	buyerRnc: string | null,
	silenceMs: number,
): Scenario | undefined {
	const asked = order ?? BY_BUYER[buyerRnc ?? ""];
	if (!asked) return undefined;
	const { scenario, code, afterMs } = asked;
	const after = afterMs === undefined ? {} : { verdictAfterMs: afterMs };
	const message = (usual: string) => ({ code: code ?? usual, text: TEXTS[code ?? usual] ?? "" });
	switch (scenario) {
		case "accept":
			return { judgement: ACCEPTED, ...after };
		case "reject":
			return { judgement: rejected(message("614")), ...after };
		case "conditional":
			return { judgement: conditional(message("1385")), ...after };
		case "silent":
			return { judgement: ACCEPTED, silentMs: afterMs ?? silenceMs };
		case "lost-answer":
			return { judgement: ACCEPTED, losesAnswer: true, ...after };
		case "fail":
			return { judgement: ACCEPTED, fails: true };
		case "release":
			return { judgement: released(message("135")), ...after };
	}
}

function parseObject(text: string): Record<string, unknown> | undefined {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === "object" && value !== null ? { ...value } : undefined;
	} catch {
		return undefined;
	}
}

/** Null if it is not a duration. */
function toMs(after: unknown): number | null {
	const [, figure, unit] = /^([0-9]{1,6})(ms|s)$/.exec(String(after)) ?? [];
	if (figure === undefined) return null;
	const ms = Number(figure) * (unit === "s" ? 1000 : 1);
	return ms <= AFTER_MAX_MS ? ms : null;
}
