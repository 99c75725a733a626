/** Asks the status host what the authority declares of one of its environments, and keeps the answer. */
import type { MaintenanceWindow, Segment } from "../client";
import { SERVICE_NAMES, serviceOf } from "./service-table";
import type { Window } from "./status";
import { writeDeclared } from "./store";
import type { WatchDeps } from "./watch-authority";

/** What could not be learned is not known any more, but for windows, which were announced once and stay so. */
export async function askWhatIsDeclared(
	{ statusHost, sql }: Pick<WatchDeps, "statusHost" | "sql">,
	segment: Segment,
): Promise<void> {
	const [status, services, windows] = await Promise.all([
		statusHost.environment(segment),
		statusHost.services(),
		statusHost.windows(),
	]);
	const named = (services ?? [])
		.filter((one) => one.segment === segment)
		.flatMap(({ title, status: word }) => {
			const name = SERVICE_NAMES.find((one) => serviceOf(one).title === foldTitle(title));
			return name ? [[name, word] as const] : [];
		});
	const declared = {
		...(status === undefined ? {} : { status }),
		...(services === undefined ? {} : { services: Object.fromEntries(named) }),
	};
	await writeDeclared(sql, segment, declared, windows && toWindows(windows, segment));
}

function toWindows(windows: readonly MaintenanceWindow[], segment: Segment): Window[] {
	return windows
		.filter((one) => one.segment === segment)
		.map(({ from, to }) => ({ from: from.toISOString(), to: to.toISOString() }));
}

/** Accents and letter case do not make another service. */
function foldTitle(title: string): string {
	return title.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/\s+/g, " ").trim();
}
