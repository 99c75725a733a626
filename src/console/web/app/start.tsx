/** What the console and the portal share when they start in the browser. */
import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { CallError } from "../api/call";
import { Toasts } from "../kit/toast";
import "./theme";

const ATTEMPTS = 2;
const FRESH_MS = 10_000;
const AGAIN_MS = 5_000;

/** Shows the page; returns its cache of answers. */
export function start(page: ReactNode): QueryClient {
	const client = new QueryClient({
		defaultOptions: {
			queries: {
				staleTime: FRESH_MS,
				// A refusal stays one; what did not arrive or broke may arrive now.
				retry: (failures, error) =>
					failures < ATTEMPTS && error instanceof CallError && (error.problem?.status ?? 503) >= 500,
				refetchOnWindowFocus: false,
				// A call without a network fails at once, and is made again when there is one; else it would wait without a word.
				networkMode: "always",
				refetchOnReconnect: "always",
				refetchInterval: ({ state: { data, error } }) =>
					data !== undefined && error instanceof CallError && error.slug === "offline" ? AGAIN_MS : false,
			},
			// What was refused for want of a network must not be sent later by itself.
			mutations: { networkMode: "always" },
		},
	});
	const root = document.getElementById("root");
	if (!root) throw new Error("the page has no root");
	createRoot(root).render(
		<StrictMode>
			<CSPProvider disableStyleElements>
				<QueryClientProvider client={client}>
					{page}
					<Toasts />
				</QueryClientProvider>
			</CSPProvider>
		</StrictMode>,
	);
	return client;
}
