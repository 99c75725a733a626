/** Printing in a thread: started when it is needed, and closed with what waits done. */
import { expect, test } from "bun:test";
import { createPrinter, tagOf } from "../../../src/ecf/printing";
import { createLog } from "../../../src/platform/telemetry";
import { LOGO } from "./support/logo";
import { jobOf, longDocument, print } from "./support/papers";

const log = createLog("silent", "test");
const of = { tenantId: "a" };

test("the thread prints the same bytes, and an unreadable document fails alone", async () => {
	const printer = createPrinter({ log });
	const job = jobOf("31-everything", { logo: LOGO });
	const [printed, failed] = await Promise.allSettled([
		printer.print(job, of),
		printer.print({ ...job, signedXml: Buffer.from("<ECF/>") }, of),
	]);
	expect(printed.status === "fulfilled" && Buffer.compare(printed.value, await print(job))).toBe(0);
	expect(failed).toMatchObject({ status: "rejected", reason: { message: expect.stringContaining("no Encabezado") } });
	await printer.close();
	await expect(printer.print(job, of)).rejects.toMatchObject({ slug: "service-unavailable" });
});

test("twenty long documents do not hold up another tenant, and end with their callers", async () => {
	const printer = createPrinter({ log });
	const gone = new AbortController();
	const long = { ...jobOf("33-minimal"), signedXml: longDocument(Array(600).fill("Cemento")) };
	const finished: string[] = [];
	const twenty = Array.from({ length: 20 }, async () => {
		await printer.print(long, { tenantId: "a", signal: gone.signal });
		finished.push("a");
	});
	await printer.print(jobOf("31-everything"), { tenantId: "b" });
	// At most one long document was being printed when the other came.
	expect(finished.length).toBeLessThanOrEqual(1);
	gone.abort();
	await Promise.allSettled(twenty);
	await printer.close();
	expect(finished.length).toBeLessThanOrEqual(2);
});

test("an unused printer closes at once", async () => {
	await createPrinter({ log }).close();
});

test("a tag changes with everything that changes the paper", () => {
	const job = jobOf("31-everything");
	const others = [
		{ ...job, format: "thermal_58" as const },
		{ ...job, standing: "pending" as const },
		{ ...job, isTest: true },
		{ ...job, logo: LOGO },
		{ ...job, qrUrl: `${job.qrUrl}x` },
		{ ...job, signedXml: jobOf("31-minimal").signedXml },
	];
	expect(new Set([job, ...others].map(tagOf)).size).toBe(others.length + 1);
	expect(tagOf({ ...job })).toBe(tagOf(job));
});
