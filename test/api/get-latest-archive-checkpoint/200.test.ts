import { beforeAll, expect, test } from "bun:test";
import { openNote, readVerifierKey } from "../../../src/archive/checkpoints";
import { get, sharedService, type TestService } from "../../support/service";
import { documentOf } from "../support/documents";
import { untilArchived } from "../support/evidence";

const PATH = "/v1/archive/checkpoints/latest";
type Latest = { number: number; note: string; key: { name: string; key: string } };

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
	await (await untilArchived(`/v1/invoices/${(await documentOf("accepted")).docId}/proof`)).body?.cancel();
}, 240_000);

test("the newest checkpoint with the key that it verifies with, for everybody", async () => {
	const latest = (await (await get(service, PATH)).json()) as Latest;
	expect(openNote(latest.note, [readVerifierKey(latest.key.key)]).key.name).toBe(latest.key.name);
});

test("as the note itself, for programs that read notes", async () => {
	const answer = await get(service, PATH, { accept: "text/plain" });
	expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
	expect(answer.headers.get("vary")).toContain("accept");
	const note = await answer.text();
	expect(note).toMatch(/^sello\/archive\/sandbox\/[0-9a-f]{32}\n\d+\n/);
	expect(note).toMatch(/\n\n— \S+ \S+\n$/);
});
