/** What the roles put into a process, which serves it and stops it. */
import type { ServerDeps } from "../api/server";
import type { Operation } from "../platform/operation";
import type { Metrics, MetricsShare } from "../platform/telemetry";
import type { Clock } from "../platform/values";
import type { PublicListener } from "./listeners/listeners";
import type { ChildSettings } from "./process/child-processes";
import type { ShutdownHooks } from "./shutdown";

export type NodeContext = {
	readonly shutdownHooks: ShutdownHooks;
	/** Aborts the start. */
	readonly signal: AbortSignal;
	readonly isDraining: () => boolean;
	/** Whether it drains and leaves the port to no other process. */
	readonly isUnready: () => boolean;
	/** Units: milliseconds of `performance.now`. */
	readonly startedAt: number;
	/** Whether it is the first process of a service, not one within tests or a child. */
	readonly isProgram: boolean;
};

export type Node = {
	readonly listener: PublicListener;
	readonly clock: Clock;
	readonly metrics: Metrics;
	readonly operations: readonly Operation[];
	/** Work beside the requests, which stops while they finish. */
	readonly background: { readonly stop: () => Promise<void> } | undefined;
	readonly server: Pick<
		ServerDeps,
		"watch" | "writes" | "limits" | "usage" | "authenticate" | "recognise" | "isInGrace"
	>;
	/** Updates the gauges of this process's signing threads. */
	readonly collectSigning: () => void;
	/** Updates all gauges of this process; returns the shares of its threads. */
	readonly collect: () => Promise<readonly MetricsShare[]>;
	/** The settings that make a child process part of this service. */
	readonly childSettings: ChildSettings;
	readonly demoKey: string | undefined;
	/** Makes an address that opens the console of a local sandbox once; absent elsewhere. */
	readonly makeConsoleLink: (() => Promise<string>) | undefined;
	/** The RSA engine that signs; absent in processes that do not sign. */
	readonly engine: string | undefined;
	/** Resolves when the process cannot go on. */
	readonly lost: Promise<Error>;
};
