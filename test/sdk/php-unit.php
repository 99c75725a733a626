<?php

/** What the common scenario does not show of the PHP library. Prints each check that fails; exits with 1 if there is one. */

declare(strict_types=1);

require __DIR__ . '/../../src/sdk/php/autoload.php';

$failed = 0;

function check(string $name, mixed $found, mixed $expected): void
{
    if ($found !== $expected) {
        $GLOBALS['failed']++;
        echo "$name: ", json_encode($found), ', not ', json_encode($expected), "\n";
    }
}

/** The class of what `$work` throws; null if it throws nothing. */
function thrown(callable $work): ?string
{
    try {
        $work();
    } catch (Throwable $error) {
        return $error::class;
    }
    return null;
}

/** Answers in order, and keeps what was sent. */
final class Recorder implements Sello\Transport
{
    /** @var list<Sello\Request> */
    public array $sent = [];

    public function __construct(private array $answers)
    {
    }

    public function send(Sello\Request $request): Sello\Response
    {
        $this->sent[] = $request;
        [$status, $headers, $body] = array_shift($this->answers) ?? [200, [], '{}'];
        return new Sello\Response($status, $headers, [$body]);
    }
}

function clientOf(array $answers, ?Recorder &$recorder = null): Sello\Client
{
    $recorder = new Recorder($answers);
    return new Sello\Client('https://ecf.example/', 'ak_secret', accessToken: 'at_secret', transport: $recorder);
}

// Requests.
$client = clientOf([], $recorder);
$client->apiKeys->rotate('a/b', []);
check('a path parameter', $recorder->sent[0]->url, 'https://ecf.example/v1/api-keys/a%2Fb/rotate');
check('an empty body', $recorder->sent[0]->body, '{}');
$client->events->list(types: ['invoice.*', 'sequence.low'], limit: 5);
check('a list in a query', $recorder->sent[1]->url, 'https://ecf.example/v1/events?limit=5&types=invoice.%2A%2Csequence.low');
$client->invoices->create(['customer' => ['name' => 'Ñandú']], scenario: ['scenario' => 'accept'], dry_run: true);
check('UTF-8', $recorder->sent[2]->body, '{"customer":{"name":"Ñandú"}}');
check('a scenario', $recorder->sent[2]->headers['X-Sandbox-Scenario'], '{"scenario":"accept"}');
check('a flag', str_ends_with($recorder->sent[2]->url, '?dry_run=true'), true);
$isInvalid = InvalidArgumentException::class;
check('a line break in a header', thrown(fn () => $client->invoices->create([], idempotencyKey: "a\r\nX: y")), $isInvalid);
check('an empty id', thrown(fn () => $client->invoices->get('')), $isInvalid);
check('two dots', thrown(fn () => $client->invoices->get('..')), $isInvalid);
check('no address', thrown(fn () => new Sello\Client('ftp://ecf.example')), $isInvalid);
check('invalid UTF-8', thrown(fn () => $client->invoices->create(['a' => "\xff"])), JsonException::class);
check('secrets in dumps', str_contains(print_r($client, true), '_secret'), false);

// Answers.
$client = clientOf([[200, ['content-type' => 'text/html'], '<h1>A proxy</h1>']]);
$noRetries = new Sello\Client('https://ecf.example', maxRetries: 0, transport: new Recorder([[200, [], '<h1>']]));
check('a page in place of JSON', thrown(fn () => $noRetries->invoices->get('a')), Sello\ConnectionError::class);
$disposition = "attachment; filename=\"e.pdf\"; filename*=UTF-8''..%2F%C3%B1.pdf";
$client = clientOf([[200, ['content-type' => 'application/pdf', 'content-disposition' => $disposition], 'PDF']]);
$file = $client->invoices->pdf('a');
check('the name of a file', $file->filename, 'ñ.pdf');
$path = sys_get_temp_dir() . '/sello-' . getmypid() . '.pdf';
$file->save($path);
$file->save($path);
check('a saved file', file_get_contents($path), 'PDF');
unlink($path);
check('a folder that is not there', thrown(fn () => $file->save('/nowhere/a.pdf')), Sello\SelloError::class);
$pages = [[200, [], '{"items":[1,2],"count":2,"partial":true,"next":"b"}'], [200, [], '{"items":[3],"count":1,"partial":false,"next":"c"}']];
check('pages', iterator_to_array(clientOf($pages, $recorder)->invoices->list(limit: 2)), [1, 2, 3]);
check('the second page', $recorder->sent[1]->url, 'https://ecf.example/v1/invoices?after=b&limit=2');

// Errors.
$fault = fn (int $count) => json_encode(['type' => '/errors/validation-error', 'detail' => 'Refused.', 'errors' => array_fill(0, $count, ['pointer' => '/encf', 'detail' => 'Send it.'])]);
$message = function (int $count) use ($fault): string {
    try {
        clientOf([[400, ['content-type' => 'application/problem+json'], $fault($count)]])->invoices->create([]);
    } catch (Sello\ValidationError $error) {
        return $error->getMessage();
    }
    return '';
};
check('a message without violations', $message(0), '400 validation-error: Refused.');
check('a message names what is wrong', $message(1), '400 validation-error: Refused. /encf: Send it.');
check('a message names three at most', substr_count($message(9), '/encf'), 3);

// Webhooks.
$body = '{"event":"invoice.accepted"}';
$signature = 't=1000,v1=' . hash_hmac('sha256', "1000.$body", 'whsec_YQ==');
$verify = fn (array $headers, array|string $secrets = 'whsec_YQ==', int $now = 1000) => Sello\Webhook::verify($body, $headers, $secrets, now: $now);
check('headers of $_SERVER', $verify(['HTTP_X_SERVICE_SIGNATURE' => $signature, 'argc' => 1])['event'], 'invoice.accepted');
check('headers of PSR-7', $verify(['X-Service-Signature' => [$signature]], ['b', 'whsec_YQ=='])['event'], 'invoice.accepted');
check('301 seconds', thrown(fn () => $verify(['X-Service-Signature' => $signature], now: 1301)), Sello\SignatureError::class);
check('a signature with a line more', thrown(fn () => $verify(['X-Service-Signature' => "$signature\n"])), Sello\SignatureError::class);

// Amounts.
$line = fn (mixed $price, mixed $quantity = 1) => Sello\Invoice::build('32', [], [['quantity' => $quantity, 'unit_price' => $price, 'tax_rate' => '18']]);
check('a float', thrown(fn () => $line(1.5)), $isInvalid);
check('seven decimals', thrown(fn () => $line('0.0000001')), $isInvalid);
check('a negative amount', thrown(fn () => $line('-1.00')), $isInvalid);
check('text', thrown(fn () => $line("1\n")), $isInvalid);
check('zeros at the end', $line('1.1000000000')['totals']['subtotal'], '1.10');
check('a large product', $line('9999999999999999.99', '9999.99')['lines'][0]['subtotal'], '99999899999999999900.00');

exit($failed > 0 ? 1 : 0);
