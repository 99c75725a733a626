/**
 * A secret is rotated and the new one promoted while events flow. Every request verifies under the secrets that its headers imply. Between
 * the
 * two steps each carries two signatures, so a receiver that knows either secret keeps working.
 *
 *   first ──rotate──▶ first, and second beside it ──promote──▶ second
 */
import type { ScenarioContext } from "../run-scenarios";
import { type Environment, send } from "./environment";
import { checkReceipts, receiptsOf, until, untilThrough } from "./outcome";
import type { NamedSecret, Receipt } from "./receipt";
import { findSigners } from "./verify";

const BATCH = 10;
const OVERLAP_SECONDS = 3_600;
/** Signature times are whole seconds, and the endpoint was read a moment before. */
const MARGIN_MS = 2_000;

type Phase = "before" | "overlap" | "after";

export async function rotationScenario(context: ScenarioContext, environment: Environment) {
	const { small, violate } = context;
	const events = small ? 60 : 500;
	const tenant = await environment.register({ at: "/rotating" });
	const [webhook] = tenant.webhooks;
	if (!webhook) throw new Error("the company has a webhook");
	const secrets: NamedSecret[] = [{ name: "first", secret: webhook.secret }];
	const change = async (what: "rotate-secret" | "promote-secret", body?: unknown) => {
		const askedMs = Date.now();
		const address = `${environment.url}/v1/webhooks/${webhook.id}/${what}`;
		const { status, body: answer } = await send("POST", address, await tenant.freshHeaders(), body);
		if (status > 201) throw new Error(`${what} was answered with ${status} ${JSON.stringify(answer)}`);
		return { askedMs, answeredMs: Date.now(), answer };
	};
	const rotate = async () => {
		const done = await change("rotate-secret", { overlapSeconds: OVERLAP_SECONDS });
		secrets.push({ name: "second", secret: (done.answer as { secret: string }).secret });
		await environment.receiver.order({ path: "/rotating", secrets });
		return done;
	};

	let issued = 0;
	const flow = async (total: number) => {
		for (; issued < total; issued += BATCH) await environment.issue(tenant, BATCH);
	};
	await flow(events / 5);
	await until("some have come", () => receiptsOf(environment, [tenant]).length > 0);
	const [rotated] = await Promise.all([rotate(), flow((3 * events) / 5)]);
	// Between the two, every delivery in flight carries both signatures.
	await untilThrough(environment, [tenant]);
	const [promoted] = await Promise.all([change("promote-secret"), flow(events)]);
	await untilThrough(environment, [tenant]);

	// A receiver verifies with the secrets it has; other signatures are checked once the secret is known.
	const receipts = receiptsOf(environment, [tenant]).map((receipt) => verifyAgain(receipt, secrets));
	const counts: Record<Phase | "odd", number> = { before: 0, overlap: 0, after: 0, odd: 0 };
	for (const receipt of receipts) {
		const phase = phaseOf(receipt);
		counts[phase ?? "odd"]++;
		if (phase === undefined) violate(`a request with odd signatures: ${JSON.stringify(receipt)}`);
		const signedMs = receipt.atMs - receipt.ageSeconds * 1_000;
		if (phase !== "before" && receipt.atMs < rotated.askedMs)
			violate(`${receipt.deliveryId} is signed for ${phase} too early`);
		if (phase === "before" && signedMs > rotated.answeredMs + MARGIN_MS)
			violate(`${receipt.deliveryId} has one signature although the secret had been rotated`);
		if (phase !== "after" && signedMs > promoted.answeredMs + MARGIN_MS)
			violate(`${receipt.deliveryId} is signed for ${phase} although the new secret had been promoted`);
	}
	for (const phase of ["before", "overlap", "after"] as const)
		if (counts[phase] === 0) violate(`no request was signed as ${phase} the rotation`);
	const arrived = new Set(receipts.filter(({ taken }) => taken).map(({ docId }) => docId)).size;
	if (arrived !== events) violate(`${arrived} of ${events} events arrived`);
	return {
		events,
		"signed with the first": counts.before,
		"with both": counts.overlap,
		"with the second": counts.after,
		...checkReceipts(context, receipts),
	};
}

function verifyAgain(receipt: Receipt, secrets: readonly NamedSecret[]): Receipt {
	if (!receipt.raw) return receipt;
	return { ...receipt, ...findSigners(receipt.raw.headers, Buffer.from(receipt.raw.body), secrets) };
}

function phaseOf({ main, next, standard }: Receipt): Phase | undefined {
	const signers = `${main} ${next ?? ""} ${standard}`;
	if (signers === "first  first") return "before";
	if (signers === "first second first,second") return "overlap";
	return signers === "second  second" ? "after" : undefined;
}
