/**
 * Takes the port over from the process that serves it: `bun start --replace`.
 *
 *     the new process starts beside the old one       the old one serves
 *     it is ready, joins the port (`SO_REUSEPORT`)    new connections go to it alone
 *     it sends SIGUSR2                                the old one asks its callers to connect again, finishes and exits
 *
 * The kernel shares new connections among the sockets of a port. One that waits in the old socket's queue is reset when that socket closes. So the new
 * socket gets all of them first, by a program of one instruction, and the old queue is empty by then. Linux only.
 * Source: socket(7), `SO_ATTACH_REUSEPORT_CBPF`: a position out of range means that the kernel chooses.
 */
import { dlopen, FFIType, ptr } from "bun:ffi";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { CHILD_FLAG } from "./process";

type FormerProcess = {
	readonly pid: number;
	/** Asks it to finish and exit. */
	readonly retire: () => void;
};

/** The port is held by something that cannot be replaced. */
export class ReplaceError extends Error {
	constructor(port: number, reason: string) {
		super(`--replace cannot take port ${port} over: ${reason}`);
		this.name = "ReplaceError";
	}
}

/** A process that gets it leaves the port to another one. */
export const RETIRE = "SIGUSR2";

/** The process that serves the port, undefined when none does. Throws: ReplaceError. */
export function findFormerProcess(port: number): FormerProcess | undefined {
	const inodes = new Set(findListeners(port).map(({ inode }) => inode));
	if (inodes.size === 0) return undefined;
	const holders = readdirSync("/proc").filter(
		(pid) => /^\d+$/.test(pid) && socketsOf(pid).some((one) => inodes.has(one.inode)),
	);
	if (holders.length === 0) throw new ReplaceError(port, "it belongs to a process of another user");
	const first = holders
		.map((pid) => ({ pid: Number(pid), command: commandOf(pid) }))
		.filter(({ command }) => !command.includes(CHILD_FLAG));
	const [one] = first;
	if (one === undefined || first.length > 1 || !one.command.some((word) => word.endsWith("src/main.ts"))) {
		throw new ReplaceError(port, `it is held by something else (process ${holders.join(", ")})`);
	}
	return { pid: one.pid, retire: () => void process.kill(one.pid, RETIRE) };
}

/**
 * Runs `listen`, which joins the port, and sends all new connections to its socket from then on. Returns false where the system has no such
 * steering: the kernel then shares them until the former process has closed its socket.
 */
export function listenFirst(port: number, listen: () => void): boolean {
	const before = findListeners(port);
	listen();
	const known = new Set(before.map(({ inode }) => inode));
	const joined = findListeners(port).find(({ inode }) => !known.has(inode));
	const socket = joined && socketsOf("self").find(({ inode }) => inode === joined.inode);
	if (!joined || !socket) return false;
	// The kernel numbers the sockets of one address in the order in which they joined.
	return steerTo(socket.fd, before.filter(({ address }) => address === joined.address).length);
}

type Listener = { readonly address: string; readonly inode: string };

/** State of a listening socket. Source: proc(5), `/proc/net/tcp`; `TCP_LISTEN` of the kernel. */
const LISTENING = "0A";

function findListeners(port: number): Listener[] {
	const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
	return ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((file) =>
		readOr(file, (path) => readFileSync(path, "utf8"), "")
			.split("\n")
			.map((line) => line.trim().split(/\s+/))
			.filter(([, address, , state]) => state === LISTENING && address?.endsWith(suffix))
			.map(([, address = "", , , , , , , , inode = ""]) => ({ address, inode })),
	);
}

function socketsOf(pid: string): { readonly fd: number; readonly inode: string }[] {
	const folder = `/proc/${pid}/fd`;
	return readOr(folder, (path) => readdirSync(path), []).flatMap((fd) => {
		const [, inode] = /^socket:\[(\d+)\]$/.exec(readOr(`${folder}/${fd}`, (path) => readlinkSync(path), "")) ?? [];
		return inode === undefined ? [] : [{ fd: Number(fd), inode }];
	});
}

function commandOf(pid: string): string[] {
	return readOr(`/proc/${pid}/cmdline`, (path) => readFileSync(path, "utf8"), "").split("\0");
}

/** Processes and sockets end while they are looked at, and those of other users are closed to us. */
function readOr<T>(path: string, read: (path: string) => T, otherwise: T): T {
	try {
		return read(path);
	} catch {
		return otherwise;
	}
}

const SOL_SOCKET = 1;
const SO_ATTACH_REUSEPORT_CBPF = 51;
/** `BPF_RET | BPF_K`. Source: the kernel's filter.rst, `struct sock_filter` and `struct sock_fprog`. */
const RETURN_CONSTANT = 0x06;

function steerTo(fd: number, position: number): boolean {
	try {
		const { i32, u32, ptr: pointer } = FFIType;
		const library = dlopen("libc.so.6", { setsockopt: { args: [i32, i32, i32, pointer, u32], returns: i32 } });
		const instruction = Buffer.alloc(8);
		instruction.writeUInt16LE(RETURN_CONSTANT, 0);
		instruction.writeUInt32LE(position, 4);
		const program = Buffer.alloc(16);
		program.writeUInt16LE(1, 0);
		program.writeBigUInt64LE(BigInt(ptr(instruction)), 8);
		return library.symbols.setsockopt(fd, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, ptr(program), program.length) === 0;
	} catch {
		// Another C library.
		return false;
	}
}
