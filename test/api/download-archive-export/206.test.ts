import { expect, test } from "bun:test";
import { readyZip } from "../support/archive";
import { expectProblem } from "../support/problem";

test("a download that was cut goes on where it ended, and any part is that of the file", async () => {
	const { url, bytes, sha256 } = await readyZip();
	const size = bytes ?? 0;
	const whole = Buffer.from(await (await fetch(url ?? "")).arrayBuffer());
	const ask = (range: string, more: Record<string, string> = {}) => fetch(url ?? "", { headers: { range, ...more } });
	for (const [range, first, last] of [
		["bytes=0-0", 0, 0],
		["bytes=100-199", 100, 199],
		[`bytes=${size - 10}-`, size - 10, size - 1],
		["bytes=-7", size - 7, size - 1],
		["bytes=0-999999999999", 0, size - 1],
	] as const) {
		const answer = await ask(range);
		expect([answer.status, answer.headers.get("content-range")]).toEqual([206, `bytes ${first}-${last}/${size}`]);
		expect(Buffer.from(await answer.arrayBuffer()).equals(whole.subarray(first, last + 1))).toBe(true);
	}
	for (const range of ["bytes=0-1,5-6", "bytes=9-5", "lines=1-2", "bytes=-"])
		expect((await ask(range)).status).toBe(200);
	expect((await ask("bytes=0-9", { "if-range": `"${sha256}"` })).status).toBe(206);
	expect((await ask("bytes=0-9", { "if-range": '"another"' })).status).toBe(200);
	// A HEAD is asked for the whole, whatever part it names.
	const head = await fetch(url ?? "", { method: "HEAD", headers: { range: "bytes=0-9" } });
	expect([head.status, head.headers.get("content-length")]).toEqual([200, String(size)]);
	const refused = await ask(`bytes=${size}-`);
	expect(refused.headers.get("content-range")).toBe(`bytes */${size}`);
	await expectProblem(refused, 416, "range-not-satisfiable");
});

test("a range is one in any letters, with blanks and however long its numbers are", async () => {
	const { url, bytes } = await readyZip();
	const size = bytes ?? 0;
	const ask = (range: string) => fetch(url ?? "", { headers: { range } });
	for (const range of ["BYTES=5-6", "bytes= 5-6", "Bytes = 5 - 6", `bytes=${"0".repeat(30)}5-6`]) {
		const answer = await ask(range);
		expect([answer.status, answer.headers.get("content-range")]).toEqual([206, `bytes 5-6/${size}`]);
		expect(answer.headers.get("accept-ranges")).toBe("bytes");
	}
	const long = await ask(`bytes=1-${"9".repeat(30)}`);
	expect([long.status, long.headers.get("content-range")]).toEqual([206, `bytes 1-${size - 1}/${size}`]);
	for (const range of [`BYTES=${size}-`, `bytes= ${size}-`, "bytes=9999999999999999-", "bytes=-  0"]) {
		const refused = await ask(range);
		expect(refused.headers.get("content-range")).toBe(`bytes */${size}`);
		await expectProblem(refused, 416, "range-not-satisfiable");
	}
});
