/** The checks of a batch before anything is signed: which invoices are valid, new, and unique within the batch. */
import { createTurns } from "../../../platform/concurrency";
import { isPassing, retryOnFailure } from "../../../platform/database";
import { isObject, member } from "../../../platform/operation";
import { type Fault, msg, Problem } from "../../../platform/problem";
import { checkForm } from "../check/check-request";
import { type CheckedInvoice, findOriginals } from "../check/check-tenant";
import { refuseKnownRejections } from "../check/known-rejections";
import { findByClientRequestIds, findHoldersOfEncfs } from "../model/store";
import type { Sources } from "../model/stored-document";
import type { BatchItem, Outcome } from "./batch-format";
import { AUTO, findStanding } from "./document-number";
import { compareWith, encfUsed } from "./find-duplicate";
import { checkFor, type IssueDeps, type Issuer, type ItemRequest } from "./issuer";

/** A valid invoice that is not signed yet. */
export type Draft = { readonly index: number; readonly request: ItemRequest; readonly checked: CheckedInvoice };

/** The later of two drafts with the same number or client_request_id. It is treated as if the first were stored already. */
export type Twin = { readonly draft: Draft; readonly first: Draft };

/** Outcomes by position in the batch. An item that has one is finished. */
export type Outcomes = Map<number, Outcome>;

/** Longest time without a turn for other work. Units: milliseconds. */
const TURN_MS = 5;

/** Checks form, arithmetic and issuer of each item. Refused items get their outcome; the others are returned. */
export async function checkItems(
	deps: IssueDeps,
	issuer: Issuer,
	items: readonly BatchItem[],
	outcomes: Outcomes,
	{ scenario, handling }: Pick<ItemRequest, "scenario" | "handling">,
): Promise<Draft[]> {
	const { tenantId } = issuer.company;
	const requests = await inTurns(deps, outcomes, items, (item) => ({
		index: item.index,
		request: { ...toRequest(issuer, item), scenario, handling },
	}));
	const invoices = requests.map(({ request }) => request.invoice);
	const originals = await retryOnFailure(() => findOriginals(deps, tenantId, invoices));
	const standings = await Promise.all(
		invoices.map((invoice) => retryOnFailure(() => findStanding(deps.numbering, tenantId, invoice, issuer))),
	);
	const encfs = new Set(invoices.map(({ encf }) => encf));
	const known = requests.flatMap((one, i) => {
		const standing = standings[i];
		const isOriginalInBatch = encfs.has(one.request.invoice.reference?.encf ?? "");
		return standing ? [{ ...one, lookedUp: { original: originals[i], isOriginalInBatch, ...standing } }] : [];
	});
	return inTurns(deps, outcomes, known, ({ index, request, lookedUp }) => ({
		index,
		request,
		checked: checkFor(deps, issuer, request, lookedUp),
	}));
}

/** Does the work for each item and yields to other work in between. Items for which it fails are left out. */
async function inTurns<In extends { readonly index: number }, Out>(
	deps: IssueDeps,
	outcomes: Outcomes,
	all: readonly In[],
	work: (one: In) => Out,
): Promise<Out[]> {
	const done: Out[] = [];
	const takeTurn = createTurns(TURN_MS);
	for (const one of all) {
		await takeTurn();
		const result = await settleFailure(deps, outcomes, one.index, () => work(one));
		if (result !== undefined) done.push(result);
	}
	return done;
}

function toRequest(issuer: Issuer, item: BatchItem): ItemRequest {
	if ("problem" in item) throw item.problem;
	const { value, text } = item;
	const invoice = checkForm(value, issuer.now, requireClientId(value));
	return { tenantId: issuer.company.tenantId, text, invoice };
}

/** Without these ids, a batch whose answer was lost could not be sent again in other portions. */
function requireClientId(value: unknown): Fault[] {
	if (!isObject(value) || member(value, "client_request_id") !== undefined) return [];
	return [
		{ pointer: "/client_request_id", code: "required", detail: msg`Each invoice of a batch needs an id of its own.` },
	];
}

/**
 * Finds for all drafts at once whether they repeat or collide with a stored document. Returns those that do neither and that the authority is
 * not certain to reject.
 */
export async function setAsideEarlier(
	deps: IssueDeps,
	{ company }: Issuer,
	drafts: readonly Draft[],
	outcomes: Outcomes,
): Promise<Draft[]> {
	const [byId, holders] = await retryOnFailure(() => findEarlierOfAll(deps, company.tenantId, drafts));
	const isNew = await Promise.all(
		drafts.map(({ index, request, checked }) =>
			settleFailure(deps, outcomes, index, () => {
				const same = byId.get(request.invoice.client_request_id ?? "");
				if (same) {
					outcomes.set(index, { ...compareWith(same, request), kind: "repeated" });
					return false;
				}
				const holder = holders.get(request.invoice.encf);
				if (holder !== undefined) throw encfUsed(request.invoice.encf, holder);
				refuseKnownRejections(company, request.handling, checked.warnings);
				return true;
			}),
		),
	);
	return drafts.filter((_, i) => isNew[i] === true);
}

async function findEarlierOfAll(sources: Sources, tenantId: string, drafts: readonly Draft[]) {
	const ids = drafts.flatMap(({ request }) => request.invoice.client_request_id ?? []);
	// In this order, so that a document that is stored between the two queries is not found by its number alone.
	const holders = await findHoldersOfEncfs(
		sources.sql,
		tenantId,
		drafts.map(({ request }) => request.invoice.encf),
	);
	const byId = await findByClientRequestIds(sources, tenantId, ids);
	return [byId, holders] as const;
}

/** Keeps the first of drafts that share a number or a client_request_id. */
export function separateTwins(drafts: readonly Draft[]): { firsts: Draft[]; twins: Twin[] } {
	const byId = new Map<string, Draft>();
	const byEncf = new Map<string, Draft>();
	const firsts: Draft[] = [];
	const twins: Twin[] = [];
	for (const draft of drafts) {
		const { client_request_id = "", encf } = draft.request.invoice;
		const first = byId.get(client_request_id) ?? (encf === AUTO ? undefined : byEncf.get(encf));
		if (first) {
			twins.push({ draft, first });
			continue;
		}
		byId.set(client_request_id, draft);
		byEncf.set(encf, draft);
		firsts.push(draft);
	}
	return { firsts, twins };
}

/**
 * Runs the work for one item. A problem becomes the item's outcome, and so does a defect, which is logged. A database that is unavailable
 * concerns the whole batch. Throws: what the driver throws then.
 */
export async function settleFailure<T>(
	deps: IssueDeps,
	outcomes: Outcomes,
	index: number,
	work: () => T | Promise<T>,
): Promise<T | undefined> {
	try {
		return await work();
	} catch (error) {
		if (isPassing(error)) throw error;
		if (!(error instanceof Problem))
			deps.log.error({ event: "batch.item_failed", err: error, index }, "an invoice of a batch failed");
		const problem = error instanceof Problem ? error : new Problem("internal-error");
		outcomes.set(index, { kind: "refused", problem });
		return undefined;
	}
}
