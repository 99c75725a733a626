/** The operations on e-mails: request one, list those of a document, and the hook for notices of mail servers. */

import { Type } from "@sinclair/typebox";
import { retryOnFailure } from "../../platform/database";
import { answerOnce, idempotencyKeyParameter, REPEATED, WRITE_PROBLEMS } from "../../platform/idempotency";
import {
	type Call,
	cutPage,
	json,
	jsonBody,
	NEEDS_BOTH,
	type Operation,
	PRIVATE_NO_STORE,
	pageParameters,
	pageSchema,
	readPageQuery,
} from "../../platform/operation";
import { msg } from "../../platform/problem";
import { ID_PATTERN } from "../../platform/values";
import { docIdParameter, findOwnInvoice, INVOICES_TAG } from "../invoices";
import {
	checkEmailRequest,
	type EmailDeps,
	EmailRecord,
	EmailRequest,
	EXAMPLE_REQUEST,
	QueuedEmail,
	RECIPIENTS_MAX,
	toEmailRecord,
	toQueuedEmail,
} from "./email";
import { MAILS_A_DAY_MAX, requestEmail } from "./request-email";
import { takeMailNoticeOperation } from "./routes-notices";
import { listEmails } from "./store";

export function emailOperations(deps: RouteTools): Operation[] {
	return [postEmailOperation(deps), listEmailsOperation(deps), takeMailNoticeOperation(deps)];
}

type RouteTools = Pick<EmailDeps, "sql" | "clock" | "wake" | "mailHookSecret">;

function postEmailOperation(deps: RouteTools): Operation {
	return {
		id: "emailInvoice",
		sdk: "invoices.email",
		method: "POST",
		path: "/v1/invoices/{docId}/email",
		tag: INVOICES_TAG,
		summary: "Send an invoice by e-mail",
		description:
			`Sends the printed document and the signed e-CF to at most ${RECIPIENTS_MAX} recipients, any time after the acknowledgement and at most ` +
			`${MAILS_A_DAY_MAX} times a day per document. Each recipient gets its own message in the company's name; replies go to the company's ` +
			"`email`. The message shows the document's standing when it is sent. `emails` of the invoice request sends such a message on acceptance. In the " +
			"public sandbox nothing leaves the service, and `sent` means that the message was composed. Companies of the demo key send no mail.",
		credentials: NEEDS_BOTH,
		scope: "invoices:write",
		parameters: [docIdParameter, idempotencyKeyParameter("gets the first answer again, and nothing is sent twice")],
		body: jsonBody(EmailRequest, EXAMPLE_REQUEST),
		answers: {
			202: {
				description: "The queued e-mail.",
				schema: QueuedEmail,
				headers: { Location: "The document's e-mails." },
			},
			200: { description: REPEATED, schema: QueuedEmail },
		},
		problems: [...WRITE_PROBLEMS, "not-found", "tenant-config-missing", "rate-limit-exceeded"],
		handle: (call) => postEmail(deps, call),
	};
}

function listEmailsOperation(deps: RouteTools): Operation {
	return {
		id: "listEmails",
		sdk: "invoices.listEmails",
		method: "GET",
		path: "/v1/invoices/{docId}/emails",
		tag: INVOICES_TAG,
		summary: "List the e-mails of an invoice, newest first",
		description:
			"`sent` means that a mail server accepted the message. `delivered`, `bounced` and `complained` come from reports, which not all servers send.",
		credentials: NEEDS_BOTH,
		scope: "invoices:read",
		parameters: [
			docIdParameter,
			...pageParameters({
				schema: Type.String({ pattern: ID_PATTERN, faultCode: "invalid-cursor", faultDetail: msg`Is not a cursor.` }),
			}),
		],
		answers: {
			200: {
				description: "A page of e-mails with their recipients.",
				schema: pageSchema(EmailRecord),
			},
		},
		problems: ["validation-error", "not-found"],
		handle: (call) => getEmails(deps, call),
	};
}

async function postEmail({ sql, clock, wake }: RouteTools, call: Call): Promise<Response> {
	const invoice = await findOwnInvoice(sql, call, call.params.docId);
	const answer = await answerOnce<EmailRequest>(
		sql,
		call,
		async (tx, request) => {
			const email = await requestEmail(tx, invoice, request, clock.now());
			const headers = { location: `/v1/invoices/${invoice.docId}/emails`, ...PRIVATE_NO_STORE };
			return { status: 202, body: toQueuedEmail(email), headers };
		},
		{ check: async (value) => checkEmailRequest(value) },
	);
	wake();
	return answer;
}

async function getEmails({ sql }: RouteTools, call: Call): Promise<Response> {
	const { limit, query } = readPageQuery(call);
	const invoice = await findOwnInvoice(sql, call, call.params.docId);
	const rows = await retryOnFailure(() => listEmails(sql, invoice, query.after, limit));
	const { page, place } = cutPage(rows, limit, ({ id }) => id);
	return json(200, { items: page.map(toEmailRecord), ...place }, PRIVATE_NO_STORE);
}
