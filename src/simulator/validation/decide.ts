/**
 * The part of the validation that depends on what is already known; it runs as one step with the insertion of its result.
 *
 *     same bytes as the number's holder → issuer → delegated → sequence in force, number authorised → number free
 *         → scenario or business rules
 *
 * The same bytes of a number that is taken get the verdict of the first ones. A released number is judged anew, so a document
 * that met the authority's own failure, or a signer not yet delegated, can be sent again as it is. In the certification environment a
 * number that was sent is spent, whatever the verdict.
 */
import { type Scenario, type ScenarioOrder, scenarioOf } from "../scenarios";
import type { Store } from "../store";
import type { Reception } from "../store/receptions";
import type { Ecf } from "./ecf";
import { checkBuyerStanding, checkIssuer, checkRange, hasExpired } from "./issuer";
import { type Judgement, rejected, released } from "./judgement";
import { applyRules } from "./rules";

export type Decision = {
	readonly judgement: Judgement;
	readonly scenario: Scenario | undefined;
	/** The earlier reception of the same bytes, whose verdict this is. */
	readonly repeats: Reception | undefined;
	/** True when the number belongs to this document from now on. */
	readonly holdsNumber: boolean;
};

export type Candidate = {
	readonly ecf: Ecf;
	readonly environment: string;
	readonly sha256: string;
	readonly thumbprint: string;
	/** True when the authority's own validation is to fail. */
	readonly fails: boolean;
	/** True when bytes that hold their number already are to be judged as another document under it. */
	readonly rejectsRepeat: boolean;
	/** What the request's header asks for. */
	readonly order: ScenarioOrder | undefined;
};

export function decide(candidate: Candidate, store: Store, silenceMs: number, now: Date): Decision {
	const { ecf, environment, thumbprint } = candidate;
	const scenario = scenarioOf(candidate.order, ecf.buyerRnc, silenceMs);
	const holder = store.receptions.findHolder({ environment, rnc: ecf.rnc, encf: ecf.encf });
	if (holder?.sha256 === candidate.sha256 && holder.verdict !== null && !candidate.rejectsRepeat) {
		const { verdict, messages } = holder;
		return {
			judgement: { verdict, messages, sequenceConsumed: true },
			scenario,
			repeats: holder,
			holdsNumber: false,
		};
	}
	const first = (given: Judgement, played?: Scenario): Decision => {
		const judgement = environment === "certecf" && !candidate.fails ? { ...given, sequenceConsumed: true } : given;
		return { judgement, scenario: played, repeats: undefined, holdsNumber: judgement.sequenceConsumed && !holder };
	};
	if (candidate.fails)
		return first(released({ code: "004", text: "Error interno al validar el e-CF, intente de nuevo." }));
	const issuer = checkIssuer(ecf, environment, store);
	if (issuer) return first(issuer);
	if (!store.certificates.isDelegated(thumbprint, ecf.rnc)) {
		const text = `El certificado del firmante no está delegado para el RNC ${ecf.rnc}.`;
		return first(released({ code: "0", text }));
	}
	if (hasExpired(ecf, now)) return first(released({ code: "135", text: "La secuencia del e-NCF está vencida." }));
	const number = checkRange(ecf, environment, store, now);
	if ("verdict" in number) return first(number);
	if (holder) return first(rejected({ code: "1209", text: "El e-NCF ya ha sido utilizado." }));
	if (store.voids.isVoided({ environment, rnc: ecf.rnc, encf: ecf.encf }))
		return first(rejected({ code: "1209", text: "El e-NCF ha sido anulado." }));
	if (scenario) return first(scenario.judgement, scenario);
	const lookup = {
		find: (rnc: string, encf: string) => store.receptions.findVisible({ environment, rnc, encf, now: now.getTime() }),
		listNotesOn: (rnc: string, encf: string) => store.receptions.listNotesOn({ environment, rnc, encf }),
	};
	return first(applyRules(ecf, lookup, now, [...number.findings, ...checkBuyerStanding(ecf, store)]));
}
