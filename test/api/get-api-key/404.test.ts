/** A key of another owner is like one that never was, whatever is asked of it. */
import { expect, test } from "bun:test";
import { sharedService } from "../../support/service";
import { deleteKey, getKey, makeKey, patchKey, postRotation, tryKey } from "../support/api-keys";
import { expectProblem } from "../support/problem";
import { tenantA, tenantB, UNKNOWN_ID } from "../support/tenants";

test("another owner's calls on a key answer like those on an unknown id", async () => {
	const service = await sharedService();
	const owner = await tenantA();
	const stranger = await tenantB();
	const made = await makeKey(service, owner);
	const calls = [
		(id: string) => getKey(service, stranger, id),
		(id: string) => patchKey(service, stranger, id, { label: "mine" }),
		(id: string) => postRotation(service, stranger, id, { graceSeconds: 0 }),
		(id: string) => deleteKey(service, stranger, id),
	];
	for (const call of calls) {
		const [foreign, absent] = [await expectProblem(call(made.id), 404, "not-found"), await call(UNKNOWN_ID)];
		const found = { ...((await absent.json()) as object), requestId: "", instance: "" };
		expect({ ...foreign, requestId: "", instance: "" }).toEqual(found as typeof foreign);
		await expectProblem(call("x"), 404, "not-found");
	}
	const { key, ...record } = made;
	expect(await (await getKey(service, owner, made.id)).json()).toMatchObject({ ...record, lastUsedAt: null });
	expect(await tryKey(service, key)).toBe(200);
});
