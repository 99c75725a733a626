/**
 * The step "rehearse": runs the whole set against a simulator that lives as long as the rehearsal.
 *
 * Gap: how a rehearsal avoids the authority. In every environment its client is made for this simulator and has no address of the authority. Bytes,
 * signatures and protocol are real; there is no invoice, no number and no archive. After a crash it starts again.
 */
import type { Authority, Caller, RawAnswer, Signatory, Submission, Verdict } from "../../authority/client";
import type { CaseChange } from "./store";
import type { CaseFile } from "./test-set";

export type Stage = { readonly authority: Authority<Signatory>; readonly stop: () => Promise<void> };

const VERDICT_MAX_MS = 30_000;
const PAUSE_MS = 20;

/** The results of the cases in the order of sending, up to the first that is not accepted. */
export async function rehearse(
	stage: Pick<Stage, "authority">,
	who: Caller<Signatory>,
	rnc: string,
	files: readonly CaseFile[],
): Promise<CaseChange[]> {
	const changes: CaseChange[] = [];
	for (const { ordinal, encf, document } of files) {
		const answers: RawAnswer[] = [];
		const verdict = await play(stage, who, { rnc, encf }, document.documents, (answer) => answers.push(answer));
		const { kind: status, code, messages } = verdict;
		changes.push({
			...{ ordinal, status, authority: { code, ...(verdict.trackId ? { trackId: verdict.trackId } : {}), messages } },
			answers: answers.map((answer) => ({ ...answer, at: answer.at.toISOString() })),
		});
		if (status === "rejected") break;
	}
	return changes;
}

type Decided = Extract<Verdict, { kind: "accepted" | "rejected" }>;

async function play(
	{ authority }: Pick<Stage, "authority">,
	who: Caller<Signatory>,
	number: { readonly rnc: string; readonly encf: string },
	documents: CaseFile["document"]["documents"],
	record: (answer: RawAnswer) => void,
): Promise<Decided> {
	const summary = documents.find(({ kind }) => kind === "summary");
	const ecf = documents.find(({ kind }) => kind === "ecf");
	const parcel = { ...number, xml: Buffer.from((summary ?? ecf)?.text ?? "") };
	const sent = summary
		? await authority.submitSummary(who, parcel, record)
		: await authority.submit(who, parcel, record);
	if (sent.kind === "decided") return sent.verdict;
	if (sent.kind === "refused") return toRejection(sent);
	if (sent.kind !== "received") throw new Error(`the simulator did not accept ${number.encf}: ${sent.reason}`);
	for (let waitedMs = 0; waitedMs < VERDICT_MAX_MS; waitedMs += PAUSE_MS) {
		const verdict = await authority.queryResult(who, { ...number, trackId: sent.trackId }, record);
		if (verdict.kind === "accepted" || verdict.kind === "rejected") return verdict;
		await Bun.sleep(PAUSE_MS);
	}
	throw new Error(`the simulator gave no verdict on ${number.encf}`);
}

function toRejection({ code = "0", messages }: Submission & { kind: "refused" }): Decided {
	return { kind: "rejected", code, messages, sequenceConsumed: false, duplicate: false, retryable: false };
}
