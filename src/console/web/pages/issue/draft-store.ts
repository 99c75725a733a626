/** Drafts in the browser's storage: by company and person, until they are issued or the person signs out, which empties the storage. */
import { useCallback, useEffect, useState } from "react";
import { useHere } from "../../app/session";
import { type Draft, textAt } from "./draft";
import { isBlank } from "./row";

const KEPT_MAX = 30;

export type Drafts = {
	readonly read: (id: string) => Draft | undefined;
	readonly forget: (id: string) => void;
	/** The last changed first. */
	readonly list: () => readonly Draft[];
	readonly keep: (draft: Draft) => void;
};

export function useDrafts(): Drafts {
	const { me, company } = useHere();
	const prefix = `sello-draft:${me.user.id}:${company.tenantId}:`;
	const [drafts] = useState(() => openDrafts(prefix));
	return drafts;
}

function openDrafts(prefix: string): Drafts {
	const read = (id: string) => {
		try {
			const text = localStorage.getItem(prefix + id);
			return text === null ? undefined : (JSON.parse(text) as Draft);
		} catch {
			return undefined;
		}
	};
	const forget = (id: string) => localStorage.removeItem(prefix + id);
	const list = () =>
		Object.keys(localStorage)
			.filter((key) => key.startsWith(prefix))
			.flatMap((key) => read(key.slice(prefix.length)) ?? [])
			.toSorted((a, b) => b.changedAt - a.changedAt);
	const keep = (draft: Draft) => {
		try {
			localStorage.setItem(prefix + draft.id, JSON.stringify(draft));
		} catch {
			// The storage is full: the page still has the draft.
			for (const { id } of list().slice(1)) forget(id);
		}
		for (const { id } of list().slice(KEPT_MAX)) forget(id);
	};
	return { read, forget, list, keep };
}

/** Whether anything was written that would be missed. */
export function isWorthKeeping({ members, rows, source }: Draft): boolean {
	return source !== undefined || rows.some((row) => !isBlank(row)) || textAt(members, "/customer/rnc") !== "";
}

/** A draft in work: each change is stored at once. */
export function useDraft(drafts: Drafts, first: Draft) {
	const [draft, setDraft] = useState(first);
	const change = useCallback((edit: (draft: Draft) => Draft) => setDraft(edit), []);
	useEffect(() => {
		if (isWorthKeeping(draft)) drafts.keep(draft);
	}, [draft, drafts]);
	return { draft, change };
}
