#!/bin/sh
# Starts n8n in its container, with the Beckon node of the image (deploy/n8n.Dockerfile) among the nodes installed
# from n8n's menu. Those are in n8n's data, which outlives the container.
set -eu
nodes="$HOME/.n8n/nodes"
node="$nodes/node_modules/n8n-nodes-beckon"
mkdir -p "$nodes/node_modules"
# One that was installed or updated from the menu stays.
if [ -L "$node" ] || [ ! -e "$node" ]; then
	ln -sfn /opt/n8n-nodes-beckon "$node"
fi
exec /docker-entrypoint.sh "$@"
