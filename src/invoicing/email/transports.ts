/**
 * Where a company's mail may go.
 *
 * Gap: a key that everybody knows must not send mail to strangers in our name. In the public sandbox each mail is composed and given to
 * nobody. The companies of the demo key elsewhere, which belong to no owner, get files where others' mail goes to the server.
 */
import type { CompanyRow } from "../../companies";
import { type MailSettings, type MailTransport, openMailTransport, openNowhere } from "../../platform/mail";
import type { Environment } from "../../platform/values";

export type EmailTransports = {
	readonly of: (company: Pick<CompanyRow, "ownerId">) => MailTransport;
	readonly close: () => void;
};

/** `openServer` opens what leads to the mail server. */
export function openEmailTransports(
	settings: MailSettings,
	environment: Environment,
	openServer: (settings: MailSettings) => MailTransport = openMailTransport,
): EmailTransports {
	if (environment === "public-sandbox") {
		const nowhere = openNowhere(settings.from);
		return { of: () => nowhere, close: nowhere.close };
	}
	const [server, folder] = [openServer(settings), openMailTransport({ ...settings, smtpUrl: undefined })];
	return {
		of: ({ ownerId }) => (ownerId === null ? folder : server),
		close: () => {
			server.close();
			folder.close();
		},
	};
}
