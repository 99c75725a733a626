/** A reply as the wire would make it of an answer: tests of readers start from bytes. */
import { decodeBody, readAnswer } from "../../../../src/authority/client/read-answer";
import type { Reply } from "../../../../src/authority/client/reply";

export function replyOf(status: number, body: unknown, mediaType = "application/json; charset=utf-8"): Reply {
	const text = typeof body === "string" ? body : JSON.stringify(body);
	const bytes = new TextEncoder().encode(text);
	return { reached: "answer", status, reading: readAnswer(decodeBody({ status, mediaType, bytes })) };
}

export const html = "<!DOCTYPE html>\n<html><body><h1>Estamos en mantenimiento</h1></body></html>";

/** Nested so deeply that a careless reader runs out of stack. */
export const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
