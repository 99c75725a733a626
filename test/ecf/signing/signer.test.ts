/** The signing threads as they are, with real work, while some of them die or hang. */
import { afterEach, describe, expect, test } from "bun:test";
import { createHash, randomBytes } from "node:crypto";
import { planEcf } from "../../../src/ecf/mapping";
import {
	bunEngine,
	draftEcf,
	openEngine,
	openSigner,
	type SealedCertificate,
	type Signer,
} from "../../../src/ecf/signing";
import { createLog } from "../../../src/platform/telemetry";
import { until } from "../../support/until";
import { buildInvoice, ISSUER, toInput } from "./samples";

const log = createLog("silent", "test");
const tenantId = "0192f0a1-b2c3-7d4e-8f00-112233445566";
const LENIENT = { certificates: { isStrict: false, trustedCaFile: undefined } };
const DEFAULTS = { threads: 2, queueMax: 100, deadlineMs: 15_000, engine: "auto", log, ...LENIENT } as const;
const shutdownHooks: (() => Promise<void>)[] = [];

afterEach(async () => {
	for (const close of shutdownHooks.splice(0)) await close();
});

async function open(options: Partial<Parameters<typeof openSigner>[0]> & { fault?: string } = {}): Promise<Signer> {
	const { fault, ...rest } = options;
	const before = process.env.THREAD_FAULT;
	if (fault) process.env.THREAD_FAULT = fault;
	const signer = await openSigner({ ...DEFAULTS, kek: randomBytes(32), ...rest });
	shutdownHooks.push(async () => {
		await signer.close();
		// Only now: replacements inherit it.
		if (before === undefined) delete process.env.THREAD_FAULT;
		else process.env.THREAD_FAULT = before;
	});
	return signer;
}

const makeCertificate = (signer: Signer) =>
	signer.createEphemeral({
		tenantId,
		holderName: "JUANA PEREZ",
		holderDocument: "00100000009",
		notBefore: "2026-01-01T00:00:00.000Z",
		notAfter: "2030-01-01T00:00:00.000Z",
	});

function sign(signer: Signer, { identity }: SealedCertificate, number: number) {
	const input = toInput(buildInvoice({ encf: `E31${String(number).padStart(10, "0")}` }), ISSUER);
	return signer.signInvoice({ tenantId, draft: draftEcf(input, planEcf(input)), identity, profile: "xades-bes" });
}

/** Signs so many invoices at once; every one must be answered, with the bytes that a quiet signer gives. */
async function signAll(signer: Signer, certificate: SealedCertificate, count: number): Promise<void> {
	const answers = await Promise.all(Array.from({ length: count }, (_, i) => sign(signer, certificate, i + 1)));
	for (const [i, { ecf, ecfSha256 }] of answers.entries()) {
		expect(createHash("sha256").update(ecf).digest("hex")).toBe(ecfSha256);
		expect(Buffer.from(ecf).includes(`<eNCF>E31${String(i + 1).padStart(10, "0")}</eNCF>`)).toBe(true);
	}
	expect(new Set(answers.map(({ ecfSha256 }) => ecfSha256)).size).toBe(count);
	expect(signer.stats()).toMatchObject({ busy: 0, queued: 0 });
}

/** What a job fails with. Awaited first: `expect(…).rejects` holds the loop's immediates back, by which jobs are given out. */
async function failureOf(job: Promise<unknown>): Promise<string> {
	try {
		await job;
	} catch (error) {
		return String(error);
	}
	throw new Error("the job did not fail");
}

describe("signing threads", () => {
	test("name their engine, which can be forced", async () => {
		expect((await open({ threads: 1, engine: "bun" })).engine).toBe("bun");
		expect((await open({ threads: 1 })).engine).toBe(openEngine("auto").engine.name);
	});

	test("sign the same bytes with either engine", async () => {
		const kek = randomBytes(32);
		const certificate = await makeCertificate(await open({ kek, engine: "bun" }));
		const digests = [];
		for (const engine of ["bun", "auto"] as const) {
			digests.push((await sign(await open({ kek, engine }), certificate, 1)).ecfSha256);
		}
		expect(digests[0]).toBe(digests[1] ?? "");
	});

	for (const point of ["sign-job", "signed"]) {
		test(`that die at every third job (${point}) are replaced, each job answered once`, async () => {
			const signer = await open({ fault: `${point}:3:exit` });
			await signAll(signer, await makeCertificate(signer), 12);
			await until(() => signer.stats().threads === 2);
			expect(signer.stats().replaced).toBeGreaterThanOrEqual(3);
		});
	}

	test("that hang are replaced after the deadline, and every job is answered once", async () => {
		// So few jobs that none of them can be the fourth of three threads: that one would be given up.
		const signer = await open({ fault: "sign-job:4:hang", deadlineMs: 3_000 });
		await signAll(signer, await makeCertificate(signer), 8);
		expect(signer.stats().replaced).toBeGreaterThanOrEqual(2);
	});

	test("fail a job that kills every thread, and only that one", async () => {
		const signer = await open({ threads: 1, fault: "sign-job:1:exit" });
		const certificate = await makeCertificate(signer);
		expect(await failureOf(sign(signer, certificate, 1))).toContain("lost 3 threads");
		expect((await makeCertificate(signer)).facts.keyBits).toBe(2048);
	});

	test("refuse jobs beyond the queue at once, with Retry-After, and do the others", async () => {
		const signer = await open({ threads: 1, queueMax: 3 });
		const certificate = await makeCertificate(signer);
		const jobs = Array.from({ length: 10 }, (_, i) => sign(signer, certificate, i + 1));
		const settled = await Promise.allSettled(jobs);
		expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(4);
		for (const one of settled) {
			if (one.status === "rejected") {
				expect(one.reason).toMatchObject({ slug: "service-unavailable", headers: { "retry-after": "1" } });
			}
		}
	});

	test("never sign for one tenant with another's key", async () => {
		const signer = await open({ threads: 1 });
		const { identity } = await makeCertificate(signer);
		const input = toInput(buildInvoice({}), ISSUER);
		const draft = draftEcf(input, planEcf(input));
		const job = { tenantId: "other", draft, identity, profile: "xades-bes" } as const;
		expect(await failureOf(signer.signInvoice(job))).toContain("another tenant");
		const moved = { ...identity, tenantId: "other" };
		expect(await failureOf(signer.signInvoice({ ...job, identity: moved }))).toContain("does not open");
	});

	test("forget a removed key, and open it again when it is needed", async () => {
		const signer = await open();
		const certificate = await makeCertificate(signer);
		// A seal that does not open signs as long as the key is held, and no longer.
		const sealedKey = Uint8Array.from(certificate.identity.sealedKey, (byte, at) => (at === 60 ? byte ^ 1 : byte));
		const spoilt = { ...certificate, identity: { ...certificate.identity, sealedKey } };
		const countSigned = async () => {
			const settled = await Promise.allSettled(Array.from({ length: 8 }, (_, i) => sign(signer, spoilt, i + 1)));
			return settled.filter(({ status }) => status === "fulfilled").length;
		};
		await signAll(signer, certificate, 8);
		expect(await countSigned()).toBeGreaterThan(0);
		signer.forgetKey(certificate.identity);
		expect(await countSigned()).toBe(0);
		expect(await failureOf(sign(signer, spoilt, 1))).toContain("does not open");
		await signAll(signer, certificate, 8);
	});
});

test("the runtime's engine is there in any case", () => expect(bunEngine.name).toBe("bun"));
