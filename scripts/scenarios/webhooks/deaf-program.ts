/** A listener for a scenario to pause: connections queue up in the kernel and are never accepted. */
import { createServer } from "node:net";

const server = createServer((socket) => socket.destroy());
server.listen(0, "127.0.0.1", () => {
	const address = server.address();
	if (typeof address !== "object" || !address) throw new Error("the system gave no port");
	console.log(JSON.stringify({ msg: "ready", url: `http://127.0.0.1:${address.port}` }));
});
