/** The mails of a service without a mail server: files in its data folder. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Oldest first, decoded from quoted-printable as bytes. */
export function mailsTo({ dataDir }: { readonly dataDir: string }, address: string): string[] {
	const folder = join(dataDir, "mail");
	const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".eml")) : [];
	return names
		.sort()
		.map((name) => readFileSync(join(folder, name), "utf8"))
		.filter((text) => text.includes(`To: ${address}`))
		.map((text) =>
			text.replace(/=\r\n/g, "").replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
		);
}
