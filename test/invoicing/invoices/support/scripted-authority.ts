/** An authority with scripted answers, which records its calls. */
import type { Authority } from "../../../../src/authority/client";
import type { Signatory } from "../../../../src/authority/client/client";

type Asked = "submit" | "submitSummary" | "queryTrackIds" | "queryResult" | "querySummary";
type AnswerOf<Name extends Asked> = Awaited<ReturnType<Authority<Signatory>[Name]>>;
/** Of each question the answers in their order; the last one stands for all that follow. */
export type Script = { [Name in Asked]?: AnswerOf<Name>[] };

const outage = { reason: "authority-unreachable", detail: "no answer" } as const;

export function scriptAuthority(script: Script) {
	const asked: Asked[] = [];
	const answerOf = <Name extends Asked>(name: Name): AnswerOf<Name> => {
		asked.push(name);
		const answers = script[name] ?? [];
		const answer = answers.length > 1 ? answers.shift() : answers[0];
		if (answer === undefined) throw new Error(`unexpected call of ${name}`);
		return answer;
	};
	const authority: Authority<Signatory> = {
		submit: async () => answerOf("submit"),
		submitSummary: async () => answerOf("submitSummary"),
		queryTrackIds: async () => answerOf("queryTrackIds"),
		queryResult: async () => answerOf("queryResult"),
		querySummary: async () => answerOf("querySummary"),
		queryState: async () => ({ kind: "unavailable", ...outage }),
		voidRange: async () => ({ kind: "not-sent", ...outage }),
		sendApproval: async () => ({ kind: "not-sent", ...outage }),
		findReceiver: async () => ({ kind: "not-listed" }),
		restMs: () => 0,
		probe: async () => true,
	};
	return { authority, asked, script };
}
