/** An authority that answers as a test has written down, and tells what it was asked. */
import type { Authority } from "../../../../src/authority/client";
import type { Signatory } from "../../../../src/authority/client/client";

type Asked = "submit" | "submitSummary" | "queryTrackIds" | "queryResult" | "querySummary";
type AnswerOf<Name extends Asked> = Awaited<ReturnType<Authority<Signatory>[Name]>>;
/** Of each question the answers in their order; the last one stands for all that follow. */
export type Script = { [Name in Asked]?: AnswerOf<Name>[] };

const outage = { reason: "authority-unreachable", detail: "nobody is there" } as const;

export function scriptAuthority(script: Script) {
	const asked: Asked[] = [];
	const tell = <Name extends Asked>(name: Name): AnswerOf<Name> => {
		asked.push(name);
		const answers = script[name] ?? [];
		const answer = answers.length > 1 ? answers.shift() : answers[0];
		if (answer === undefined) throw new Error(`nobody expected ${name}`);
		return answer;
	};
	const authority: Authority<Signatory> = {
		submit: async () => tell("submit"),
		submitSummary: async () => tell("submitSummary"),
		queryTrackIds: async () => tell("queryTrackIds"),
		queryResult: async () => tell("queryResult"),
		querySummary: async () => tell("querySummary"),
		queryState: async () => ({ kind: "unavailable", ...outage }),
		voidRange: async () => ({ kind: "not-sent", ...outage }),
		sendApproval: async () => ({ kind: "not-sent", ...outage }),
		findReceiver: async () => ({ kind: "not-listed" }),
		restMs: () => 0,
		probe: async () => true,
	};
	return { authority, asked, script };
}
