/** Two small puzzles with amounts: sharing a sum out, and picking the amounts that come nearest to a sum. */
import { Decimal } from "../../platform/values";

const CENT = Decimal.of("0.01");

/**
 * Shares `total` out in proportion to the weights, in cents; what rounding leaves over goes to the largest weight, so that
 * the parts add up to `total`. Weights that are all zero give everything to the first. No part has the other sign.
 */
export function shareOut(total: Decimal, weights: readonly Decimal[]): Decimal[] {
	if (total.isNegative()) return shareOut(total.negated(), weights).map((part) => part.negated());
	const positive = weights.map((weight) => (weight.isNegative() ? Decimal.zero : weight));
	const sum = Decimal.sum(positive);
	if (sum.isZero()) return weights.map((_, index) => (index === 0 ? total : Decimal.zero));
	const parts = positive.map((weight) => total.times(weight).dividedBy(sum, 2));
	let largest = 0;
	for (const [index, weight] of positive.entries()) {
		if (weight.compare(positive[largest] ?? Decimal.zero) > 0) largest = index;
	}
	let rest = total.minus(Decimal.sum(parts));
	for (const [index, part] of parts.entries()) {
		// Many parts of a few cents may all have been rounded up, by more than the largest has.
		if (!(parts[largest] ?? Decimal.zero).plus(rest).isNegative()) break;
		if (part.times(sum).compare(total.times(positive[index] ?? Decimal.zero)) <= 0) continue;
		parts[index] = part.minus(CENT);
		rest = rest.plus(CENT);
	}
	parts[largest] = (parts[largest] ?? Decimal.zero).plus(rest);
	return parts;
}

/** With more amounts than this the best choice is no longer searched for: each further one doubles the work. */
const SEARCHED_MAX = 12;

/** Marks the amounts, at least one, whose sum comes nearest to `target`; among equals the earlier ones. */
export function markNearest(amounts: readonly Decimal[], target: Decimal): boolean[] {
	return amounts.length <= SEARCHED_MAX ? searchNearest(amounts, target) : fillUp(amounts, target);
}

function searchNearest(amounts: readonly Decimal[], target: Decimal): boolean[] {
	const sums: Decimal[] = [Decimal.zero];
	let best = 1;
	for (let choice = 1; choice < 2 ** amounts.length; choice++) {
		// The sum of a choice is that of the choice without its highest member, which was worked out before.
		const highest = 31 - Math.clz32(choice);
		const sum = (sums[choice ^ (1 << highest)] ?? Decimal.zero).plus(amounts[highest] ?? Decimal.zero);
		sums.push(sum);
		const distance = sum.minus(target).abs();
		if (distance.compare((sums[best] ?? Decimal.zero).minus(target).abs()) < 0) best = choice;
	}
	return amounts.map((_, index) => (best & (1 << index)) !== 0);
}

/** From the largest down, takes what still fits; the smallest of all when nothing does. */
function fillUp(amounts: readonly Decimal[], target: Decimal): boolean[] {
	const marks = amounts.map(() => false);
	const order = amounts.map((amount, index) => ({ amount, index })).sort((a, b) => b.amount.compare(a.amount));
	let left = target;
	for (const { amount, index } of order) {
		if (amount.isZero() || amount.compare(left) > 0) continue;
		left = left.minus(amount);
		marks[index] = true;
	}
	const smallest = order.at(-1);
	if (smallest && !marks.includes(true)) marks[smallest.index] = true;
	return marks;
}
