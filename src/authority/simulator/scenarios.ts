/** What a sandbox document asks for by naming one of the reserved buyers. */
import { ACCEPTED, conditional, invalidField, type Judgement, rejected, released } from "./validation/judgement";

export type Scenario = {
	readonly judgement: Judgement;
	/** From reception to the verdict, instead of the usual delay. */
	readonly verdictAfterMs?: number;
	/** How long the submission itself gets no answer; the verdict is there when it ends. */
	readonly silentMs?: number;
	/** The document is kept and the connection closed without an answer, the first time. */
	readonly losesAnswer?: boolean;
};

/** The scenario of a buyer's RNC. Business rules do not apply to it; structure, signature and duplicates still do. */
export function scenarioOf(buyerRnc: string | null, silenceMs: number): Scenario | undefined {
	switch (buyerRnc) {
		case "000000001":
			return { judgement: ACCEPTED, verdictAfterMs: 200 };
		case "000000002":
			return { judgement: rejected({ code: "614", text: "El e-NCF modificado no ha sido emitido." }) };
		case "000000003": {
			const place = { field: "RNCComprador", area: "Comprador", section: "Encabezado" };
			return { judgement: conditional(invalidField("1385", place)) };
		}
		case "000000004":
			return { judgement: ACCEPTED, silentMs: silenceMs };
		case "000000005":
			return { judgement: ACCEPTED, losesAnswer: true };
		case "000000007":
			return { judgement: released({ code: "135", text: "El e-NCF no está autorizado para el emisor." }) };
		default:
			return undefined;
	}
}
