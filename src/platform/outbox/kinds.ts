/** Every kind of outbox message. The values stand in the database, so a kind is never renamed. A kind has exactly one handler, see `app/worker`. */
export const OUTBOX_KINDS = {
	submitInvoice: "invoice.submit",
	archiveInvoice: "invoice.archive",
	emailInvoice: "invoice.email",
	emailOnRequest: "invoice.asked-mail",
	deliverToBuyer: "buyer.deliver",
	voidSequence: "sequence.void",
	advanceTestSet: "certification.advance",
	archiveReceived: "received.archive",
	queryReceived: "received.ask-authority",
	archiveApproval: "approval.archive",
	applyApprovalRule: "approval.rule",
	sendApprovalToIssuer: "approval.issuer",
	sendApprovalToAuthority: "approval.authority",
	deliverWebhook: "webhook.deliver",
	probeEndpoint: "webhook.probe",
	buildExport: "archive.export",
	joinWatchlists: "registry.join",
	queueDigests: "registry.digests",
	sendDigest: "registry.digest",
	fillWatchlist: "registry.fill",
	announceRelease: "mail.announce",
	mailPerson: "mail.person",
} as const;

/** While a message of these kinds waits, an object of its subject may be in the archive without a row in the index. */
export const ARCHIVE_KINDS = [
	OUTBOX_KINDS.archiveInvoice,
	OUTBOX_KINDS.archiveReceived,
	OUTBOX_KINDS.archiveApproval,
] as const;
