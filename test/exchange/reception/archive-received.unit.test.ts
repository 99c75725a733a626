/** Received documents in the archive are verified and restored like issued ones. */
import { expect, test } from "bun:test";
import { openSealed, restoreArchive, verifyArchive } from "../../../src/archive";
import { createArchiveReceived } from "../../../src/exchange/reception";
import { insertReceived } from "../../../src/exchange/reception/store";
import { append, LeaseLostError } from "../../../src/platform/outbox";
import { newId } from "../../../src/platform/values";
import { openTestDatabase } from "../../support/database";
import { holdMessage, letGo } from "../../support/held-messages";
import { archiveSealed, type Scene, withArchive } from "../../support/sealed-documents";

const TIMEOUT_MS = 120_000;
const XML = Buffer.from("\uFEFF<ECF>recibido</ECF>");
const ARECF = Buffer.from('<?xml version="1.0" encoding="UTF-8"?><ARECF/>');

async function addReceived({ sql }: Pick<Scene, "sql">): Promise<{ tenantId: string; id: string }> {
	const [tenantId, id] = [newId(), newId()];
	await sql`
		insert into companies (tenant_id, environment, authority_environment, rnc, name, plan, registry, settings)
		values (${tenantId}, 'sandbox', 'test', '990000001', 'COMPRADOR', 'free', '{}', '{}')`;
	await sql.begin((tx) =>
		insertReceived(
			tx,
			{
				...{ id, tenantId, issuerRnc: "101010101", issuerName: "PROVEEDOR", buyerRnc: "990000001", type: "31" },
				...{ encf: "E310000000001", issueDate: "2026-11-20", subtotal: "100.00", tax: "18.00", grandTotal: "118.00" },
				...{
					orderNumber: null,
					segment: "testecf",
					sha256: new Bun.CryptoHasher("sha256").update(XML).digest("hex"),
					signer: "IDCDO-1",
				},
				...{ securityCode: "a1B2c3", signedAtText: "20-11-2026 10:20:00", authorityStatus: "unknown", source: "peer" },
				receivedAt: new Date("2026-11-20T14:20:00.902Z"),
			},
			XML,
			ARECF,
		),
	);
	return { tenantId, id };
}

test(
	"a received document is one sealed object beside issued ones, and restorable",
	() =>
		withArchive(async (scene) => {
			await archiveSealed(scene, 3);
			const { tenantId, id } = await addReceived(scene);
			const archive = createArchiveReceived({ ...scene, environment: "sandbox" });
			await scene.sql.begin((tx) => append(tx, { kind: "", tenantId, subject: id }));
			const held = await holdMessage(scene.sql, id);
			// Again after a crash: the same object.
			expect([await archive(held), await archive(held)]).toEqual([{ kind: "done" }, { kind: "done" }]);
			// A holder that has lost its lease records nothing.
			await letGo(scene.sql, held);
			await expect(archive(held)).rejects.toThrow(LeaseLostError);
			const [row] = await scene.sql<{ key: string; encf: string; status: string }[]>`
				select sealed_object_key(tenant_id, doc_id, decided_at, sha256) as key, encf, status from seals where doc_id = ${id}`;
			expect(row).toMatchObject({ encf: "E310000000001", status: "received" });
			const sealed = openSealed(await scene.archive.get(row?.key ?? ""));
			expect(Buffer.from(sealed["ecf.xml"] ?? [])).toEqual(XML);
			expect(Buffer.from(sealed["answers/001-acknowledgement.xml"] ?? [])).toEqual(ARECF);

			expect(await verifyArchive(scene)).toMatchObject({
				objects: 4,
				verified: 4,
				faults: [],
			});
			const other = await openTestDatabase();
			try {
				const restored = await restoreArchive({ sql: other.sql, archive: scene.archive, environment: "sandbox" });
				expect(restored).toMatchObject({ restored: { objects: 4 }, verified: 4, faults: [] });
				expect([...(await other.sql`select encf, type, status from seals where doc_id = ${id}`)]).toEqual([
					{ encf: "E310000000001", type: "31", status: "received" },
				]);
			} finally {
				await other.close();
			}
		}),
	TIMEOUT_MS,
);
