/** Starts a session; the shell opens with its answer. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type Answer, type CallError, call, type Input } from "../../api/call";
import type { Translate } from "../../app/language";
import type { words } from "./words";

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

const SSO_REASONS = {
	"sso-away": "ssoAway",
	"service-unavailable": "ssoAway",
	"sso-cancelled": "ssoCancelled",
	"sso-expired": "ssoExpired",
	"sso-not-fresh": "ssoNotFresh",
	"sso-other-person": "ssoOtherPerson",
	"email-not-verified": "emailNotVerified",
	"email-not-invited": "emailNotInvited",
	"rate-limit-exceeded": "ssoTooOften",
	"session-expired": "signedOut",
} as const;

/** What a person reads of a refusal by the identity provider, or because of it. */
export function explainSso(t: Translate<keyof typeof words.es>, reason: string): string {
	return t(Object.hasOwn(SSO_REASONS, reason) ? SSO_REASONS[reason as keyof typeof SSO_REASONS] : "ssoFailed");
}
