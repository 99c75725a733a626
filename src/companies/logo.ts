import { createHash } from "node:crypto";
import { isPicture } from "../ecf/printing";
import { type Message, msg, Problem } from "../platform/problem";

/** A checked logo. Its type follows from its bytes, not from its name. */
export type Logo = {
	readonly bytes: Uint8Array;
	readonly contentType: "image/png" | "image/jpeg";
	readonly sha256: string;
};

const BYTES_MAX = 256 * 1024;
const SIDE_MAX_PX = 2_000;

/**
 * Reads a logo in base64; a `data:` prefix is accepted. SVG is refused because it can contain scripts.
 * Throws: logo-invalid unless it is a PNG or JPEG of at most 256 KiB and 2000 by 2000 pixels, whose pixels can be decoded.
 */
export async function readLogo(text: string): Promise<Logo> {
	// White space is removed first: a pattern that allowed it in two places would take minutes on a long run of it.
	const base64 = text.replace(/^data:image\/(png|jpe?g);base64,/i, "").replace(/\s+/g, "");
	if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw invalid(msg`It is not base64.`);
	const bytes = Buffer.from(base64, "base64");
	if (bytes.length > BYTES_MAX) throw invalid(msg`It has ${bytes.length} bytes, more than ${BYTES_MAX}.`);
	const image = readPng(bytes) ?? readJpeg(bytes);
	if (!image) throw invalid(msg`It is neither a PNG nor a JPEG.`);
	if (image.width < 1 || image.height < 1 || image.width > SIDE_MAX_PX || image.height > SIDE_MAX_PX) {
		throw invalid(
			msg`It measures ${image.width} by ${image.height} pixels; at most ${SIDE_MAX_PX} by ${SIDE_MAX_PX} are allowed.`,
		);
	}
	// Otherwise documents would be printed without it, and the company would learn it from its customers.
	// Codecs fill the rest of a JPEG that is cut off with grey.
	if (image.isCutOff || !(await isPicture(bytes)))
		throw invalid(msg`Its pixels cannot be decoded: the file is damaged.`);
	return { bytes, contentType: image.contentType, sha256: createHash("sha256").update(bytes).digest("hex") };
}

function invalid(detail: Message): Problem {
	return new Problem("logo-invalid", { detail, faults: [{ pointer: "/pdfLogo", code: "logo-invalid", detail }] });
}

type Image = { contentType: Logo["contentType"]; width: number; height: number; isCutOff: boolean };

const JPEG_END = Buffer.from([0xff, 0xd9]);

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function readPng(bytes: Buffer): Image | undefined {
	if (bytes.length < 33 || !bytes.subarray(0, 8).equals(PNG_SIGNATURE)) return undefined;
	if (bytes.toString("latin1", 12, 16) !== "IHDR") return undefined;
	return { contentType: "image/png", width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), isCutOff: false };
}

/** Walks the segments to the frame header (SOF0–SOF15 without DHT, JPG and DAC). Source: ITU-T T.81, annex B. */
function readJpeg(bytes: Buffer): Image | undefined {
	if (bytes.length < 4 || bytes[0] !== 0xff || bytes[1] !== 0xd8) return undefined;
	for (let at = 2; at + 9 < bytes.length; ) {
		if (bytes[at] !== 0xff) return undefined;
		const marker = bytes[at + 1] ?? 0;
		const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
		if (isFrame) {
			const isCutOff = !bytes.includes(JPEG_END, at);
			return {
				...{ contentType: "image/jpeg", height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) },
				isCutOff,
			};
		}
		at += 2 + bytes.readUInt16BE(at + 2);
	}
	return undefined;
}
