/** Fills an archive with invented documents through its own interface, without the rest of the service. */
import { type ArchiveObject, insertArchiveObjects, RETENTION_YEARS, sealDocument } from "../../../src/archive";
import { newId } from "../../../src/platform/values";
import type { Environment } from "./environment";

const AT_ONCE = 64;
const TENANTS = 8;
const DAY_MS = 86_400_000;
const FIRST_DECISION_MS = Date.UTC(2024, 0, 1);

/** Adds documents of a few tenants, decided over two years. */
export async function fillArchive({ sql, archive }: Environment, count: number): Promise<void> {
	const tenantIds = Array.from({ length: TENANTS }, () => newId());
	for (let first = 0; first < count; first += AT_ONCE) {
		const objects = await Promise.all(
			Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, i) => {
				return put({ archive }, tenantIds[(first + i) % TENANTS] ?? newId(), first + i, count);
			}),
		);
		await insertArchiveObjects(sql, objects);
	}
}

async function put({ archive }: Pick<Environment, "archive">, tenantId: string, n: number, count: number) {
	const docId = newId();
	const encf = `E31${String(n).padStart(10, "0")}`;
	const decidedAt = new Date(FIRST_DECISION_MS + Math.floor((n * 730 * DAY_MS) / count));
	const retainUntil = new Date(decidedAt);
	retainUntil.setUTCFullYear(retainUntil.getUTCFullYear() + RETENTION_YEARS);
	const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(1_500))).toString("base64");
	const sealed = sealDocument({
		...{ docId, tenantId, environment: "sandbox", encf, type: "31", status: "accepted", decidedAt, retainUntil },
		ecf: Buffer.from(`<ECF><eNCF>${encf}</eNCF><SignatureValue>${noise}</SignatureValue></ECF>`),
		request: JSON.stringify({ type: "31", encf }),
		answers: [{ at: decidedAt, operation: "result", httpStatus: 200, mediaType: "application/json", body: "{}" }],
		events: [{ version: 1, at: decidedAt.toISOString(), status: "accepted" }],
	});
	const sha256 = new Bun.CryptoHasher("sha256").update(sealed).digest("hex");
	const objectKey = `${tenantId}/${decidedAt.getUTCFullYear()}/${docId}-${sha256.slice(0, 16)}.zip`;
	const { bytes, versionId = null } = await archive.putOnce(objectKey, sealed, { retainUntil });
	return { docId, tenantId, objectKey, sha256, bytes, decidedAt, retainUntil, versionId } satisfies ArchiveObject;
}
