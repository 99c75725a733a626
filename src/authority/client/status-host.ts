/**
 * What the authority declares about its own services: which are up, and when they are under maintenance.
 *
 * Model: the host needs its own key, which is granted on request and may be revoked. The newest description of the services no longer mentions
 * the host, so nothing depends on it. No key, a refusal, no answer and an unexpected answer all mean "not known", never "down". Calls are not
 * reported to the call counter, since they say nothing about the services that receive documents.
 * Source: the authority's technical description of its services, v1.6, service status.
 */
import type { Log } from "../../platform/telemetry";
import { isIsoDate } from "../../platform/values";
import type { Segment } from "./addresses";
import { exchange, type TimeLimits } from "./exchange";
import { decodeBody, foldText, type Reading, readAnswer, textOf, toMembers } from "./read-answer";
import { isSuccess } from "./reply";

/** The authority's words for the state of a service or an environment, as far as they are known. */
export type DeclaredStatus = "Disponible" | "No Disponible";

/** `title` is the authority's name for the service, such as `Consulta Resultado`. */
export type DeclaredService = {
	readonly segment: Segment;
	readonly title: string;
	readonly status: DeclaredStatus;
};

/** Each returns undefined when the state could not be read. None throws. */
export type StatusHost = {
	readonly services: () => Promise<readonly DeclaredService[] | undefined>;
	readonly windows: () => Promise<readonly MaintenanceWindow[] | undefined>;
	/** `Disponible` means that the environment is not under maintenance. */
	readonly environment: (segment: Segment) => Promise<DeclaredStatus | undefined>;
};

export type StatusHostOptions = TimeLimits & {
	readonly url: string;
	/** Absent: queried without a key, which is most likely refused. */
	readonly key: string | undefined;
	readonly log: Log;
};

const numbers: Readonly<Record<Segment, string>> = { testecf: "1", ecf: "2", certecf: "3" };
const SERVICES_MAX = 200;

export function createStatusHost(options: StatusHostOptions): StatusHost {
	async function query(
		action: string,
		parameters: Readonly<Record<string, string>> = {},
	): Promise<Reading | undefined> {
		const url = new URL(options.url);
		url.pathname = `${url.pathname.replace(/\/$/, "")}/api/estatusservicios/${action}`;
		url.search = new URLSearchParams(parameters).toString();
		const headers: Record<string, string> = { accept: "application/json" };
		if (options.key !== undefined) headers.authorization = `Apikey ${options.key}`;
		const result = await exchange({ method: "GET", url, headers }, options);
		const isAnswered = result.reached === "answer" && isSuccess(result.answer.status);
		if (isAnswered) return readAnswer(decodeBody(result.answer));
		const detail = result.reached === "answer" ? `HTTP ${result.answer.status}` : result.detail;
		options.log.debug(
			{ event: "authority-status-host.unavailable", action, detail },
			"no answer from the authority's status host",
		);
		return undefined;
	}
	return {
		async services() {
			const reading = await query("obtenerestatus");
			return reading?.form === "list" ? reading.items.slice(0, SERVICES_MAX).flatMap(readService) : undefined;
		},
		async windows() {
			const reading = await query("obtenerventanasmantenimiento");
			return reading && readWindows(reading);
		},
		async environment(segment) {
			const reading = await query("verificarestado", { ambiente: numbers[segment] });
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

/*
 * Announced maintenance windows, as instants.
 *
 *     { "ambiente": "Produccion", "horaInicio": "9:00 AM", "horaFin": "12:00 PM", "dias": ["06-08-2020"] }
 *
 * Days are `dd-MM-yyyy` and hours use a 12-hour clock, both in the authority's local time (UTC-4 all year). A window that ends at or before
 * its start continues into the next day. Entries that cannot be read exactly are left out, such as a day that does not exist.
 * Source: the authority's technical description of its services, service status.
 */

export type MaintenanceWindow = { readonly segment: Segment; readonly from: Date; readonly to: Date };

const WINDOWS_MAX = 500;
const DAY_MS = 86_400_000;

const segmentByName: Readonly<Record<string, Segment>> = {
	precertificacion: "testecf",
	certificacion: "certecf",
	produccion: "ecf",
};

/** The authority's environment for the name that the status host uses; undefined for any other word. */
export function segmentNamed(ambiente: string): Segment | undefined {
	return segmentByName[foldText(ambiente)];
}

/** The windows of an answer in the order of their start; undefined when the answer has another form. */
export function readWindows(reading: Reading): MaintenanceWindow[] | undefined {
	const listed = reading.form === "members" ? reading.members.get("ventanamantenimientos") : undefined;
	const items = reading.form === "list" ? reading.items : listed;
	if (!Array.isArray(items)) return undefined;
	return items
		.flatMap(readOne)
		.sort((a, b) => a.from.getTime() - b.from.getTime())
		.slice(0, WINDOWS_MAX);
}

function readOne(item: unknown): MaintenanceWindow[] {
	const members = toMembers(item);
	const segment = members && segmentNamed(textOf(members, "ambiente") ?? "");
	const days = members?.get("dias");
	if (!members || !segment || !Array.isArray(days)) return [];
	const fromMinutes = readTime(textOf(members, "horainicio") ?? "");
	const toMinutes = readTime(textOf(members, "horafin") ?? "");
	if (fromMinutes === undefined || toMinutes === undefined) return [];
	return days.flatMap((day) => {
		const midnightMs = typeof day === "string" ? readDay(day) : undefined;
		if (midnightMs === undefined) return [];
		const at = (minutes: number) => midnightMs + minutes * 60_000;
		const endMs = toMinutes > fromMinutes ? at(toMinutes) : at(toMinutes) + DAY_MS;
		return [{ segment, from: new Date(at(fromMinutes)), to: new Date(endMs) }];
	});
}

/** Midnight of a day in the authority's local time, in milliseconds; undefined for a day that does not exist. */
function readDay(text: string): number | undefined {
	const [, day, month, year] = /^(\d\d)-(\d\d)-(\d{4})$/.exec(text.trim()) ?? [];
	const iso = `${year}-${month}-${day}`;
	return isIsoDate(iso) ? Date.parse(`${iso}T00:00:00-04:00`) : undefined;
}

/** Minutes since midnight: `12:00 AM` is 0, `12:00 PM` is noon. Letter case and the full stops of `p. m.` do not matter. */
function readTime(text: string): number | undefined {
	const plain = text.replace(/[.\s]/g, "").toUpperCase();
	const [, hours, minutes, half] = /^(0?[1-9]|1[0-2]):([0-5]\d)(AM|PM)$/.exec(plain) ?? [];
	if (hours === undefined) return undefined;
	return ((Number(hours) % 12) + (half === "PM" ? 12 : 0)) * 60 + Number(minutes);
}
