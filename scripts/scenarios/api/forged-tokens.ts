/** Forged, expired and odd tokens at every operation that requires one: each gets 401, and none breaks anything. */
import type { ScenarioContext } from "../run-scenarios";
import type { ApiOperation } from "./description";
import type { Environment } from "./environment";
import { createFaultBook } from "./fault-book";
import { checkAnswer } from "./oracle";
import { openForge } from "./token-forge";
import { type Answer, openWire, type Request } from "./wire";

const OPERATIONS_AT_LEAST = 10;
const AT_ONCE = 8;

export async function forgedTokensScenario(context: ScenarioContext, environment: Environment) {
	const { api, url } = environment;
	const caller = await environment.register();
	const forge = await openForge(environment, caller.token);
	const faults = createFaultBook(context);
	const wanting = api.operations.filter(({ bearer }) => bearer === "required");
	if (wanting.length < OPERATIONS_AT_LEAST) context.violate(`only ${wanting.length} operations want a token`);
	const forged = (await forge.list()).map(([reason, token]) => ({
		reason,
		headers: [["authorization", `Bearer ${token}`]] as const,
	}));
	const good = `Bearer ${caller.token}`;
	const odd: { reason: string; headers: readonly (readonly [string, string])[]; query?: string }[] = [
		{
			reason: "two headers",
			headers: [
				["authorization", good],
				["authorization", good],
			],
		},
		{ reason: "another scheme", headers: [["authorization", `Basic ${caller.token}`]] },
		{ reason: "no scheme", headers: [["authorization", caller.token]] },
		{ reason: "the scheme alone", headers: [["authorization", "Bearer"]] },
		{ reason: "in the query", headers: [], query: `?access_token=${caller.token}` },
	];
	const cases = [...forged, ...odd];
	let refused = 0;
	let taken = 0;
	const work = wanting.flatMap((operation) => cases.map((one) => ({ operation, ...one })));
	const share = context.small ? work.filter((_, i) => i % 3 === 0) : work;
	const refuse = async (
		send: (request: Request) => Promise<Answer>,
		{ operation, reason, headers, query = "" }: (typeof work)[number] & { query?: string },
	) => {
		const request = toRequest(operation, caller.apiKey, headers, query);
		const answer = await send(request);
		for (const fault of checkAnswer(api, operation, answer))
			faults.note(operation.name, `${reason}: ${fault}`, request, answer);
		if (answer.status === 401) refused++;
		else faults.note(operation.name, `${reason}: ${answer.status} in place of 401`, request, answer);
	};
	await Promise.all(
		Array.from({ length: AT_ONCE }, async () => {
			const wire = openWire(url);
			for (let one = share.pop(); one; one = share.pop()) await refuse(wire.send, one);
			wire.close();
		}),
	);
	// The genuine token must work, with every spelling of its scheme.
	const wire = openWire(url);
	for (const operation of wanting) {
		for (const scheme of ["Bearer", "bearer", "BEARER"]) {
			const request = toRequest(operation, caller.apiKey, [["authorization", `${scheme} ${caller.token}`]], "");
			const answer = await wire.send(request);
			if (answer.status === 401 || answer.status === 0)
				faults.note(operation.name, `${scheme} with a good token is refused`, request, answer);
			else taken++;
		}
	}
	const rebuilt = toRequest(wanting[0], caller.apiKey, [["authorization", `Bearer ${forge.withClaims({})}`]], "");
	if ((await wire.send(rebuilt)).status === 401)
		context.violate("a token rebuilt with our key does not count, so the forged ones prove nothing");
	wire.close();
	faults.report();
	return { operations: wanting.length, tokens: cases.length, refused, "good ones taken": taken };
}

/** A request that changes nothing even if admitted: its ids are unknown, and its body has a media type that is not read. */
function toRequest(
	operation: ApiOperation | undefined,
	apiKey: string,
	headers: readonly (readonly [string, string])[],
	query: string,
): Request {
	if (!operation) throw new Error("no operation wants a token");
	return {
		method: operation.method,
		target: `${operation.path.replace(/\{\w+\}/g, () => crypto.randomUUID())}${query}`,
		headers: [
			["x-api-key", apiKey],
			...headers,
			...(operation.body ? ([["content-type", "text/plain"]] as const) : []),
		],
		...(operation.body ? { body: Buffer.from("x") } : {}),
	};
}
