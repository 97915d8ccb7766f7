# n8n with the Beckon node, as Settings → Community Nodes would install it.
# Each can be set to the same image with its digest (deploy/base-images.sh).
ARG NODE_IMAGE=node
ARG N8N_IMAGE=n8n

# The defaults. Dependabot does not read images from variables.
FROM node:24-bookworm-slim AS node
FROM docker.n8n.io/n8nio/n8n:2 AS n8n

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY . .
# Only what builds the node, in the lock file's versions: n8n itself is in the image below.
RUN node -p "const { workspaces, scripts, peerDependencies, devDependencies: { tsup, typescript }, ...rest } = require('./package.json'); JSON.stringify({ ...rest, devDependencies: { tsup, typescript } })" > slim.json \
	&& mv slim.json package.json \
	&& npm install --no-save --ignore-scripts --no-audit --no-fund \
	&& npx --no-install tsup && npm pack --pack-destination /tmp \
	&& mkdir /node && tar -xzf /tmp/n8n-nodes-beckon-*.tgz -C /node --strip-components=1

FROM ${N8N_IMAGE}
# Outside the volume of n8n's data, so that a new image brings the new node. Each start links it into the volume,
# beside what was installed from n8n's menu.
COPY --from=build /node /opt/n8n-nodes-beckon
COPY deploy/n8n-start.sh /
ENTRYPOINT ["tini", "--", "/bin/sh", "/n8n-start.sh"]
