# The Beckon server. Build it from the repository:  docker build -t beckon-server .
# The image has no build tools, does not run as root, and needs to write only to /data.
# NODE_IMAGE can be set to the same image with its digest (deploy/base-images.sh).
ARG NODE_IMAGE=node

# The default. Dependabot does not read images from variables.
FROM node:24-bookworm-slim AS node

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
COPY server/package.json server/
RUN npm install --no-save --workspace server --ignore-scripts --no-audit --no-fund
COPY server server
# The runtime dependencies come from the same lock file as the build's.
RUN npm run build --workspace server \
	&& npm pack --workspace server --pack-destination /tmp \
	&& mkdir -p /app/server && cp package.json package-lock.json .npmrc /app/ \
	&& tar -xzf /tmp/beckon-server-*.tgz -C /app/server --strip-components=1 && cd /app \
	&& npm install --no-save --omit=dev --workspace server --ignore-scripts --no-audit --no-fund \
	# Remove the store's binaries for other systems, and their sources.
	&& find node_modules/better-sqlite3/prebuilds -mindepth 1 -maxdepth 1 -not -name "linux-$(node -p process.arch)*" -exec rm -r {} + \
	&& rm -r node_modules/better-sqlite3/deps node_modules/better-sqlite3/src

FROM ${NODE_IMAGE}
# The last four keep memory use low with thousands of connected phones (docs/operations.md, "Memory").
ENV NODE_ENV=production \
	BECKON_DATA=/data \
	BECKON_HOST=0.0.0.0 \
	BECKON_PORT=8787 \
	NODE_OPTIONS=--max-semi-space-size=4 \
	MALLOC_ARENA_MAX=1 \
	MALLOC_MMAP_THRESHOLD_=32768 \
	MALLOC_TOP_PAD_=32768
COPY --from=build /app /app
RUN ln -s /app/node_modules/.bin/beckon-server /usr/local/bin/beckon-server \
	&& install -d -o node -g node -m 0700 /data
USER node
WORKDIR /data
VOLUME /data
EXPOSE 8787
STOPSIGNAL SIGTERM
# Not /readyz: what restarts unhealthy containers would restart the server whenever the database is down.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
	CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/$BECKON_PORT && printf 'GET /healthz HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n' >&3 && read -r -t 2 _ status _ <&3 && [ \"$status\" = 200 ]"]
ENTRYPOINT ["beckon-server"]
CMD ["start"]
