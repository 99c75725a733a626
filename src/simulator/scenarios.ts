/**
 * The scenario of a sandbox document, selected by a reserved buyer or by the header `X-Sandbox-Scenario`.
 *
 * Business rules do not apply to such a document; structure, signature and duplicates do. The header wins over the buyer.
 */
import {
	ACCEPTED,
	conditional,
	invalidField,
	type Judgement,
	type Message,
	rejected,
	released,
} from "./validation/judgement";

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

const TOTALS = { field: "MontoTotal", area: "Totales", section: "Encabezado" };
/** What the authority rejects in a document of a type; notes by their reference. */
const REJECTIONS: Readonly<Record<string, Message>> = {
	"31": invalidField("1920", { ...TOTALS, field: "MontoGravadoTotal" }),
	"32": invalidField("1920", { ...TOTALS, field: "MontoGravadoTotal" }),
	"33": { code: "614", text: TEXTS["614"] ?? "" },
	"34": { code: "614", text: TEXTS["614"] ?? "" },
	"41": invalidField("260", {
		...{ field: "MontoITBISRetenido", area: "Retencion", section: "DetallesItems", line: "1" },
	}),
};
const OTHER_REJECTION = invalidField("0", TOTALS);
/** What it remarks on when it accepts. */
const BUYER_REMARK: Message = { code: "1385", text: TEXTS["1385"] ?? "" };
const TOTALS_REMARK = invalidField("3205", TOTALS);

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

/** The scenario of a header, or of a buyer, with a message that fits the document. `silenceMs`: the default length of silence. */
export function scenarioOf(
	order: ScenarioOrder | undefined,
	{ type, buyerRnc }: { readonly type: string; readonly buyerRnc: string | null },
	silenceMs: number,
): Scenario | undefined {
	const asked = order ?? BY_BUYER[buyerRnc ?? ""];
	if (!asked) return undefined;
	const { scenario, code, afterMs } = asked;
	const after = afterMs === undefined ? {} : { verdictAfterMs: afterMs };
	const message = (usual: Message): Message => (code === undefined ? usual : { code, text: TEXTS[code] ?? "" });
	switch (scenario) {
		case "accept":
			return { judgement: ACCEPTED, ...after };
		case "reject":
			return { judgement: rejected(message(REJECTIONS[type] ?? OTHER_REJECTION)), ...after };
		case "conditional":
			return { judgement: conditional(message(buyerRnc === null ? TOTALS_REMARK : BUYER_REMARK)), ...after };
		case "silent":
			return { judgement: ACCEPTED, silentMs: afterMs ?? silenceMs };
		case "lost-answer":
			return { judgement: ACCEPTED, losesAnswer: true, ...after };
		case "fail":
			return { judgement: ACCEPTED, fails: true };
		case "release":
			return { judgement: released(message({ code: "135", text: TEXTS["135"] ?? "" })), ...after };
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
