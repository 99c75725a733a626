<?php

declare(strict_types=1);

namespace Sello;

/**
 * An exact decimal number, without ext-bcmath. PHP's own numbers hold 15 digits; amounts of the format have up to 22.
 *
 * @internal
 */
final class Decimal
{
    /** @param string $digits of the number without sign and point, without zeros at the front */
    private function __construct(private readonly bool $isNegative, private readonly string $digits, private readonly int $scale)
    {
    }

    /** A text such as `1234.50`, or an int. Null for anything else: a float is not exact. */
    public static function read(mixed $value): ?self
    {
        if (is_int($value)) {
            $value = (string) $value;
        }
        if (!is_string($value) || preg_match('/^(-?)(\d{1,30})(?:\.(\d{1,30}))?$/D', $value, $match) !== 1) {
            return null;
        }
        return self::of($match[1] === '-', $match[2] . ($match[3] ?? ''), strlen($match[3] ?? ''));
    }

    public static function zero(): self
    {
        return self::of(false, '0', 0);
    }

    public function isNegative(): bool
    {
        return $this->isNegative;
    }

    /** How many decimals it has, without zeros at the end. */
    public function decimals(): int
    {
        return strlen(explode('.', $this->toText())[1] ?? '');
    }

    public function add(self $other): self
    {
        $scale = max($this->scale, $other->scale);
        $a = $this->digits . str_repeat('0', $scale - $this->scale);
        $b = $other->digits . str_repeat('0', $scale - $other->scale);
        if ($this->isNegative === $other->isNegative) {
            return self::of($this->isNegative, self::addDigits($a, $b), $scale);
        }
        return self::isLess($a, $b)
            ? self::of($other->isNegative, self::subtractDigits($b, $a), $scale)
            : self::of($this->isNegative, self::subtractDigits($a, $b), $scale);
    }

    public function subtract(self $other): self
    {
        return $this->add(self::of(!$other->isNegative, $other->digits, $other->scale));
    }

    public function multiply(self $other): self
    {
        $product = array_fill(0, strlen($this->digits) + strlen($other->digits), 0);
        foreach (array_reverse(str_split($this->digits)) as $i => $a) {
            foreach (array_reverse(str_split($other->digits)) as $j => $b) {
                $product[$i + $j] += (int) $a * (int) $b;
            }
        }
        $digits = '';
        $carry = 0;
        foreach ($product as $sum) {
            $sum += $carry;
            $digits = $sum % 10 . $digits;
            $carry = intdiv($sum, 10);
        }
        return self::of($this->isNegative !== $other->isNegative, $carry . $digits, $this->scale + $other->scale);
    }

    /** The quotient by a small positive number, rounded half up to so many decimals. */
    public function divide(int $divisor, int $decimals): self
    {
        $shift = max(0, $decimals + 1 - $this->scale);
        $quotient = '';
        $rest = 0;
        foreach (str_split($this->digits . str_repeat('0', $shift)) as $digit) {
            $rest = $rest * 10 + (int) $digit;
            $quotient .= intdiv($rest, $divisor);
            $rest %= $divisor;
        }
        // What is cut off below the digit that decides does not change which half it is in.
        return self::of($this->isNegative, $quotient, $this->scale + $shift)->round($decimals);
    }

    /** Half up, away from zero. */
    public function round(int $decimals): self
    {
        $cut = $this->scale - $decimals;
        if ($cut <= 0) {
            return $this;
        }
        $digits = str_pad($this->digits, $cut + 1, '0', STR_PAD_LEFT);
        $kept = substr($digits, 0, -$cut);
        return self::of($this->isNegative, $digits[-$cut] >= '5' ? self::addDigits($kept, '1') : $kept, $decimals);
    }

    /** With at least so many decimals, and otherwise no zeros at the end. */
    public function toText(int $decimals = 0): string
    {
        $digits = str_pad($this->digits, $this->scale + 1, '0', STR_PAD_LEFT);
        $whole = $this->scale === 0 ? $digits : substr($digits, 0, -$this->scale);
        $fraction = $this->scale === 0 ? '' : rtrim(substr($digits, -$this->scale), '0');
        $fraction = str_pad($fraction, $decimals, '0');
        return ($this->isNegative ? '-' : '') . $whole . ($fraction === '' ? '' : ".$fraction");
    }

    private static function of(bool $isNegative, string $digits, int $scale): self
    {
        $digits = ltrim($digits, '0');
        return new self($isNegative && $digits !== '', $digits === '' ? '0' : $digits, $scale);
    }

    private static function isLess(string $a, string $b): bool
    {
        $length = max(strlen($a), strlen($b));
        return strcmp(str_pad($a, $length, '0', STR_PAD_LEFT), str_pad($b, $length, '0', STR_PAD_LEFT)) < 0;
    }

    private static function addDigits(string $a, string $b): string
    {
        $length = max(strlen($a), strlen($b)) + 1;
        [$a, $b] = [str_pad($a, $length, '0', STR_PAD_LEFT), str_pad($b, $length, '0', STR_PAD_LEFT)];
        $carry = 0;
        for ($i = $length - 1; $i >= 0; $i--) {
            $sum = (int) $a[$i] + (int) $b[$i] + $carry;
            $a[$i] = (string) ($sum % 10);
            $carry = intdiv($sum, 10);
        }
        return $a;
    }

    /** `$a` is at least `$b`. */
    private static function subtractDigits(string $a, string $b): string
    {
        $length = max(strlen($a), strlen($b));
        [$a, $b] = [str_pad($a, $length, '0', STR_PAD_LEFT), str_pad($b, $length, '0', STR_PAD_LEFT)];
        $borrow = 0;
        for ($i = $length - 1; $i >= 0; $i--) {
            $difference = (int) $a[$i] - (int) $b[$i] - $borrow;
            $borrow = $difference < 0 ? 1 : 0;
            $a[$i] = (string) ($difference + 10 * $borrow);
        }
        return $a;
    }
}
