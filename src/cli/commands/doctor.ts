/** What usually is wrong when an integration does not work, checked in the order in which it matters. */
import { connect as connectTls } from "node:tls";
import { type Context, type Result, reasonOf } from "../context";
import { EXIT } from "../take-order";
import { readClaims } from "./account";

type Verdict = "ok" | "warning" | "fault";
type Finding = { readonly check: string; readonly verdict: Verdict; readonly detail: string };

const TIMEOUT_MS = 10_000;
const DAY_MS = 86_400_000;
/** Signatures and tokens are judged by the time. */
const SKEW_S = { warning: 5, fault: 240 } as const;
/** What an integration needs as a rule. */
const SCOPES = ["invoices:write", "invoices:read", "events:read", "registry:read"];

export async function examine(context: Context): Promise<Result> {
	const { paint, table, t } = context;
	const findings: Finding[] = [];
	const add = (check: string, verdict: Verdict, detail: string) => findings.push({ check, verdict, detail });
	const exitCode = await run(context, add);
	const marks = {
		ok: paint("green", "ok"),
		warning: paint("yellow", t("warning", "aviso")),
		fault: paint("red", t("FAULT", "FALLA")),
	};
	return {
		data: { ok: exitCode === EXIT.done, findings },
		lines: table(findings.map(({ check, verdict, detail }) => [check, marks[verdict], detail])),
		exitCode,
	};
}

type Add = (check: string, verdict: Verdict, detail: string) => void;

/** Returns the exit code. What depends on a fault is not checked. */
async function run(context: Context, add: Add): Promise<number> {
	const { account, t } = context;
	const address = new URL(account.url);
	const from = performance.now();
	const health = await fetch(`${account.url}/health`, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
		(error: unknown) => error as Error,
	);
	const ms = Math.round(performance.now() - from);
	if (!("status" in health)) {
		add(t("address", "dirección"), "fault", `${account.url}: ${reasonOf(health)}`);
		return EXIT.network;
	}
	add(t("address", "dirección"), health.ok ? "ok" : "warning", `${account.url}, HTTP ${health.status}, ${ms} ms`);
	await health.arrayBuffer();
	await checkTls(context, address, add);
	const skew = checkClock(context, health, ms, add);
	const credentials = await checkCredentials(context, add);
	if (credentials !== EXIT.done) return credentials;
	await checkWebhooks(context, add);
	return skew;
}

async function checkTls({ t }: Context, { protocol, hostname, port }: URL, add: Add): Promise<void> {
	if (protocol !== "https:") {
		const isLocal = /^(localhost|127\.|\[::1\])/.test(hostname);
		add(
			"TLS",
			isLocal ? "ok" : "warning",
			isLocal
				? t("not needed on this machine", "no se necesita en este equipo")
				: t("credentials travel unprotected: use https", "las credenciales viajan sin protección: use https"),
		);
		return;
	}
	const end = await new Promise<string | undefined>((resolve) => {
		const socket = connectTls(
			{ host: hostname, port: Number(port) || 443, servername: hostname, timeout: TIMEOUT_MS },
			() => {
				resolve(socket.getPeerCertificate().valid_to);
				socket.end();
			},
		);
		for (const event of ["error", "timeout"]) socket.on(event, () => resolve(undefined));
	});
	if (end === undefined) return;
	const days = Math.floor((Date.parse(end) - Date.now()) / DAY_MS);
	add(
		"TLS",
		days < 7 ? "warning" : "ok",
		t(`certificate ends in ${days} days`, `el certificado termina en ${days} días`),
	);
}

function checkClock({ t }: Context, { headers }: Response, ms: number, add: Add): number {
	const date = headers.get("date");
	if (date === null) return EXIT.done;
	// The header has whole seconds.
	const skew = Math.max(0, Math.abs(Date.now() - ms / 2 - Date.parse(date) - 500) / 1_000 - 0.5);
	const verdict = skew > SKEW_S.fault ? "fault" : skew > SKEW_S.warning ? "warning" : "ok";
	add(
		t("clock", "reloj"),
		verdict,
		t(`${skew.toFixed(1)} s from the service's`, `a ${skew.toFixed(1)} s del reloj del servicio`),
	);
	return verdict === "fault" ? EXIT.refused : EXIT.done;
}

async function checkCredentials(context: Context, add: Add): Promise<number> {
	const { account, t } = context;
	const name = t("credentials", "credenciales");
	try {
		// Any read shows whether the key is good, and its answer has the rates.
		const headers = { "x-api-key": account.apiKey ?? "" };
		const answer = await fetch(`${account.url}/v1/authority/registry/status`, {
			headers,
			signal: AbortSignal.timeout(TIMEOUT_MS),
		});
		await answer.arrayBuffer();
		if (answer.status === 401) {
			add(
				name,
				"fault",
				account.apiKey
					? t("the key is unknown", "la clave es desconocida")
					: t("none: sello login", "ninguna: sello login"),
			);
			return EXIT.credentials;
		}
		if (account.clientId === undefined) {
			add(name, "ok", t("a key without a company", "una clave sin empresa"));
		} else {
			const { environment, scope = "" } = await readClaims(context.connect(), account);
			add(name, "ok", `${environment}, ${account.name ?? account.clientId}`);
			const missing = SCOPES.filter((one) => !scope.split(" ").includes(one));
			add(
				t("scopes", "permisos"),
				missing.length === 0 ? "ok" : "warning",
				missing.length === 0
					? String(scope.split(" ").length)
					: t(`without ${missing.join(", ")}`, `sin ${missing.join(", ")}`),
			);
		}
		addRates(context, answer, add);
		return EXIT.done;
	} catch (error) {
		add(name, "fault", (error as Error).message);
		return EXIT.credentials;
	}
}

/** Source: draft-ietf-httpapi-ratelimit-headers: quota, window, what is left. */
function addRates({ t }: Context, { headers }: Response, add: Add): void {
	const [, quota, seconds] = /;q=(\d+);w=(\d+)/.exec(headers.get("ratelimit-policy") ?? "") ?? [];
	const [, left] = /;r=(\d+)/.exec(headers.get("ratelimit") ?? "") ?? [];
	if (left === undefined || quota === undefined) return;
	const detail = t(`${left} of ${quota} left in ${seconds} s`, `quedan ${left} de ${quota} en ${seconds} s`);
	add(t("rates", "límites"), left === "0" ? "warning" : "ok", detail);
}

async function checkWebhooks(context: Context, add: Add): Promise<void> {
	const { account, t } = context;
	if (account.clientId === undefined) return;
	const { webhooks } = context.connect();
	try {
		const { items } = await webhooks.list({ limit: 100 });
		if (items.length === 0)
			add("webhooks", "ok", t("none; events can be read instead", "ninguno; los eventos también se pueden leer"));
		for (const { url, status } of items) add("webhook", status === "enabled" ? "ok" : "warning", `${url}: ${status}`);
		const dead = await webhooks.listDeliveries({ status: "dead", limit: 1 });
		const last = dead.items[0];
		if (last)
			add(
				t("deliveries", "entregas"),
				"warning",
				t(`given up, the last ${last.event}: ${last.reason}`, `abandonadas, la última ${last.event}: ${last.reason}`),
			);
	} catch (error) {
		add("webhooks", "warning", (error as Error).message);
	}
}
