<?php

/** Makes the calls of the common scenario with the PHP library. The form of jobs and results: README.md of the folder above. */

declare(strict_types=1);

require __DIR__ . '/../../../src/sdk/php/autoload.php';

final class TestClock extends Sello\Clock
{
    /** @var list<float> in milliseconds */
    public array $waits = [];
    private float $ahead = 0.0;

    public function now(): float
    {
        return parent::now() + $this->ahead;
    }

    public function sleep(float $seconds): void
    {
        $this->waits[] = $seconds * 1000;
        $this->ahead += $seconds;
    }
}

/** Options of the scenario as named arguments. */
function toArguments(array $options): array
{
    $arguments = [];
    foreach ($options as $name => $value) {
        if ($name === 'timeoutMs') {
            $arguments['timeout'] = $value / 1000;
        } else {
            $arguments[$name] = $value;
        }
    }
    return $arguments;
}

function toLines(array $lines): array
{
    $names = ['unitPrice' => 'unit_price', 'taxRate' => 'tax_rate'];
    return array_map(
        fn (array $line) => array_combine(array_map(fn ($name) => $names[$name] ?? $name, array_keys($line)), $line),
        $lines,
    );
}

function run(array $job, TestClock $clock): mixed
{
    $arguments = $job['args'] ?? [];
    $options = toArguments($job['options'] ?? []);
    if ($job['call'] === 'buildInvoice') {
        return Sello\Invoice::build(...['lines' => toLines($arguments[0]['lines'])] + $arguments[0]);
    }
    if ($job['call'] === 'webhooks.verify') {
        return Sello\Webhook::verify(...$arguments, ...$options);
    }
    $client = new Sello\Client(...toArguments($job['client']), clock: $clock);
    [$area, $method] = explode('.', $job['call']);
    for ($left = $job['repeat'] ?? 1; $left > 0; $left--) {
        $result = $client->$area->$method(...$arguments, ...$options);
    }
    if (!isset($job['take'])) {
        return $result;
    }
    $taken = [];
    foreach ($result as $item) {
        $taken[] = $item;
        if (count($taken) === $job['take']) {
            break;
        }
    }
    return $taken;
}

function toValue(mixed $result): mixed
{
    if ($result instanceof Sello\Download) {
        $content = mb_convert_encoding(substr($result->content(), 0, 5), 'UTF-8', 'ISO-8859-1');
        return ['contentType' => $result->contentType, 'size' => $result->size(), 'head' => $content];
    }
    return $result instanceof Sello\Page ? ['items' => $result->items, 'next' => $result->next] : $result;
}

function toError(Throwable $error): array
{
    $class = preg_match('/^Sello\\\\(\w+)Error$/', $error::class, $match) === 1 ? $match[1] : 'Other';
    $members = ['class' => $class, 'detail' => $error->getMessage()];
    foreach (['status', 'slug', 'title', 'detail', 'errors', 'requestId', 'idempotencyKey', 'docId', 'retryAfter'] as $name) {
        if (isset($error->$name)) {
            $members[$name] = $error->$name;
        }
    }
    if ($error instanceof Sello\RejectedError) {
        $members += ['authorityCode' => $error->authorityCode(), 'docId' => $error->docId()];
    }
    return $members;
}

$results = [];
foreach (json_decode(stream_get_contents(STDIN), true, 512, JSON_THROW_ON_ERROR)['jobs'] as $job) {
    $clock = new TestClock();
    try {
        $result = ['value' => toValue(run($job, $clock))];
    } catch (Throwable $error) {
        $result = ['error' => toError($error)];
    }
    $results[] = $result + ['waits' => $clock->waits];
}
echo json_encode($results, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION);
