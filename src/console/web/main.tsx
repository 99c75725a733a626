/** Starts the console in the browser. */
import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";
import { CallError, whenSignedOut } from "./api/call";
import { Confirmation } from "./app/confirm";
import { Routes } from "./app/routes";
import "./app/theme";
import { Toasts } from "./kit/toast";

const ATTEMPTS = 2;
const FRESH_MS = 10_000;

const client = new QueryClient({
	defaultOptions: {
		queries: {
			staleTime: FRESH_MS,
			// A refusal stays one; what did not arrive or broke may arrive now.
			retry: (failures, error) =>
				failures < ATTEMPTS && error instanceof CallError && (error.problem?.status ?? 503) >= 500,
			refetchOnWindowFocus: false,
		},
	},
});
// Nothing of the former session may stay in memory.
whenSignedOut(() => {
	client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "me" });
	void client.resetQueries({ queryKey: ["me"] });
});

const root = document.getElementById("root");
if (!root) throw new Error("the page has no root");
createRoot(root).render(
	<StrictMode>
		<CSPProvider disableStyleElements>
			<QueryClientProvider client={client}>
				<Router base="/console">
					<Routes />
				</Router>
				<Confirmation />
				<Toasts />
			</QueryClientProvider>
		</CSPProvider>
	</StrictMode>,
);
