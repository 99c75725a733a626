/**
 * What the authority declares of its own services: which are up, and when they are maintained.
 *
 * Model: the host wants a key of its own, which is granted on request and may be taken away, and the newest description of the services does not
 * name it any more. So nothing depends on it: no key, a refusal, silence and an answer of another kind all mean "not known", never "down".
 * Calls here are not reported to whoever measures: they tell nothing of the services that documents go to.
 * Source: the authority's technical description of its services, v1.6, service status.
 */
import type { Log } from "../../../platform/telemetry";
import { exchange, type TimeLimits } from "../exchange";
import { decodeBody, foldText, type Reading, readAnswer, textOf, toMembers } from "../read-answer";
import { isSuccess } from "../reply";
import type { Segment } from "../segment";
import { type MaintenanceWindow, readWindows, segmentNamed } from "./windows";

/** The authority's own words for the state of a service or of an environment, as far as they are known. */
export type DeclaredStatus = "Disponible" | "No Disponible";

/** `title` is the authority's name for the service, such as `Consulta Resultado`. */
export type DeclaredService = {
	readonly segment: Segment;
	readonly title: string;
	readonly status: DeclaredStatus;
};

/** Each answers undefined when it could not be learned. None throws. */
export type StatusHost = {
	readonly services: () => Promise<readonly DeclaredService[] | undefined>;
	readonly windows: () => Promise<readonly MaintenanceWindow[] | undefined>;
	/** `Disponible` means that the environment is not being maintained. */
	readonly environment: (segment: Segment) => Promise<DeclaredStatus | undefined>;
};

export type StatusHostOptions = TimeLimits & {
	readonly url: string;
	/** Absent: asked without one, which is most likely refused. */
	readonly key: string | undefined;
	readonly log: Log;
};

const numbers: Readonly<Record<Segment, string>> = { testecf: "1", ecf: "2", certecf: "3" };
const SERVICES_MAX = 200;

export function openStatusHost(options: StatusHostOptions): StatusHost {
	async function ask(action: string, query: Readonly<Record<string, string>> = {}): Promise<Reading | undefined> {
		const url = new URL(options.url);
		url.pathname = `${url.pathname.replace(/\/$/, "")}/api/estatusservicios/${action}`;
		url.search = new URLSearchParams(query).toString();
		const headers: Record<string, string> = { accept: "application/json" };
		if (options.key !== undefined) headers.authorization = `Apikey ${options.key}`;
		const result = await exchange({ method: "GET", url, headers }, options);
		const isAnswered = result.reached === "answer" && isSuccess(result.answer.status);
		if (isAnswered) return readAnswer(decodeBody(result.answer));
		const detail = result.reached === "answer" ? `HTTP ${result.answer.status}` : result.detail;
		options.log.debug({ action, detail }, "the authority's status host told nothing");
		return undefined;
	}
	return {
		async services() {
			const reading = await ask("obtenerestatus");
			return reading?.form === "list" ? reading.items.slice(0, SERVICES_MAX).flatMap(readService) : undefined;
		},
		async windows() {
			const reading = await ask("obtenerventanasmantenimiento");
			return reading && readWindows(reading);
		},
		async environment(segment) {
			const reading = await ask("verificarestado", { ambiente: numbers[segment] });
			return reading?.form === "members" ? readStatus(textOf(reading.members, "estado")) : undefined;
		},
	};
}

function readService(item: unknown): DeclaredService[] {
	const members = toMembers(item);
	const title = members && textOf(members, "servicio");
	const segment = members && segmentNamed(textOf(members, "ambiente") ?? "");
	const status = members && readStatus(textOf(members, "estatus"));
	return title && segment && status ? [{ segment, title, status }] : [];
}

function readStatus(word: string | undefined): DeclaredStatus | undefined {
	const folded = foldText(word ?? "");
	if (folded === "disponible") return "Disponible";
	return folded === "no disponible" ? "No Disponible" : undefined;
}
