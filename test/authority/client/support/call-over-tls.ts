/** Makes one exchange with the address in the arguments and prints what came of it: a process has one set of trusted roots. */
import { exchange } from "../../../../src/authority/client/exchange";

const body = new TextEncoder().encode("<ECF></ECF>");
const url = new URL(process.argv[2] ?? "");
const result = await exchange(
	{ method: "POST", url, headers: {}, body },
	{ connectTimeoutMs: 2_000, answerTimeoutMs: 2_000 },
);
console.log(result.reached === "answer" ? `answer ${result.answer.status}` : `${result.reached} ${result.fault}`);
