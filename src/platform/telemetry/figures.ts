/** Gauges of what waits, is dead or ends soon: what an operator is to act on before somebody asks. */
import { Gauge, type Registry } from "prom-client";

/** Each process has threads that sign of its own, so this gauge of theirs is summed. */
export const SIGNING_QUEUED = "sello_signing_queued";

export function createFigures(registry: Registry) {
	const registers = [registry];
	return {
		deadLetters: new Gauge({
			name: "sello_dead_letters",
			help: "Messages of the outbox that are tried no more by themselves and that nobody has sent again, by kind; 10,000 stands for so many or more.",
			labelNames: ["kind"],
			registers,
		}),
		dueOldest: new Gauge({
			name: "sello_outbox_due_oldest_seconds",
			help: "Seconds for which the message that has been due longest waits to be carried out, by kind; 0 without one among the 20,000 of each tenant that have been due longest. What waits for a later time, as for the authority's return, is not due.",
			labelNames: ["kind"],
			registers,
		}),
		certificatesEnding: new Gauge({
			name: "sello_certificates_ending",
			help: "Certificates that sign for open companies and end within 1d, 7d or 30d, those of shorter times among them, or have ended; those that another will have replaced by then are left out.",
			labelNames: ["within"],
			registers,
		}),
		signingQueued: new Gauge({
			name: SIGNING_QUEUED,
			help: "Documents that wait for a signing thread, summed over processes.",
			registers,
		}),
	};
}
