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
	&& mkdir -p /nodes/node_modules/n8n-nodes-beckon \
	&& tar -xzf /tmp/n8n-nodes-beckon-*.tgz -C /nodes/node_modules/n8n-nodes-beckon --strip-components=1 \
	&& echo '{"name":"installed-nodes","private":true}' > /nodes/package.json

FROM ${N8N_IMAGE}
# Outside the volume of n8n's data, so that a new image brings the new node.
COPY --from=build --chown=node:node /nodes /opt/beckon-nodes
USER root
RUN mkdir -p /home/node/.n8n && ln -s /opt/beckon-nodes /home/node/.n8n/nodes && chown -h node:node /home/node/.n8n /home/node/.n8n/nodes
USER node
