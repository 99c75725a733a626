/** Who is signed in, and which company the page's address names. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import { type CallError, call } from "../api/call";
import type { Me } from "../api/generated";

export type { Me };
export type Membership = Me["memberships"][number];

/** The signed-in person. A CallError of status 401 means that there is none. */
export function useMe() {
	return useQuery<Me, CallError>({
		queryKey: ["me"],
		// The session's own operation, because it renews the cookie once a day.
		queryFn: async ({ signal }) => (await call("getSession", {}, { signal, company: null })).me,
		staleTime: Number.POSITIVE_INFINITY,
		retry: false,
	});
}

/** Ends the session. The browser forgets drafts, and the page begins anew. */
export function useSignOut(): () => void {
	const client = useQueryClient();
	return async () => {
		await call("deleteSession", {}, { company: null });
		client.clear();
		location.assign("/console");
	};
}

type Here = { readonly me: Me; readonly company: Membership };

/** Whether the person operates the service. */
export function isOperator({ teams }: Me): boolean {
	return teams.some(({ role }) => role.startsWith("operator"));
}

/** Whether the person may change what operators change. */
export function useMayOperate(): boolean {
	return useMe().data?.teams.some(({ scopes }) => scopes.includes("admin")) ?? false;
}

export const HereContext = createContext<Here | undefined>(undefined);

/** For pages of a company: the person, the company, and what the person may do there. */
export function useHere(): Here & { readonly may: (scope: string) => boolean } {
	const here = useContext(HereContext);
	if (!here) throw new Error("this part belongs into a company's page");
	return { ...here, may: (scope) => here.company.scopes.includes(scope) };
}
