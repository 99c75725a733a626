/** An authenticator app: Debian's `oathtool` in a few lines, beside ours. Source: RFC 6238. */
import { createHmac } from "node:crypto";

export function codeAt(base32: string, atMs: number): string {
	const bits = [...base32].map((digit) =>
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(digit).toString(2).padStart(5, "0"),
	);
	const bytes = bits.join("").match(/.{8}/g) ?? [];
	const key = Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
	const counter = Buffer.alloc(8);
	counter.writeUInt32BE(Math.floor(atMs / 30_000), 4);
	const mac = createHmac("sha1", key).update(counter).digest();
	const offset = mac.readUInt8(19) % 16;
	return String((mac.readUInt32BE(offset) % 0x8000_0000) % 1_000_000).padStart(6, "0");
}
