/** Figures and small charts: bars of days, and a strip of states. Each has its numbers as text too. */
import type { ReactNode } from "react";
import type { Tone } from "./status";

type BarTone = Tone | "accent";

type Bar = {
	readonly label: string;
	/** From the ground up. */
	readonly parts: readonly { readonly value: number; readonly tone: BarTone }[];
};

type BarsProps = {
	/** What the chart shows, for screen readers. */
	readonly label: string;
	readonly bars: readonly Bar[];
	/** What each colour means, where there are several. */
	readonly legend?: readonly { readonly tone: BarTone; readonly text: string }[];
	/** The text of a bar, shown when it is pointed at. */
	readonly textOf: (bar: Bar) => string;
	readonly format: (value: number) => string;
	/** The same as a table. */
	readonly table: ReactNode;
	readonly tableTitle: string;
};

const HEIGHT = 160;
const GAP = 0.24;

export function Bars({ label, bars, legend = [], textOf, format, table, tableTitle }: BarsProps) {
	const sums = bars.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0));
	const top = roundUp(Math.max(1, ...sums));
	const step = 100 / Math.max(1, bars.length);
	return (
		<figure className="chart">
			{legend.length > 0 ? (
				<ul className="chart-legend">
					{legend.map(({ tone, text }) => (
						<li key={tone} className="chart-key">
							<svg width="10" height="10" aria-hidden>
								<rect className={`chart-${tone}`} width="10" height="10" rx="2" />
							</svg>
							{text}
						</li>
					))}
				</ul>
			) : null}
			<div className="chart-plot">
				<div className="chart-scale number" aria-hidden>
					<span>{format(top)}</span>
					<span>{format(top / 2)}</span>
					<span>0</span>
				</div>
				<svg className="chart-canvas" role="img" aria-label={label} width="100%" height={HEIGHT}>
					<line className="chart-line" x1="0" x2="100%" y1="0.5" y2="0.5" />
					<line className="chart-line" x1="0" x2="100%" y1={HEIGHT / 2} y2={HEIGHT / 2} />
					<line className="chart-line chart-ground" x1="0" x2="100%" y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
					{bars.map((bar, at) => (
						<g key={bar.label} className="chart-bar">
							<title>{textOf(bar)}</title>
							<rect className="chart-hit" x={`${at * step}%`} width={`${step}%`} y="0" height={HEIGHT} />
							{stack(bar, top).map(({ tone, y, height }) => (
								<rect
									key={tone}
									className={`chart-${tone}`}
									x={`${(at + GAP / 2) * step}%`}
									width={`${step * (1 - GAP)}%`}
									y={y}
									height={height}
									rx="2"
								/>
							))}
						</g>
					))}
				</svg>
				<div className="chart-ends number" aria-hidden>
					<span>{bars[0]?.label}</span>
					<span>{bars.at(-1)?.label}</span>
				</div>
			</div>
			<details className="chart-table">
				<summary>{tableTitle}</summary>
				{table}
			</details>
		</figure>
	);
}

function stack({ parts }: Bar, top: number): { tone: string; y: number; height: number }[] {
	let ground = HEIGHT;
	return parts.flatMap(({ value, tone }) => {
		if (value === 0) return [];
		// A single document beside thousands must still be seen.
		const height = Math.max(2, (value / top) * (HEIGHT - 4));
		ground -= height;
		return [{ tone, y: ground, height }];
	});
}

/** The next number of the form 1, 2 or 5 times a power of ten; even, so that its half is whole. */
function roundUp(value: number): number {
	const power = 10 ** Math.floor(Math.log10(value));
	const found = [1, 2, 4, 6, 8, 10].find((factor) => factor * power >= value) ?? 10;
	return Math.max(2, found * power);
}

type StripProps = {
	readonly label: string;
	/** In order of time, each with the same length. */
	readonly states: readonly { readonly tone: Tone; readonly text: string }[];
};

export function Strip({ label, states }: StripProps) {
	const step = 100 / Math.max(1, states.length);
	return (
		<svg className="strip" role="img" aria-label={label} width="100%" height="28">
			{states.map(({ tone, text }, at) => (
				<rect
					// biome-ignore lint/suspicious/noArrayIndexKey: a moment is its place in the strip
					key={at}
					className={`chart-${tone}`}
					x={`${at * step}%`}
					width={`${step * 0.8}%`}
					y="0"
					height="28"
					rx="1.5"
				>
					<title>{text}</title>
				</rect>
			))}
		</svg>
	);
}

/** A figure that stands for itself, and what belongs to it. */
export type Figure = { readonly title: string; readonly value: string; readonly further: string };

export function Figures({ figures }: { readonly figures: readonly Figure[] }) {
	return (
		<dl className="figures">
			{figures.map(({ title, value, further }) => (
				<div key={title} className="card figure">
					<dt>{title}</dt>
					<dd className="figure-value number">{value}</dd>
					<dd className="soft number">{further}</dd>
				</div>
			))}
		</dl>
	);
}
