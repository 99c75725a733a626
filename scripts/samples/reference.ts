/** Runs the curl sample of each operation of the reference in a seeded world. */
import { listSamples, toSampleCall } from "../../src/api/openapi";
import type { Operation } from "../../src/platform/operation";
import { declaredOperations } from "../../test/api/support/declared-operations";
import { fillVariables } from "./guides";
import { runSamples } from "./program";
import { seedWorld, type WorldDeps } from "./world";

/** Operations whose sample cannot run, with the reason. Those of the console need a person who is signed in, or the current build. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
	takeMailNotice: "the operator's mail server signs the notice",
	postPeerToken: "another taxpayer's program signs the seed",
	receivePeerDocument: "needs the token of another taxpayer's program",
	receiveApproval: "needs the token of another taxpayer's program",
	registryGetDelivery: "is sent with the next day's registry",
	registryRedeliver: "is sent with the next day's registry",
	cancelCheckSetTests: "a company has one active test set, which the sample of its creation takes",
	retryCheckSetTests: "a company has one active test set, which the sample of its creation takes",
	getDigestPage: "its address stands in a mail",
	stopDigests: "its address stands in a mail",
	resumeDigests: "its address stands in a mail",
	openLink: "its token stands in the answer that made it",
};

/** A person's session is no example, and a company's key is no operator's. */
const WITHOUT_SAMPLES = ["Console", "Operator"];

/** Programs that read at the same time. */
const READERS = 3;

/** What is wrong, and how many samples ran. Throws: Error for a world that cannot be seeded. */
export async function runReference(deps: WorldDeps): Promise<{ violations: string[]; count: number }> {
	const { variables, values } = await seedWorld(deps);
	const samples = declaredOperations(deps.url)
		.filter(({ id, tag }) => EXCEPTIONS[id] === undefined && !WITHOUT_SAMPLES.includes(tag))
		.sort((a, b) => orderOf(a) - orderOf(b))
		.map((operation) => {
			const [curl] = listSamples(toSampleCall(operation, values[operation.id]));
			return { operation, name: operation.id, code: fillVariables(curl?.code ?? "", variables) };
		});
	const reads = samples.filter(({ operation }) => operation.method === "GET");
	const readers = Array.from({ length: READERS }, (_, n) => reads.filter((_, place) => place % READERS === n));
	const violations = (await Promise.all(readers.map((list) => runSamples(list)))).flat();
	violations.push(...(await runSamples(samples.filter(({ operation }) => operation.method !== "GET"))));
	return { violations, count: samples.length };
}

/** What ends objects comes last; a change of the company replaces its webhooks. */
const ORDER = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const orderOf = ({ id, method }: Operation) => (id === "patchCompany" ? ORDER.length : ORDER.indexOf(method));
