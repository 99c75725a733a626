/**
 * What does an invoice cost before signing: mapping to its e-CF, checking the authority's rules, writing the XML?
 *
 * One thread. The peer parses the same request from JSON, which every service must do. The written document is compared with one written
 * beforehand, so that nothing can be optimised away.
 */
import { checkBusinessRules } from "../src/authority/rules";
import { type EcfInput, planEcf, writeEcf } from "../src/ecf/mapping";
import { type BenchOptions, type Figure, toFigure } from "./bench";
import { buildInvoice } from "./invoice";
import { measureInTurn } from "./measure";

export const question = "What does it cost to map an invoice of ten lines to its e-CF, and to write that?";
export const peer = "JSON.parse of the request";

const ISSUER = { rnc: "990000001", name: "FERRETERIA EL PROGRESO SRL" };
const ACTIVE = { issuer: "ACTIVO", buyer: "ACTIVO" };

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	const invoice = buildInvoice(ISSUER, "E310000000001");
	const input: EcfInput = {
		...{ invoice, issuer: ISSUER, sequenceExpiresOn: "2028-12-31" },
		signedAt: "2026-11-20T14:20:00.121Z",
	};
	const text = JSON.stringify(invoice);
	const plan = planEcf(input);
	const xml = writeEcf(plan);
	const check = (isRight: boolean) => {
		if (!isRight) throw new Error("the invoice was mapped to another document than before");
	};
	const rounds = smoke
		? { rounds: 1, seconds: 0.05, warmUpSeconds: 0.1 }
		: { rounds: 9, seconds: 0.5, warmUpSeconds: 1 };
	const measured = await measureInTurn(
		{
			parsed: () => check(JSON.parse(text).lines.length === invoice.lines.length),
			mapped: () => check(planEcf(input).totals.total === plan.totals.total),
			ruled: () => check(checkBusinessRules({ plan, registry: ACTIVE }).length === 0),
			written: () => check(writeEcf(plan) === xml),
		},
		rounds,
	);
	const { parsed, mapped, ruled, written } = measured;
	const against = { peer, rounds: parsed.cpuMicros, lessIsFaster: true };
	return [
		toFigure(peer, "µs each", parsed.cpuMicros),
		toFigure("planEcf, processor time", "µs each", mapped.cpuMicros, { target: "≤ 25" }),
		toFigure("planEcf, processor time", "µs each", mapped.cpuMicros, { against }),
		toFigure("checkBusinessRules, processor time", "µs each", ruled.cpuMicros, { against }),
		toFigure("writeEcf, processor time", "µs each", written.cpuMicros, { target: "≤ 40" }),
		toFigure("writeEcf, processor time", "µs each", written.cpuMicros, { against }),
	];
}
