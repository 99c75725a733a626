/** Evidence of documents that the shared service has archived. */
import { get, sharedService, type Tenant } from "../../support/service";
import { until } from "../../support/until";
import { tenantA } from "./tenants";

/** Polls until the decided document is archived. */
export async function untilArchived(path: string, tenant?: Tenant): Promise<Response> {
	const service = await sharedService();
	const { headers } = tenant ?? (await tenantA());
	let answer = await get(service, path, headers);
	await until(async () => {
		if (answer.status === 200) return true;
		await answer.body?.cancel();
		answer = await get(service, path, headers);
		return answer.status === 200;
	}, 120_000);
	return answer;
}
