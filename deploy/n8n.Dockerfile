# n8n with the Beckon node, as Settings → Community Nodes would install it.
FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY . .
# Only what builds the node: n8n itself is in the image below.
RUN npm pkg delete workspaces devDependencies peerDependencies scripts \
	&& npm install --no-save --ignore-scripts --no-audit --no-fund tsup@8 typescript@6 \
	&& npx tsup && npm pack --pack-destination /tmp \
	&& mkdir -p /nodes/node_modules/n8n-nodes-beckon \
	&& tar -xzf /tmp/n8n-nodes-beckon-*.tgz -C /nodes/node_modules/n8n-nodes-beckon --strip-components=1 \
	&& echo '{"name":"installed-nodes","private":true}' > /nodes/package.json

FROM docker.n8n.io/n8nio/n8n:2
# Beside the volume of n8n's data, so that a new image brings the new node.
COPY --from=build --chown=node:node /nodes /opt/beckon-nodes
USER root
RUN mkdir -p /home/node/.n8n && ln -s /opt/beckon-nodes /home/node/.n8n/nodes && chown -h node:node /home/node/.n8n /home/node/.n8n/nodes
USER node
