/** Processes that are killed while they send a decision: the next one sends the same bytes, and it arrives everywhere once. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { APPROVAL_FAILPOINTS } from "../../../src/platform/failpoints";
import { callerOf } from "../../simulator/support/authority";
import { startService } from "../../support/processes";
import { createTenant, get, openServiceIn } from "../../support/service";
import { decideOn, decisionsAtAuthority, untilSent, WAIT_MS, xmlOf } from "./support/words";

const TIMEOUT_MS = 240_000;

test(
	"killed when it is signed, and between the issuer and the authority",
	async () => {
		// Only the processes below handle messages.
		const service = await openServiceIn("sandbox", { ROLE: "api" });
		try {
			const buyer = await createTenant(service);
			const authority = callerOf(service.simulatorUrl);
			const order = { rnc: buyer.rnc, tipoEncf: "31", urlRecepcion: service.url, urlAutenticacion: service.url };
			const pushed = await authority.call("/testecf/emisorreceptor/api/emision/emisioncomprobantes", {
				...{ method: "POST", body: JSON.stringify(order), headers: await authority.bearer() },
			});
			const encf = /<eNCF>(.*?)</.exec(await pushed.text())?.[1] ?? "";
			const list = await get(service, "/v1/received-documents", buyer.headers);
			const [document] = ((await list.json()) as { items: { id: string }[] }).items;
			const { approvalId } = await decideOn(service, buyer, document?.id ?? "");

			const work = (failpoint?: string) =>
				startService(
					{
						...{ ROLE: "worker", PORT: "0", NODE_ENV: "test", LOG_LEVEL: "info", SHARD_LEASE_SECONDS: "2" },
						...{ DATABASE_URL: service.databaseUrl, DATA_DIR: join(service.dataDir, "worker") },
						...{ KEK_FILE: join(service.dataDir, "kek"), AUTHORITY_URL: service.simulatorUrl },
						...{ AUTHORITY_FC_URL: service.simulatorUrl, AUTHORITY_STATUS_URL: service.simulatorUrl },
						...{ ARCHIVE_URL: join(service.dataDir, "archive"), EXPORTS_DIR: join(service.dataDir, "exports") },
						...(failpoint === undefined ? {} : { FAULT_POINT: `${failpoint}:1` }),
					},
					join(service.dataDir, "worker.log"),
				);
			const seen: string[] = [];
			for (const point of APPROVAL_FAILPOINTS) {
				expect(await work(point).ended).toBe("SIGKILL");
				seen.push(await xmlOf(service, buyer, approvalId));
			}
			const last = work();
			try {
				expect(await untilSent(service, buyer, approvalId)).toMatchObject({
					...{ status: "sent", delivery: { issuer: "sent", authority: "sent" } },
				});
			} finally {
				last.kill("SIGTERM");
				await last.ended;
			}
			expect(new Set(seen)).toEqual(new Set([await xmlOf(service, buyer, approvalId)]));
			const sha256 = new Bun.CryptoHasher("sha256").update(seen[0] ?? "").digest("hex");
			expect(await decisionsAtAuthority(service, encf)).toMatchObject([{ sha256 }]);
			const lost = await service.sql`
				select 1 from approval_papers i where approval_id = ${approvalId} and kind = 'intent'
					and not exists (select 1 from approval_papers r where r.approval_id = i.approval_id and r.attempt = i.n)`;
			expect(lost.length).toBeGreaterThanOrEqual(1);
		} finally {
			await service.stop();
		}
	},
	Math.max(TIMEOUT_MS, WAIT_MS),
);
