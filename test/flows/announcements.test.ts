/** An announcement in a service without a mail server: requested by the operator, sent by a worker thread, stored as a file. */
import { beforeAll, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { announce, readChangelog, titleOf } from "../../src/api/changelog";
import { newId } from "../../src/platform/values";
import { sharedService, type TestService } from "../support/service";
import { until } from "../support/until";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
}, 180_000);

test("an announced release becomes a mail file that links the changelog", async () => {
	const changelog = readChangelog();
	const release = changelog.find(({ version }) => !version.includes("-"));
	if (!release) throw new Error("nothing has been released yet");
	const address = `flow-${newId()}@client.example`;
	const key = { id: newId(), contactEmails: [address], ownerId: null, expiresAt: null, revokedAt: null };
	const keysThatCalled = async () => new Set<string>();
	const now = new Date(release.date);
	await announce({ sql: service.sql, changelog, keys: [key], keysThatCalled, now }, false);

	const folder = join(service.dataDir, "mail");
	const mails = () => {
		const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".eml")) : [];
		return names.map((name) => readFileSync(join(folder, name), "utf8")).filter((mail) => mail.includes(address));
	};
	const isRelease = (mail: string) => mail.includes(`Subject: Sello: ${titleOf(release)}\r\n`);
	await until(() => mails().some(isRelease), 120_000);
	const mail = mails().find(isRelease)?.replace(/=\r\n/g, "");
	expect(mail).toContain(`${service.url}/changelog#${release.area}-${release.version}`);
	expect((await fetch(`${service.url}/changelog`)).status).toBe(200);
}, 180_000);
