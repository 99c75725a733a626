# The service in a container: the locked production packages, the source, the sample data, and nothing to build.
#
#   bun scripts/build-assets.ts      first, so that the image has the console, and the client libraries of /sdk
#   docker build -t sello .
#   docker run --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges -v sello:/data -p 3000:3000 sello
#   docker exec CONTAINER bun run admin keys create --plan free --label NAME
#
# So that the service can tell which source it was made of: --build-arg COMMIT="$(git rev-parse HEAD)"
#
# To pin the base by content, give its digest: --build-arg BUN_IMAGE=oven/bun:1.4.5-slim@sha256:…
# Where libcrypto.so.3 is in the base, OpenSSL signs, twice as fast on processors with AVX-512 IFMA; the `ready` line names the engine.
ARG BUN_IMAGE=oven/bun:1.4.5-slim

FROM ${BUN_IMAGE} AS dependencies
WORKDIR /app
COPY package.json bun.lock bunfig.toml ./
COPY scripts/patches ./scripts/patches
# The embedded PostgreSQL comes as an optional package of this platform; its install script links its libraries.
RUN bun install --frozen-lockfile --production && mkdir /data

FROM ${BUN_IMAGE}
ARG COMMIT=
LABEL org.opencontainers.image.title="sello" \
      org.opencontainers.image.description="Multi-tenant electronic tax invoicing and a taxpayer-registry API." \
      org.opencontainers.image.version="0.1.0-dev" \
      org.opencontainers.image.licenses="UNLICENSED"
WORKDIR /app
# Bun's own cache is switched off because the root file system may be read-only.
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATA_DIR=/data \
    COMMIT=${COMMIT} \
    BUN_RUNTIME_TRANSPILER_CACHE_PATH=0
COPY --from=dependencies /app/node_modules ./node_modules
# The lock file is part of the digest by which the service knows that the built console fits.
COPY package.json tsconfig.json bun.lock ./
COPY data ./data
COPY src ./src
# The operator's commands and the verifier of evidence.
COPY scripts/admin.ts scripts/progress.ts scripts/verify-evidence.ts ./scripts/
COPY scripts/admin ./scripts/admin
# A new volume takes its owner from here. 1000 is the base's user `bun`: initdb refuses a user without a name.
COPY --from=dependencies --chown=1000:1000 /data /data
USER 1000:1000
VOLUME ["/data"]
EXPOSE 3000
# On SIGTERM the service drains and stops the embedded servers, within 10 seconds: the time that docker stop gives.
STOPSIGNAL SIGTERM
# Liveness, not readiness: a database that is away must not get the container killed. Words of the shell alone: to start a runtime for each check
# takes five times the processor time.
HEALTHCHECK --interval=15s --timeout=3s --start-period=60s --retries=3 \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/$PORT && printf 'GET /livez HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n' >&3 && read -r -t 2 -u 3 _ status _ && [ \"$status\" = 200 ]"]
ENTRYPOINT ["bun", "src/main.ts"]
