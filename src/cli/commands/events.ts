/** Commands on events: listening, forwarding with a signature, and making them happen. */
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { buildInvoice, type FeedEvent } from "../../sdk/typescript";
import { UsageError } from "../arguments";
import { type Context, checkAddress, Refusal, type Result, reasonOf } from "../context";
import { findIssuer, showInvoice } from "./invoices";

const FORWARD_TIMEOUT_MS = 10_000;

/** Events that a sandbox makes of a real document, with the scenario that leads to them. */
const SCENARIOS: Readonly<Record<string, string>> = {
	"invoice.accepted": "accept",
	"invoice.rejected": "reject",
	"invoice.failed": "fail",
};

type Event = { readonly event: string } & Readonly<Record<string, unknown>>;

export function listen(context: Context): Promise<undefined> {
	const { args } = context;
	const forward = readForward(context);
	const secret = readSecret(context) ?? (forward === undefined ? undefined : createSecret());
	const types = args.text("types");
	const target = forward === undefined || secret === undefined ? undefined : { url: forward, secret };
	return follow(context, { ...(types === undefined ? {} : { types }), ...(target ? { target } : {}) });
}

export function tailInvoices(context: Context): Promise<undefined> {
	return follow(context, { types: "invoice.*" });
}

type Target = { readonly url: string; readonly secret: string };

/** Prints events until it is interrupted, and posts each to the target. */
async function follow(
	context: Context,
	{ types, target }: { readonly types?: string; readonly target?: Target },
): Promise<undefined> {
	const { account, args, isJson, note, print, t } = context;
	const { events } = context.connect();
	// A filter that matches nothing leads to the end of the feed.
	const after = args.text("after") ?? (await events.list({ types: "nothing.at_all" })).next;
	if (target)
		note(
			t(
				`forwarding to ${target.url}, signed with ${target.secret}`,
				`se entrega a ${target.url}, firmado con ${target.secret}`,
			),
		);
	note(
		t(
			`listening at ${account.url} after event ${after}; Ctrl+C ends`,
			`escuchando en ${account.url} después del evento ${after}; Ctrl+C termina`,
		),
	);
	for await (const event of events.stream({ after, ...(types === undefined ? {} : { types }) })) {
		const outcome = target && (await forward(target, event));
		if (isJson) print(JSON.stringify(outcome === undefined ? event : { ...event, forwarded: outcome }));
		else print([describe(context, event), ...(outcome === undefined ? [] : [`→ ${outcome}`])].join("  "));
	}
	return undefined;
}

function describe({ paint }: Context, event: FeedEvent): string {
	const {
		sequence,
		event: name,
		docId,
		encf,
		authority,
	} = event as FeedEvent & {
		readonly encf?: string;
		readonly authority?: { readonly code?: string };
	};
	const time = new Date().toTimeString().slice(0, 8);
	const style = name.endsWith(".accepted") ? "green" : /\.(rejected|failed|undelivered)$/.test(name) ? "red" : "bold";
	const code = authority?.code;
	const shown = name === "invoice.rejected" && code !== undefined ? `  ${code}` : "";
	return `${time}  ${String(sequence).padStart(6)}  ${paint(style, name.padEnd(24))}  ${encf ?? docId}${shown}`;
}

/** Posts an event as the service does. Returns what came of it. */
async function forward({ url, secret }: Target, event: Event): Promise<string> {
	const body = JSON.stringify(event);
	const from = performance.now();
	try {
		const answer = await fetch(url, {
			...{ method: "POST", body, redirect: "manual", headers: sign(secret, event.event, body) },
			signal: AbortSignal.timeout(FORWARD_TIMEOUT_MS),
		});
		await answer.arrayBuffer();
		return `${answer.status} in ${Math.round(performance.now() - from)} ms`;
	} catch (error) {
		return reasonOf(error);
	}
}

/** Both families of headers of a delivery. Source: the guide to webhooks; Standard Webhooks 1.0.0. */
function sign(secret: string, event: string, body: string): Record<string, string> {
	const t = Math.floor(Date.now() / 1_000);
	const id = randomUUID();
	const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
	return {
		"content-type": "application/json",
		"user-agent": "sello-cli",
		"x-service-event": event,
		"x-service-signature": `t=${t},v1=${createHmac("sha256", secret).update(`${t}.${body}`).digest("hex")}`,
		"x-service-delivery": id,
		"x-service-attempt": "1",
		"webhook-id": id,
		"webhook-timestamp": String(t),
		"webhook-signature": `v1,${createHmac("sha256", key).update(`${id}.${t}.${body}`).digest("base64")}`,
	};
}

function createSecret(): string {
	return `whsec_${randomBytes(32).toString("base64")}`;
}

function readForward({ args, t }: Context): string | undefined {
	const url = args.text("forward");
	if (url !== undefined) checkAddress("--forward", url, t);
	return url;
}

/** The value is a secret and is not repeated. Throws: UsageError. */
function readSecret({ args, t }: Context): string | undefined {
	const secret = args.text("secret");
	if (secret === undefined || secret.startsWith("whsec_")) return secret;
	throw new UsageError(t("expected --secret whsec_…, whole", "se esperaba --secret whsec_…, completo"));
}

export async function trigger(context: Context): Promise<Result> {
	const { args, account, t } = context;
	const name = args.operand ?? "";
	const url = readForward(context);
	const secret = readSecret(context) ?? createSecret();
	const scenario = SCENARIOS[name];
	if (scenario !== undefined) {
		if (account.apiKey?.startsWith("ak_live_"))
			throw new Refusal(
				t("real documents are made in sandboxes only", "solo en los ambientes de pruebas se crean comprobantes reales"),
			);
		const line = { description: "Café molido 1 lb", quantity: "1", unitPrice: "100.00", taxRate: "18" as const };
		const body = buildInvoice({ type: "32", company: await findIssuer(context), lines: [line] });
		const made = await context.connect().invoices.create(body, { scenario: JSON.stringify({ scenario }) });
		return { ...showInvoice(context, made), exitCode: 0 };
	}
	const example = await findExample(context, name);
	if (url === undefined)
		throw new UsageError(
			t(`${name} needs --forward: it is a test event`, `${name} necesita --forward: es un evento de prueba`),
		);
	const event = { ...example, event: name, occurredAt: new Date().toISOString(), test: true };
	const outcome = await forward({ url, secret }, event);
	return {
		data: { event, forwarded: outcome, secret },
		lines: [t(`${name} to ${url}, signed with ${secret}`, `${name} a ${url}, firmado con ${secret}`), `→ ${outcome}`],
		exitCode: /^2\d\d /.test(outcome) ? 0 : 1,
	};
}

type Webhooks = Readonly<
	Record<
		string,
		{ post?: { requestBody?: { content?: Record<string, { examples?: { sent?: { value?: object } } }> } } }
	>
>;

/** The event as the interface's description shows it. Throws: UsageError for an unknown one. */
async function findExample(context: Context, name: string): Promise<object> {
	const { webhooks = {} } = (await context.connectPublic().service.getOpenApi()) as { readonly webhooks?: Webhooks };
	const value = webhooks[name]?.post?.requestBody?.content?.["application/json"]?.examples?.sent?.value;
	if (value !== undefined) return value;
	const known = Object.keys(webhooks).join(", ");
	throw new UsageError(
		context.t(`unknown event ${name}; known: ${known}`, `evento desconocido ${name}; conocidos: ${known}`),
	);
}
