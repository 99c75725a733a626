<?php

declare(strict_types=1);

namespace Sello;

/**
 * Events as they happen, in order and without gaps. The stream reconnects where it was cut; leave it with `break`.
 *
 * @implements \IteratorAggregate<int, array<string, mixed>>
 */
final class EventStream implements \IteratorAggregate
{
    private const REPEATED = [408, 429, 500, 502, 503, 504];
    private const PAUSE_MAX = 30.0;

    /** The place after the last event. Store it with your work, and pass it as `after` to continue there. */
    public ?string $cursor = null;
    private float $pause = 2.0;

    /**
     * @internal
     * @param \Closure(?string): iterable<string> $connect
     */
    public function __construct(private readonly \Closure $connect, private readonly Clock $clock)
    {
    }

    /** @return \Generator<int, array<string, mixed>> */
    public function getIterator(): \Generator
    {
        $failures = 0;
        while (true) {
            $pause = $this->pause;
            try {
                foreach ($this->readOne() as $event) {
                    $failures = 0;
                    yield $event;
                }
            } catch (ConnectionError) {
                $failures++;
            } catch (ApiError $error) {
                if (!in_array($error->status, self::REPEATED, true)) {
                    throw $error;
                }
                $failures++;
                $pause = max($pause, $error->retryAfter ?? 0.0);
            }
            $this->clock->sleep($pause + lcg_value() * min(self::PAUSE_MAX, 0.5 * 2 ** $failures));
        }
    }

    /** @return \Generator<int, array<string, mixed>> the events of one connection */
    private function readOne(): \Generator
    {
        $rest = '';
        $message = '';
        foreach (($this->connect)($this->cursor) as $piece) {
            $lines = explode("\n", $rest . $piece);
            $rest = array_pop($lines);
            foreach ($lines as $line) {
                $line = rtrim($line, "\r");
                if ($line !== '') {
                    $message .= "$line\n";
                    continue;
                }
                $event = $this->readMessage($message);
                $message = '';
                if ($event !== null) {
                    yield $event;
                }
            }
        }
    }

    /**
     * The cursor moves with a whole message only, so that a cut one comes again. Source: WHATWG HTML, 9.2.6.
     *
     * @return array<string, mixed>|null
     */
    private function readMessage(string $message): ?array
    {
        $data = [];
        foreach (explode("\n", rtrim($message, "\n")) as $line) {
            [$field, $value] = [...explode(':', $line, 2), ''];
            $value = str_starts_with($value, ' ') ? substr($value, 1) : $value;
            if ($field === 'data') {
                $data[] = $value;
            } elseif ($field === 'id') {
                $this->cursor = $value;
            } elseif ($field === 'retry' && ctype_digit($value)) {
                $this->pause = min(self::PAUSE_MAX, (int) $value / 1000);
            }
        }
        return $data === [] ? null : json_decode(implode("\n", $data), true, 512, JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING);
    }
}
