/**
 * Counts what is handed to the archive's store and to the mail server, so that an outage of either has a figure of its own. What they answer and refuse
 * for what it is, as a mail to nobody, is none: they are there.
 */
import { type Archive, ArchiveConflictError } from "../../archive";
import { isAboutThisMail, type MailTransport } from "../../platform/mail";
import type { Metrics } from "../../platform/telemetry";

type Counters = Pick<Metrics, "outsideCalls">;
type Service = "archive" | "mail";

export function countArchive(archive: Archive, metrics: Counters): Archive {
	const isRefusal = (error: unknown) => error instanceof ArchiveConflictError;
	return { ...archive, putOnce: (...object) => count(metrics, "archive", () => archive.putOnce(...object), isRefusal) };
}

export function countMail(transport: MailTransport, metrics: Counters): MailTransport {
	return {
		...transport,
		deliver: (...mail) => count(metrics, "mail", () => transport.deliver(...mail), isAboutThisMail),
	};
}

async function count<T>(
	{ outsideCalls }: Counters,
	service: Service,
	call: () => Promise<T>,
	isRefusal: (error: unknown) => boolean,
): Promise<T> {
	try {
		const answer = await call();
		outsideCalls.inc({ service, result: "ok" });
		return answer;
	} catch (error) {
		outsideCalls.inc({ service, result: isRefusal(error) ? "refused" : "failed" });
		throw error;
	}
}
