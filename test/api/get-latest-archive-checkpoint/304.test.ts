import { beforeAll, expect, test } from "bun:test";
import { get, sharedService, type TestService } from "../../support/service";
import { documentOf } from "../support/documents";
import { untilArchived } from "../support/evidence";

const PATH = "/v1/archive/checkpoints/latest";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
	await (await untilArchived(`/v1/invoices/${(await documentOf("accepted")).docId}/proof`)).body?.cancel();
}, 240_000);

test("304 to who has it, in the form in which he has it", async () => {
	// Another test may have a newer one signed in between.
	for (;;) {
		const [json, note] = await Promise.all([get(service, PATH), get(service, PATH, { accept: "text/plain" })]);
		const tags = [json.headers.get("etag") ?? "", note.headers.get("etag") ?? ""];
		const again = await get(service, PATH, { "if-none-match": tags[0] ?? "" });
		const crossed = await get(service, PATH, { "if-none-match": tags[1] ?? "" });
		const same = await get(service, PATH, { accept: "text/plain", "if-none-match": tags[1] ?? "" });
		await Promise.all([json, note, crossed].map((one) => one.body?.cancel()));
		if (again.status === 200 || same.status === 200) continue;
		expect([again.status, crossed.status, same.status]).toEqual([304, 200, 304]);
		return;
	}
});
