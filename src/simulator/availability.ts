/**
 * Which services are declared up, their maintenance windows, and outages of the whole host. Tests set them; they live in memory. By default
 * everything is up.
 */
import { toAuthorityDateTime } from "../platform/values";

export const AMBIENTS = ["PreCertificacion", "Produccion", "Certificacion"] as const;
export type Ambient = (typeof AMBIENTS)[number];

export const SERVICES = [
	"Autenticación",
	"Recepción",
	"Consulta Resultado",
	"Consulta Estado",
	"Consulta Directorio",
	"Consulta TrackIds",
	"Aprobación Comercial",
	"Anulación Rangos",
	"Recepción FC",
] as const;
export type ServiceTitle = (typeof SERVICES)[number];

/** In the authority's spelling. */
export type MaintenanceWindow = {
	readonly ambiente: Ambient;
	/** `9:00 AM`, like the end. */
	readonly horaInicio: string;
	readonly horaFin: string;
	/** `dd-MM-yyyy`. */
	readonly dias: readonly string[];
};

export type Availability = ReturnType<typeof createAvailability>;

export function createAvailability() {
	let windows: readonly MaintenanceWindow[] = [];
	const down = new Set<string>();
	const nameOf = (ambient: Ambient, service: ServiceTitle) => `${ambient} ${service}`;
	return {
		windows: () => windows,
		addWindow(window: MaintenanceWindow): void {
			windows = [...windows, window];
		},
		setDown(ambient: Ambient, service: ServiceTitle, isDown: boolean): void {
			if (isDown) down.add(nameOf(ambient, service));
			else down.delete(nameOf(ambient, service));
		},
		isUp: (ambient: Ambient, service: ServiceTitle) => !down.has(nameOf(ambient, service)),
		isMaintained: (ambient: Ambient, now: Date) =>
			windows.some((window) => window.ambiente === ambient && contains(window, now)),
		clear(): void {
			windows = [];
			down.clear();
		},
	};
}

/** By the authority's wall clock; the end is not part of the window. */
function contains({ dias, horaInicio, horaFin }: MaintenanceWindow, now: Date): boolean {
	const [day = "", time = ""] = toAuthorityDateTime(now).split(" ");
	const [hours = 0, minutes = 0] = time.split(":").map(Number);
	const at = hours * 60 + minutes;
	return dias.includes(day) && toMinutes(horaInicio) <= at && at < toMinutes(horaFin);
}

export const TIME_PATTERN = "^(1[0-2]|[1-9]):[0-5][0-9] (AM|PM)$";

function toMinutes(time: string): number {
	const [, hours = "0", minutes = "0", half] = /^(\d+):(\d+) (AM|PM)$/.exec(time) ?? [];
	return ((Number(hours) % 12) + (half === "PM" ? 12 : 0)) * 60 + Number(minutes);
}

/** An outage of the whole host until a time has passed or a test ends it: connections are refused, or never answered. */
export type OutageKind = "refused" | "black-hole";

export type Outage = ReturnType<typeof createOutage>;

/** `door`: closes and opens the port of the services. */
export function createOutage(door: { readonly shut: () => Promise<void>; readonly open: () => Promise<void> }) {
	let kind: OutageKind | undefined;
	let timer: ReturnType<typeof setTimeout> | undefined;
	async function end(): Promise<void> {
		clearTimeout(timer);
		const ended = kind;
		kind = undefined;
		if (ended === "refused") await door.open();
	}
	return {
		swallows: () => kind === "black-hole",
		async begin(wanted: OutageKind, ms: number | undefined): Promise<void> {
			await end();
			kind = wanted;
			if (wanted === "refused") await door.shut();
			if (ms === undefined) return;
			timer = setTimeout(() => {
				end().catch((error: Error) =>
					console.error(JSON.stringify({ level: "error", event: "outage.end_failed", msg: error.message })),
				);
			}, ms);
		},
		end,
	};
}
