/** A signing thread: the only place, with the submitting thread, where private keys exist in clear. */
import { createEnvelope } from "../secrets";
import { faultPoint, threadFaultPoint } from "../telemetry";
import { serveJobs } from "../worker-pool";
import { openEngine } from "./engine";
import { createEphemeralIdentity } from "./ephemeral-identity";
import { signSpelling } from "./job-text";
import { createKeyRing, sealKey } from "./key-custody";
import { openPkcs12 } from "./pkcs12";
import { proveIdentity } from "./prove-identity";
import { signDraft } from "./sign-ecf";
import type { SignAnswer, SignerSetup, SignJob } from "./signer";
import { verifyOwnSignature } from "./verify-own";
import { signXml } from "./xades";

const SWEEP_EVERY_MS = 60_000;

serveJobs<SignerSetup, SignJob, SignAnswer>(async ({ kek, engine: choice }) => {
	const envelope = createEnvelope(kek);
	const { engine, fallback } = openEngine(choice);
	const keys = createKeyRing({ envelope, engine });
	setInterval(keys.sweep, SWEEP_EVERY_MS);
	return async (job) => {
		switch (job.do) {
			case "sign-invoice": {
				threadFaultPoint("sign-job");
				faultPoint("in-sign-thread");
				// The second of two checks, the first being at the door: nobody signs for a tenant with another's key.
				if (job.identity.tenantId !== job.tenantId) throw new Error("the identity belongs to another tenant");
				const signed = signDraft(job.draft, keys.open(job.identity), job.profile);
				threadFaultPoint("signed");
				return { signed };
			}
			case "sign-document": {
				if (job.identity.tenantId !== job.tenantId) throw new Error("the identity belongs to another tenant");
				const identity = keys.open(job.identity);
				const document = signXml(job.xml, identity, { profile: job.profile, signedAt: new Date(job.signedAt) });
				verifyOwnSignature(document, identity);
				return { document };
			}
			case "create-ephemeral": {
				const made = await createEphemeralIdentity({
					holderName: job.holderName,
					holderDocument: job.holderDocument,
					notBefore: new Date(job.notBefore),
					notAfter: new Date(job.notAfter),
				});
				return { certificate: sealKey(envelope, job.tenantId, made.certificateDer, made.pkcs8Der) };
			}
			case "import-pkcs12": {
				const taken = openPkcs12(job.bytes, job.password, new Date(job.validAt));
				try {
					proveIdentity(taken, engine);
					const sealed = sealKey(envelope, job.tenantId, taken.certificateDer, taken.pkcs8Der);
					return { certificate: { ...sealed, warnings: taken.warnings } };
				} finally {
					taken.pkcs8Der.fill(0);
				}
			}
			case "forget-key":
				keys.forget(job);
				return { forgotten: true };
			case "name-engine":
				return { engine: engine.name, fallback };
		}
	};
}, signSpelling);
