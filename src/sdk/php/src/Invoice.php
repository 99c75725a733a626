<?php

declare(strict_types=1);

namespace Sello;

/** Invoices with exact numbers and totals, from quantities, prices and rates. */
final class Invoice
{
    private const RATES = ['18' => 18, '16' => 16, '0' => 0, 'exempt' => 0];
    private const CENTS = 2;
    private const MILLIONTHS = 6;

    /**
     * The request of an invoice whose amounts add up to the cent.
     *
     * A line has `description`, `quantity`, `unit_price` and `tax_rate`: 18, 16, 0 or `exempt`; a 44 needs no rate. `discount` and `surcharge` are of
     * the whole line. `$prices` says whether prices are without ITBIS (`net`) or with it (`gross`); with `gross` the buyer pays exactly their sum.
     * Everything is rounded half up. Amounts are texts, or ints: a float is not exact. Further members of the request are named arguments. Throws an
     * InvalidArgumentException for what is no amount, and for members that change the totals in a way that this function does not compute.
     *
     * @param array<string, mixed> $company
     * @param list<array<string, mixed>> $lines
     * @param array<string, mixed>|null $customer
     * @return array<string, mixed>
     */
    public static function build(
        string $type,
        array $company,
        array $lines,
        ?array $customer = null,
        string $prices = 'net',
        string $encf = 'auto',
        mixed ...$members,
    ): array {
        if (!in_array($prices, ['net', 'gross'], true)) {
            throw new \InvalidArgumentException('prices is net or gross');
        }
        if (isset($members['adjustments'])) {
            throw new \InvalidArgumentException('adjustments are not computed: use discount on the lines');
        }
        $isGross = $prices === 'gross';
        $built = [];
        // By rate, with or without ITBIS as the prices are.
        $sums = [];
        foreach (array_values($lines) as $index => $line) {
            $percent = self::rate($line['tax_rate'] ?? null, $type, $index);
            [$built[], $paid] = self::buildLine($line, $index, $percent, $isGross);
            $sums[$percent] = ($sums[$percent] ?? Decimal::zero())->add($paid);
        }
        $base = Decimal::zero();
        $tax = isset($members['legal_tip']) ? self::amount($members['legal_tip'], 'legal_tip') : Decimal::zero();
        foreach ($sums as $percent => $sum) {
            $net = $isGross ? self::withoutTax($sum, $percent, self::CENTS) : $sum;
            $base = $base->add($net);
            $tax = $tax->add($isGross ? $sum->subtract($net) : $net->multiply(Decimal::read($percent))->divide(100, self::CENTS));
        }
        return [
            'type' => $type,
            'encf' => $encf,
            'company' => $company,
            ...($customer === null ? [] : ['customer' => $customer]),
            ...$members,
            'lines' => $built,
            'totals' => [
                'subtotal' => $base->toText(self::CENTS),
                'tax' => $tax->toText(self::CENTS),
                'grand_total' => $base->add($tax)->toText(self::CENTS),
            ],
        ];
    }

    /**
     * @param array<string, mixed> $line
     * @return array{array<string, mixed>, Decimal} the line of the request, and what it costs in the given prices
     */
    private static function buildLine(array $line, int $index, int $percent, bool $isGross): array
    {
        if (isset($line['additional_taxes'])) {
            throw new \InvalidArgumentException("lines[$index]: additional taxes are not computed");
        }
        $read = fn (string $name) => self::amount($line[$name] ?? null, "lines[$index].$name");
        $toNet = fn (Decimal $amount) => $isGross ? self::withoutTax($amount, $percent, self::MILLIONTHS) : $amount;
        $price = $read('unit_price');
        $paid = $read('quantity')->multiply($price)->round(self::CENTS);
        $made = ['line_number' => $index + 1, ...$line, 'quantity' => (string) $line['quantity']];
        if (isset($line['tax_rate'])) {
            $made['tax_rate'] = (string) $line['tax_rate'];
        }
        foreach (['discount', 'surcharge'] as $name) {
            if (isset($line[$name])) {
                $part = $read($name);
                $paid = $name === 'discount' ? $paid->subtract($part) : $paid->add($part);
                $made[$name] = $toNet($part)->toText(self::CENTS);
            }
        }
        if ($paid->isNegative()) {
            throw new \InvalidArgumentException("lines[$index].discount is more than the line");
        }
        $paid = $paid->round(self::CENTS);
        $given = is_int($line['unit_price']) ? "$line[unit_price].00" : $line['unit_price'];
        $made['unit_price'] = $isGross ? $toNet($price)->toText(self::CENTS) : $given;
        $made['subtotal'] = $toNet($paid)->toText(self::CENTS);
        if ($isGross) {
            $made['gross_unit_price'] = $given;
            $made['gross_subtotal'] = $paid->toText(self::CENTS);
        }
        return [$made, $paid];
    }

    private static function rate(mixed $rate, string $type, int $index): int
    {
        if ($rate === null && $type === '44') {
            return 0;
        }
        $isKnown = is_string($rate) || is_int($rate);
        return ($isKnown ? self::RATES[$rate] ?? null : null)
            ?? throw new \InvalidArgumentException("lines[$index].tax_rate is 18, 16, 0 or exempt");
    }

    private static function withoutTax(Decimal $amount, int $percent, int $decimals): Decimal
    {
        return $amount->multiply(Decimal::read(100))->divide(100 + $percent, $decimals);
    }

    private static function amount(mixed $value, string $name): Decimal
    {
        $amount = Decimal::read($value);
        if ($amount === null || $amount->isNegative() || $amount->decimals() > self::MILLIONTHS) {
            throw new \InvalidArgumentException("$name is a text with at most six decimals, such as '450.00'");
        }
        return $amount;
    }
}
