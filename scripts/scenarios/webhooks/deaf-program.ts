/** A listener that a scenario stops in its tracks: connections queue up in the kernel, and nobody accepts them. */
import { createServer } from "node:net";

const server = createServer((socket) => socket.destroy());
server.listen(0, "127.0.0.1", () => {
	const address = server.address();
	if (typeof address !== "object" || !address) throw new Error("the system gave no port");
	console.log(JSON.stringify({ msg: "ready", url: `http://127.0.0.1:${address.port}` }));
});
