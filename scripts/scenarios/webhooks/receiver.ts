/** Starts the receivers' program, gives orders and reads its ledger. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startProgram } from "../../../test/support/processes";
import type { PathOrder, Receipt } from "./receipt";

export type Receiver = {
	/** `host:port`, for the allow-list. */
	readonly host: string;
	/** Active once it resolves. */
	readonly order: (order: PathOrder) => Promise<void>;
	/** All receipts so far, in order of arrival. */
	readonly read: () => Receipt[];
	readonly stop: () => Promise<void>;
};

export async function startReceiver(folder: string): Promise<Receiver> {
	const ledger = join(folder, "receipts.jsonl");
	const program = startProgram(
		"scripts/scenarios/webhooks/receiver-program.ts",
		{ LEDGER: ledger },
		join(folder, "receiver.log"),
	);
	const url = await program.ready;
	return {
		host: new URL(url).host,
		async order(order) {
			const answer = await fetch(`${url}/_receiver`, { method: "POST", body: JSON.stringify(order) });
			if (answer.status !== 204) throw new Error(`the receiver answered an order with ${answer.status}`);
		},
		read: () => (existsSync(ledger) ? parseLines(readFileSync(ledger, "utf8")) : []),
		async stop() {
			program.kill("SIGTERM");
			await program.ended;
		},
	};
}

/** All lines except one still being written. */
function parseLines(text: string): Receipt[] {
	return text
		.slice(0, text.lastIndexOf("\n") + 1)
		.split("\n")
		.filter(Boolean)
		.map((line) => JSON.parse(line) as Receipt);
}
