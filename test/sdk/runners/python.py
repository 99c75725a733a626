"""Runs the jobs of the common scenario with the Python SDK. `test/sdk/README.md` describes jobs and results."""

import itertools
import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "src/sdk/python"))
sys.dont_write_bytecode = True

import sello_ecf as sdk  # noqa: E402

CLASSES = {
    sdk.ApiTimeoutError: "Timeout",
    sdk.ApiConnectionError: "Connection",
    sdk.SignatureError: "Signature",
    sdk.RejectedError: "Rejected",
    sdk.ValidationError: "Validation",
    sdk.AuthenticationError: "Authentication",
    sdk.PermissionDeniedError: "Permission",
    sdk.NotFoundError: "NotFound",
    sdk.ConflictError: "Conflict",
    sdk.RateLimitError: "RateLimit",
    sdk.ServerError: "Server",
    sdk.ApiError: "Api",
}
MEMBERS = {
    "status": "status",
    "slug": "slug",
    "title": "title",
    "detail": "detail",
    "errors": "errors",
    "request_id": "requestId",
    "idempotency_key": "idempotencyKey",
    "authority_code": "authorityCode",
    "doc_id": "docId",
    "retry_after": "retryAfter",
}


class NotedClock:
    """Moves on by what it is asked to wait for."""

    def __init__(self):
        self.at = sdk.SystemClock().now()
        self.waits = []

    def now(self):
        return self.at

    def sleep(self, seconds):
        self.waits.append(seconds * 1000)
        self.at += seconds


def snake(name):
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).replace("-", "_").lower()


def options_of(options):
    named = {}
    for name, value in options.items():
        if name == "timeoutMs":
            named["timeout"] = value / 1000
        else:
            named["from_" if name == "from" else snake(name)] = value
    return named


def call(job, clock):
    args, options = job.get("args", []), options_of(job.get("options", {}))
    if job["call"] == "webhooks.verify":
        body, headers, secrets = args
        return sdk.verify_webhook(body.encode(), headers, secrets, **options)
    if job["call"] == "buildInvoice":
        (asked,) = args
        lines = [{snake(name): value for name, value in line.items()} for line in asked["lines"]]
        return sdk.build_invoice(**{**asked, "lines": lines})
    with sdk.Sello(clock=clock, **options_of(job["client"])) as client:
        target = client
        for name in job["call"].split("."):
            target = getattr(target, snake(name))
        for _ in range(job.get("repeat", 1)):
            result = target(*args, **options)
        if "take" in job:
            taken = list(itertools.islice(result, job["take"]))
            if isinstance(result, sdk.EventStream):
                result.close()
            return taken
        return result


def plain(value):
    if isinstance(value, sdk.Download):
        content = value.read()
        return {"contentType": value.content_type, "size": len(content), "head": content[:5].decode("latin-1")}
    return value.data if isinstance(value, sdk.Page) else value


def describe(fault):
    name = next((name for kind, name in CLASSES.items() if isinstance(fault, kind)), None)
    if name is None:
        return {"class": "Other", "detail": "%s: %s" % (type(fault).__name__, fault)}
    members = {name: getattr(fault, own, None) for own, name in MEMBERS.items()}
    return {"class": name, **{own: value for own, value in members.items() if value is not None}}


def run(job):
    clock = NotedClock()
    try:
        result = {"value": plain(call(job, clock))}
    except Exception as fault:
        result = {"error": describe(fault)}
    return {**result, "waits": clock.waits}


if __name__ == "__main__":
    jobs = json.load(sys.stdin)["jobs"]
    json.dump([run(job) for job in jobs], sys.stdout)
