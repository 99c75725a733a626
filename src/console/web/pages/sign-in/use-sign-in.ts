/** Starts a session; the shell opens with its answer. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type Answer, type CallError, call, type Input } from "../../api/call";

export function useSignIn() {
	const client = useQueryClient();
	return useMutation<Answer<"createSession">, CallError, Input<"createSession">["body"]>({
		mutationFn: (body) => call("createSession", { body }, { company: null }),
		onSuccess: ({ me }) => client.setQueryData(["me"], me),
	});
}

/** How people may sign in here. */
export function useSignInOptions() {
	return useQuery<Answer<"postSessionOptions">, CallError>({
		queryKey: ["sign-in-options"],
		queryFn: () => call("postSessionOptions", { body: { purpose: "sign-in" } }, { company: null }),
	});
}

/** What a person reads of a refusal. */
export function explain(error: CallError | null): string | undefined {
	if (!error) return undefined;
	return error.problem ? (error.problem.detail ?? error.problem.title) : error.message;
}
