/** A request that is admitted and whose body completes only after something else has happened. */

import { head, sendRaw, toResponse } from "../../support/raw-request";
import { get, type TestService } from "../../support/service";
import { until } from "../../support/until";

/** Time after which every process knows a revocation; after a slower body the credentials are checked again. */
const LONGER_MS = 1_100;

/** The last byte comes when `between` is over, and a second after the first one at the least. `line` is method and path. */
export async function sendAround(
	service: TestService,
	line: string,
	request: { readonly headers: Readonly<Record<string, string>>; readonly body: unknown },
	between: () => Promise<unknown>,
): Promise<Response> {
	const text = Buffer.from(JSON.stringify(request.body));
	const more = { "idempotency-key": crypto.randomUUID(), "content-type": "application/json" };
	const headers = Object.entries({ ...request.headers, ...more, "content-length": text.length });
	const isLetIn = async () => (await get(service, "/v1/usage", request.headers)).status === 200;
	async function* chunks() {
		yield head(
			service.url,
			line,
			headers.map(([name, value]) => `${name}: ${value}`),
		);
		yield text.subarray(0, -1);
		// A later request has been admitted, and so has this one.
		await until(isLetIn);
		const since = performance.now();
		await between();
		await until(() => performance.now() - since > LONGER_MS);
		yield text.subarray(-1);
	}
	await until(isLetIn);
	return toResponse(await sendRaw(service.url, chunks(), 30_000));
}
