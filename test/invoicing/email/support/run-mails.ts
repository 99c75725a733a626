/** Carries mails out: as a part of a test, or as a program of its own that can be killed. Its settings come as JSON in `MAILS`. */

import { createAuthorityStatus } from "../../../../src/authority/status";
import { createPrinter } from "../../../../src/ecf/printing";
import { createSendEmail, openEmailTransports } from "../../../../src/invoicing/email";
import { connect } from "../../../../src/platform/database";
import { OUTBOX_KINDS, startDispatcher } from "../../../../src/platform/outbox";
import { createLog, createMetrics } from "../../../../src/platform/telemetry";
import { type Environment, systemClock } from "../../../../src/platform/values";
import { withoutArchive } from "../../../support/documents";

export type MailsSetup = {
	readonly databaseUrl: string;
	readonly smtpUrl: string | undefined;
	readonly directory: string;
	readonly environment: Environment;
	readonly wantsNotices: boolean;
};

/** Answers how to stop. */
export function runMails(setup: MailsSetup): () => Promise<void> {
	const { databaseUrl, smtpUrl, directory, environment, wantsNotices } = setup;
	const log = createLog(process.env.TEST_LOG_LEVEL ?? "silent", "mails");
	const sql = connect({ url: databaseUrl, name: "mails", connectionsMax: 4 });
	const transports = openEmailTransports({ smtpUrl, directory, from: "no-reply@sello.example" }, environment);
	const printer = createPrinter({ log });
	const send = createSendEmail({
		...{ ...withoutArchive(sql), transports, printer, environment, wantsNotices, clock: systemClock, log },
		authorityStatus: createAuthorityStatus({ sql }),
	});
	const handlers = { [OUTBOX_KINDS.emailInvoice]: send };
	const dispatcher = startDispatcher({ sql, log, metrics: createMetrics(), slots: 4, leaseSeconds: 60, handlers });
	return async () => {
		await dispatcher.stop(10_000);
		transports.close();
		await printer.close();
		await sql.end({ timeout: 2 });
	};
}

if (import.meta.main) runMails(JSON.parse(process.env.MAILS ?? "{}") as MailsSetup);
