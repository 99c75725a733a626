/** A small SMTP server for tests: accepts mail over real sockets, stores it, and refuses or disconnects on request. */
import { createServer, type Socket } from "node:net";

export type ReceivedMail = { readonly from: string; readonly to: string; readonly message: string };

export type SmtpReceiver = {
	readonly url: string;
	readonly mails: ReceivedMail[];
	/** Replaces the usual reply to a command; `hang-up` closes the connection, `silence` sends no reply. */
	answerWith: (command: string, line: string) => string | undefined;
	readonly stop: () => Promise<void>;
};

export async function startSmtpReceiver(): Promise<SmtpReceiver> {
	const sockets = new Set<Socket>();
	const mails: ReceivedMail[] = [];
	const receiver = { answerWith: (() => undefined) as SmtpReceiver["answerWith"] };
	const server = createServer((socket) => {
		sockets.add(socket);
		socket.on("close", () => sockets.delete(socket));
		socket.on("error", () => sockets.delete(socket));
		serve(socket, mails, (command, line) => receiver.answerWith(command, line));
	});
	await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
	const address = server.address();
	if (typeof address !== "object" || !address) throw new Error("the SMTP receiver has no port");
	return Object.assign(receiver, {
		url: `smtp://127.0.0.1:${address.port}`,
		mails,
		stop: () =>
			new Promise<void>((stopped) => {
				for (const socket of sockets) socket.destroy();
				server.close(() => stopped());
			}),
	});
}

function serve(socket: Socket, mails: ReceivedMail[], answerWith: SmtpReceiver["answerWith"]): void {
	let text = "";
	let from = "";
	let to = "";
	let isData = false;
	const say = (line: string) => socket.write(`${line}\r\n`);
	const reply = (command: string, line: string, usual: string) => {
		const reply = answerWith(command, line);
		if (reply === "hang-up") socket.destroy();
		else if (reply !== "silence") say(reply ?? usual);
		return reply === undefined;
	};
	say("220 receiver.test ESMTP");
	socket.setEncoding("utf8");
	socket.on("data", (chunk: string) => {
		text += chunk;
		for (;;) {
			const end = isData ? text.indexOf("\r\n.\r\n") : text.indexOf("\r\n");
			if (end < 0) return;
			const part = text.slice(0, end);
			text = text.slice(end + (isData ? 5 : 2));
			if (isData) {
				isData = false;
				mails.push({ from, to, message: `${part.replace(/^\.\./gm, ".")}\r\n` });
				reply(".", "", "250 taken");
				continue;
			}
			const command = part.slice(0, 4).toUpperCase();
			if (command === "MAIL") from = /<([^>]*)>/.exec(part)?.[1] ?? "";
			if (command === "RCPT") to = /<([^>]*)>/.exec(part)?.[1] ?? "";
			if (command === "EHLO") reply(command, part, "250 receiver.test");
			else if (command === "DATA") isData = reply(command, part, "354 go on");
			else reply(command, part, command === "QUIT" ? "221 bye" : "250 ok");
		}
	});
}
