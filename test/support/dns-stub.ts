/** A name server on a loopback port whose answers a test chooses, each time anew if needed. */
import { createSocket } from "node:dgram";
import { parseAddress } from "../../src/platform/egress";

export type DnsQuestion = {
	readonly name: string;
	readonly family: 4 | 6;
	/** 1 for the first question of this name and family. */
	readonly nth: number;
};

export type DnsStub = {
	/** `address:port`. */
	readonly server: string;
	/** In order of arrival. */
	readonly questions: readonly DnsQuestion[];
	readonly stop: () => void;
};

const TYPES: Readonly<Record<number, 4 | 6>> = { 1: 4, 28: 6 };
const HEADER_BYTES = 12;
const ANSWER_FLAGS = 0x8180;
/** Points at the name in the question, after the header. */
const SAME_NAME = [0xc0, HEADER_BYTES];

/** `answer` gives the addresses for a question; those of another family are left out. The TTL is 0. */
export async function startDnsStub(answer: (question: DnsQuestion) => readonly string[]): Promise<DnsStub> {
	const questions: DnsQuestion[] = [];
	const counts = new Map<string, number>();
	const socket = createSocket("udp4");
	socket.on("message", (message, peer) => {
		const { name, end } = readName(message);
		const type = message.readUInt16BE(end);
		const family = TYPES[type];
		const key = `${name} ${type}`;
		const nth = (counts.get(key) ?? 0) + 1;
		counts.set(key, nth);
		const question = family && { name, family, nth };
		if (question) questions.push(question);
		const addresses = question ? answer(question).flatMap((text) => toBytes(text, question.family)) : [];
		const header = Buffer.from(message.subarray(0, HEADER_BYTES));
		for (const [i, value] of [ANSWER_FLAGS, 1, addresses.length, 0, 0].entries())
			header.writeUInt16BE(value, 2 + 2 * i);
		const records = addresses.map((bytes) =>
			Buffer.from([...SAME_NAME, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes]),
		);
		socket.send(Buffer.concat([header, message.subarray(HEADER_BYTES, end + 4), ...records]), peer.port, peer.address);
	});
	await new Promise<void>((bound) => socket.bind(0, "127.0.0.1", bound));
	return {
		server: `127.0.0.1:${socket.address().port}`,
		questions,
		stop: () => socket.close(),
	};
}

function readName(message: Buffer): { name: string; end: number } {
	const labels: string[] = [];
	let at = HEADER_BYTES;
	for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
		labels.push(message.toString("latin1", at + 1, at + 1 + length));
		at += 1 + length;
	}
	return { name: labels.join(".").toLowerCase(), end: at + 1 };
}

function toBytes(text: string, family: 4 | 6): Uint8Array[] {
	const bytes = parseAddress(text);
	if (!bytes) throw new RangeError(`not an address: ${text}`);
	return bytes.length === (family === 4 ? 4 : 16) ? [bytes] : [];
}
