/** How signing crosses to its threads and back as text; certificates that are taken in or made cross as they are. */
import type { Spelling } from "../../platform/worker-pool";
import type { SignedDocuments } from "./sign-ecf";
import type { SealedIdentity, SignAnswer, SignInvoiceJob, SignJob } from "./signer";

type JobHead = Pick<SignInvoiceJob, "tenantId" | "profile"> &
	Pick<SignInvoiceJob["draft"], "issuerRnc" | "signedAt"> & {
		readonly owner: Pick<SealedIdentity, "tenantId" | "thumbprint">;
	};
type IdentityText = readonly [certificate: string, sealedKey: string];

/** An identity is the same object for as long as its company does not change. */
const identityTexts = new WeakMap<SealedIdentity, IdentityText>();

function writeIdentity(identity: SealedIdentity): IdentityText {
	const known = identityTexts.get(identity);
	if (known) return known;
	const text = [toBase64(identity.certificateDer), toBase64(identity.sealedKey)] as const;
	identityTexts.set(identity, text);
	return text;
}

/** Nearly always the thread has opened the key already, and asks for nothing but its name. */
function readIdentity(owner: JobHead["owner"], certificate: string, sealedKey: string): SealedIdentity {
	return {
		...owner,
		get certificateDer() {
			return Uint8Array.from(Buffer.from(certificate, "base64"));
		},
		get sealedKey() {
			return Uint8Array.from(Buffer.from(sealedKey, "base64"));
		},
	};
}

const jobs: Spelling<SignJob> = {
	write(job) {
		if (job.do !== "sign-invoice") return undefined;
		const { tenantId, profile, identity, draft } = job;
		const { issuerRnc, signedAt, ecf, summary } = draft;
		const owner = { tenantId: identity.tenantId, thumbprint: identity.thumbprint };
		const head: JobHead = { tenantId, profile, issuerRnc, signedAt, owner };
		const texts = [...writeIdentity(identity), ecf];
		return { head, texts: summary === undefined ? texts : [...texts, summary] };
	},
	read({ head, texts }) {
		const { tenantId, profile, issuerRnc, signedAt, owner } = head as JobHead;
		const [certificate = "", sealedKey = "", ecf = "", summary] = texts;
		const draft = { issuerRnc, signedAt, ecf, ...(summary === undefined ? {} : { summary }) };
		return { do: "sign-invoice", tenantId, profile, identity: readIdentity(owner, certificate, sealedKey), draft };
	},
};

const answers: Spelling<SignAnswer> = {
	write(answer) {
		if (!("signed" in answer)) return undefined;
		const { ecf, summary, ...head } = answer.signed;
		return { head, texts: summary === undefined ? [ecf] : [ecf, summary] };
	},
	read({ head, texts }) {
		const [ecf = "", summary] = texts;
		const facts = head as Omit<SignedDocuments, "ecf" | "summary">;
		return { signed: { ...facts, ecf, ...(summary === undefined ? {} : { summary }) } };
	},
};

export const signSpelling = { jobs, answers };

function toBase64({ buffer, byteOffset, byteLength }: Uint8Array): string {
	return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}
