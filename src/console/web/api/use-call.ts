/** Reads and writes of pages: `useCall` keeps an answer fresh, `useSend` changes something and renews what it may have changed. */
import { onlineManager, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { useLanguage } from "../app/language";
import { type Answer, type CallError, call, companyOfAddress, type Input, type OperationId } from "./call";

type ReadOptions = {
	/** False: does not ask yet. */
	readonly enabled?: boolean;
	/** Keeps the former answer while another input is asked for. */
	readonly keepsFormer?: boolean;
	/** Asks again this often while the page is seen. */
	readonly everyMs?: number;
};

/** The answer of a reading operation, cached by company and input. */
export function useCall<Id extends OperationId>(
	id: Id,
	input: Input<Id>,
	{ enabled = true, keepsFormer, everyMs }: ReadOptions = {},
) {
	return useQuery<Answer<Id>, CallError>({
		// Explanations come in the reader's language.
		queryKey: [...callKey(id, input), useLanguage()],
		queryFn: ({ signal }) => call(id, input, { signal }),
		enabled,
		...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
		...(keepsFormer ? { placeholderData: (former: Answer<Id> | undefined) => former as never } : {}),
	});
}

/** The cache's key of a call; without an input, of all calls of the operation in this company. */
export function callKey<Id extends OperationId>(id: Id, input?: Input<Id>) {
	const company = companyOfAddress() ?? "";
	return input === undefined ? [company, id] : [company, id, input];
}

/** A changing operation; `renews` names the operations whose cached answers are asked for again after it. */
export function useSend<Id extends OperationId>(id: Id, renews: readonly OperationId[] = []) {
	const client = useQueryClient();
	return useMutation<Answer<Id>, CallError, Input<Id>>({
		mutationFn: (input) => call(id, input),
		onSuccess: () =>
			Promise.all(renews.map((one) => client.invalidateQueries({ queryKey: callKey(one) }))).then(() => undefined),
	});
}

/** Whether the browser has a network. */
export function useOnline(): boolean {
	return useSyncExternalStore(onlineManager.subscribe, () => onlineManager.isOnline());
}
