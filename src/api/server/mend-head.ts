import type { Clock } from "../../platform/values";

/**
 * Puts the headers of an answer to a HEAD right, once the framework has told its length: the runtime gives every answer a date but this one, and a 304
 * tells the length of the 200 or none, never that of its own missing content. Source: RFC 9110, 6.6.1 and 8.6.
 */
export function mendHead({ now }: Clock): (answer: Response) => Response {
	return (answer) => {
		answer.headers.set("date", now().toUTCString());
		if (answer.status === 304) answer.headers.delete("content-length");
		return answer;
	};
}
