import { expect, test } from "bun:test";
import { createTenant, sharedService } from "../../support/service";
import { endedExport, readyZip } from "../support/archive";
import { expectProblem } from "../support/problem";

test("an address that was changed in any way leads nowhere", async () => {
	const other = await createTenant(await sharedService());
	const [own, foreign] = [await readyZip(), await endedExport(other)];
	const url = new URL(own.url ?? "");
	const changed = (change: (url: URL) => void) => {
		const copy = new URL(url);
		change(copy);
		return copy;
	};
	const signature = url.searchParams.get("signature") ?? "";
	const attempts = [
		changed((one) => {
			one.pathname = one.pathname.replace(own.exportId, foreign.exportId);
		}),
		changed((one) => one.searchParams.set("expires", String(Number(one.searchParams.get("expires")) + 1))),
		changed((one) => one.searchParams.set("signature", signature.slice(0, -1))),
		changed((one) => one.searchParams.set("signature", `${signature}A`)),
		changed((one) => one.searchParams.set("signature", signature.toLowerCase())),
		changed((one) => one.searchParams.set("signature", "")),
	];
	const answers = await Promise.all(attempts.map((attempt) => fetch(attempt)));
	expect(answers.map(({ status }) => status)).toEqual(attempts.map(() => 404));
	const padded = changed((one) => one.searchParams.set("expires", `0${one.searchParams.get("expires")}`));
	await expectProblem(fetch(padded), 400, "validation-error");
	await expectProblem(fetch(new URL(url.pathname, url)), 400, "validation-error", [
		"#/query/expires required",
		"#/query/signature required",
	]);
});
