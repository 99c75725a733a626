<?php

declare(strict_types=1);

namespace Sello;

/** Time for tokens and pauses; a test may pass one that does not sleep. */
class Clock
{
    /** Unix time in seconds. */
    public function now(): float
    {
        return microtime(true);
    }

    public function sleep(float $seconds): void
    {
        usleep((int) ($seconds * 1_000_000));
    }
}
