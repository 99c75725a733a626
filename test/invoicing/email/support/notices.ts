/** Notices as mail servers write them. */

const lines = (...all: readonly string[]) => all.join("\r\n");

/** A delivery status notification about a message of ours; members are replaced by `over`. */
export function statusNotice(over: {
	readonly id: string;
	readonly action?: string;
	readonly envelopeId?: string;
	readonly domain?: string;
	readonly returned?: boolean;
}): string {
	const { id, action = "failed", envelopeId, domain = "sello.example", returned = true } = over;
	return lines(
		"Return-Path: <>",
		"From: Mail Delivery System <MAILER-DAEMON@mx.client.example>",
		"To: no-reply@sello.example",
		"Subject: Undelivered Mail Returned to Sender",
		"Content-Type: multipart/report; report-type=delivery-status;",
		'\tboundary="mx/1.2"',
		"",
		"--mx/1.2",
		"Content-Type: text/plain",
		"",
		"I am sorry. Message-ID: <01920000-0000-7000-8000-000000000000@evil.example>",
		"",
		"--mx/1.2",
		"Content-Type: message/delivery-status",
		"",
		"Reporting-MTA: dns; mx.client.example",
		...(envelopeId === undefined ? [] : [`Original-Envelope-Id: ${envelopeId}`]),
		"",
		"Final-Recipient: rfc822; ana@client.example",
		`Action: ${action}`,
		"Status: 5.1.1",
		"Diagnostic-Code: smtp; 550 5.1.1 <ana@client.example>:",
		"    no such user",
		"",
		...(returned
			? [
					"--mx/1.2",
					"Content-Type: text/rfc822-headers",
					"",
					"From: no-reply@sello.example",
					`Message-ID: <${id}@${domain}>`,
					"",
				]
			: []),
		"--mx/1.2--",
		"",
	);
}

/** A reader's complaint, as providers pass it on. */
export function complaint(id: string, kind = "abuse"): string {
	return lines(
		"From: feedback@provider.example",
		"Content-Type: multipart/report; report-type=feedback-report; boundary=arf",
		"",
		"--arf",
		"Content-Type: message/feedback-report",
		"",
		`Feedback-Type: ${kind}`,
		"User-Agent: Provider/1",
		"Version: 1",
		"",
		"--arf",
		"Content-Type: message/rfc822",
		"",
		`Message-ID: <${id}@sello.example>`,
		"Subject: Factura",
		"",
		"Hola",
		"--arf--",
	);
}
