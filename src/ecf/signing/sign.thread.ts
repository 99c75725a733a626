/** A signing thread. Only here and in the submitting thread do private keys exist in clear. */
import { failpoint, threadFailpoint } from "../../platform/failpoints";
import { createEnvelope } from "../../platform/secrets";
import { serveJobs } from "../../platform/worker-pool";
import { openEngine } from "./engine";
import { createKeyRing } from "./key-custody";
import { signDraft } from "./sign-ecf";
import { packDocuments, type SignAnswer, type SignerSetup, type SignJob, signSpelling } from "./sign-job";
import { verifyOwnSignature } from "./verify-own";
import { signXml } from "./xades";

const SWEEP_EVERY_MS = 60_000;

serveJobs<SignerSetup, SignJob, SignAnswer>(async ({ kek, engine: choice, certificates }) => {
	const envelope = createEnvelope(kek);
	const { engine, fallback } = openEngine(choice);
	const keys = createKeyRing({ envelope, engine });
	setInterval(keys.sweep, SWEEP_EVERY_MS);
	return async (job) => {
		switch (job.do) {
			case "sign-invoice": {
				threadFailpoint("sign-job");
				failpoint("in-sign-thread");
				// The second of two checks; the API makes the first.
				if (job.identity.tenantId !== job.tenantId) throw new Error("the identity belongs to another tenant");
				const signed = signDraft(job.draft, keys.open(job.identity), job.profile);
				threadFailpoint("signed");
				if (job.packedWith === undefined) return { signed };
				const { ecf, summary, ...facts } = signed;
				return {
					packed: { ...facts, packed: packDocuments(job.packedWith, { ecf, ...(summary ? { summary } : {}) }) },
				};
			}
			case "sign-document": {
				if (job.identity.tenantId !== job.tenantId) throw new Error("the identity belongs to another tenant");
				const identity = keys.open(job.identity);
				const document = signXml(job.xml, identity, { profile: job.profile, signedAt: new Date(job.signedAt) });
				verifyOwnSignature(document, identity);
				return { document };
			}
			case "create-ephemeral": {
				const { createEphemeral } = await import("./take-certificate");
				return { certificate: await createEphemeral(envelope, job) };
			}
			case "import-pkcs12": {
				const { importPkcs12 } = await import("./take-certificate");
				return { certificate: importPkcs12(envelope, engine, job, certificates) };
			}
			case "forget-key":
				keys.forget(job);
				return { forgotten: true };
			case "name-engine":
				return { engine: engine.name, fallback };
		}
	};
}, signSpelling);
