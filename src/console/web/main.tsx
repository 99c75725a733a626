/** Starts the console in the browser. */
import { Router } from "wouter";
import { whenSignedOut } from "./api/call";
import { Confirmation } from "./app/confirm";
import { Routes } from "./app/routes";
import { start } from "./app/start";

const client = start(
	<>
		<Router base="/console">
			<Routes />
		</Router>
		<Confirmation />
	</>,
);
// Nothing of the former session may stay in memory.
whenSignedOut(() => {
	client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "me" });
	void client.resetQueries({ queryKey: ["me"] });
});
