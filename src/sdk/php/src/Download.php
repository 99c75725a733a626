<?php

declare(strict_types=1);

namespace Sello;

/** A file of the service: a printed document, signed XML, evidence, an export. More than 2 MB of it wait on the disk. */
final class Download
{
    public readonly string $contentType;
    public readonly ?string $etag;
    /** The suggested name, without folders. */
    public readonly ?string $filename;

    /** @var resource */
    private $stream;

    /** @internal */
    public function __construct(Response $response)
    {
        $this->stream = fopen('php://temp', 'w+b');
        foreach ($response->pieces as $piece) {
            fwrite($this->stream, $piece);
        }
        $this->contentType = $response->header('content-type') ?? 'application/octet-stream';
        $this->etag = $response->header('etag');
        $disposition = $response->header('content-disposition') ?? '';
        // Source: RFC 6266.
        $this->filename = match (true) {
            preg_match("/filename\\*=[\\w-]+''([^;]+)/i", $disposition, $match) === 1 => basename(rawurldecode($match[1])),
            preg_match('/filename="?([^";]+)/i', $disposition, $match) === 1 => basename($match[1]),
            default => null,
        };
    }

    public function size(): int
    {
        return fstat($this->stream)['size'];
    }

    public function content(): string
    {
        return stream_get_contents($this->stream, -1, 0);
    }

    /** @return resource at its beginning */
    public function stream()
    {
        rewind($this->stream);
        return $this->stream;
    }

    /** Writes the file. An existing one is replaced by the whole file only. Throws SelloError. */
    public function save(string $path): void
    {
        $partial = $path . '.' . getmypid() . '.part';
        $file = @fopen($partial, 'wb');
        $isWritten = $file && stream_copy_to_stream($this->stream(), $file) === $this->size() && fclose($file);
        if (!$isWritten || !@rename($partial, $path)) {
            @unlink($partial);
            throw new SelloError("$path cannot be written");
        }
    }
}
