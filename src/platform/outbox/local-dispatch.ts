/**
 * Messages that follow from one that a dispatcher is carrying out, and that it goes on with itself: they are written as claimed, in the
 * transaction that causes them, and begin when it has committed. That spares a claim, and the wait for it.
 *
 * It takes no more than a claim would: as many as there are free slots, and of a tenant as many as it may still fill. All else is written as
 * ready. A dispatcher that dies in between holds leases like any other, and they run out.
 */
import type { NewMessage } from "./message";
import type { ClaimedRow } from "./store";

export type Claim = { readonly owner: string; readonly leaseSeconds: number };

export type Handover = {
	/** Takes a message that is being written, if there is room; the claim is to be written with it. */
	readonly claim: (id: string, message: NewMessage) => Claim | undefined;
	/** True when something was left to be claimed, by whoever has room. */
	readonly hasLeft: () => boolean;
	/** The transaction has committed: what was taken is carried out. */
	readonly start: () => void;
	/** It was rolled back: nothing was taken. */
	readonly drop: () => void;
};

export type HandoverOptions = Claim & {
	readonly kinds: readonly string[];
	/** Reserves a slot for a tenant; false when there is none. */
	readonly reserve: (tenantId: string) => boolean;
	readonly release: (tenantId: string) => void;
	readonly begin: (message: ClaimedRow) => void;
};

export function createHandover({ owner, leaseSeconds, kinds, ...slots }: HandoverOptions): Handover {
	let taken: ClaimedRow[] = [];
	let isLeft = false;
	const take = () => {
		const all = taken;
		taken = [];
		for (const { tenantId } of all) slots.release(tenantId);
		return all;
	};
	return {
		claim(id, { kind, tenantId, subject, payload = {}, availableInSeconds = 0 }) {
			if (availableInSeconds > 0 || !kinds.includes(kind) || !slots.reserve(tenantId)) {
				isLeft = true;
				return undefined;
			}
			taken.push({ id, kind, tenantId, subject, payload, attempt: 1, failures: 0, ageSeconds: 0, owner });
			return { owner, leaseSeconds };
		},
		hasLeft: () => isLeft,
		start: () => {
			for (const message of take()) slots.begin(message);
		},
		drop: () => void take(),
	};
}
