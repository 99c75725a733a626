/** Races of identical and of conflicting requests: all are sent at once on connections opened beforehand. */
import { openConnection, type RawAnswer, type RawRequest, writeRequest } from "../../test/support/raw-http";

export type Credentials = Readonly<Record<string, string>>;

/** Sends all requests at once, each on its own connection. Throws an Error if one gets no complete answer. */
export async function raceRequests(port: number, requests: readonly RawRequest[]): Promise<RawAnswer[]> {
	const connections = await Promise.all(requests.map(() => openConnection(port)));
	const bytes = requests.map(writeRequest);
	try {
		const outcomes = await Promise.all(
			connections.map((connection, i) => connection.send(bytes[i] ?? new Uint8Array(0))),
		);
		return outcomes.map((outcome) => {
			if (outcome.kind === "answered") return outcome.answer;
			throw new Error(`a request of a race got no answer: ${outcome.error} after ${outcome.bytes} bytes`);
		});
	} finally {
		for (const connection of connections) connection.close();
	}
}

/** The request that posts an invoice under a key. */
export function invoiceRequest(credentials: Credentials, key: string, invoice: unknown): RawRequest {
	return {
		method: "POST",
		path: "/v1/invoices",
		headers: { ...credentials, "content-type": "application/json; charset=utf-8", "idempotency-key": key },
		body: JSON.stringify(invoice),
	};
}

/** The expected outcome of a race. */
export type Expected = "one-document" | "one-number";

/**
 * Checks the answers of a race. `one-document`: one 202, the others 200 with identical bytes. `one-number`: one 202, the others 422
 * `encf-already-used` naming the winner's document.
 */
export function checkRace(answers: readonly RawAnswer[], expected: Expected): { docId: string; faults: string[] } {
	const faults: string[] = [];
	const firsts = answers.filter((answer) => answer.status === 202);
	const [first] = firsts;
	if (!first || firsts.length !== 1) faults.push(`${firsts.length} answers are 202, expected 1`);
	const docId = first ? (JSON.parse(first.body) as { docId: string }).docId : "";
	for (const answer of answers) {
		if (answer.status === 202) continue;
		const isExpected = expected === "one-document" ? isReplay(answer, first) : isCollision(answer, docId);
		if (!isExpected) faults.push(`unexpected ${answer.status}: ${answer.body}`);
	}
	return { docId, faults };
}

function isReplay(answer: RawAnswer, first: RawAnswer | undefined): boolean {
	return answer.status === 200 && answer.body === first?.body && answer.headers["idempotency-replayed"] === "true";
}

function isCollision(answer: RawAnswer, docId: string): boolean {
	if (answer.status !== 422) return false;
	const problem = JSON.parse(answer.body) as { type: string; docId?: string };
	return problem.type.endsWith("/errors/encf-already-used") && problem.docId === docId;
}
