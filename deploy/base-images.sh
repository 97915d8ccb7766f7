#!/bin/sh
# Prints the base images of Beckon's images and compose.yaml, each with the current digest of its tag, as
# variables. To build and start with exactly these:
#
#   deploy/base-images.sh > base-images.env
#   docker compose --env-file .env --env-file base-images.env up -d --build
#
# Each release has base-images.env, as of its day, among its assets.
set -eu
cd "$(dirname "$0")/.."
sed -nE -e 's/^FROM ([^$ ]+) AS ([a-z0-9]+)$/\2 \1/p' -e 's/^ *image: \$\{(\w+)_IMAGE:-([^}]+)\}$/\1 \2/p' \
	Dockerfile deploy/n8n.Dockerfile compose.yaml |
	sort -fu |
	while read -r name image; do
		digest=$(docker buildx imagetools inspect "$image" --format '{{.Manifest.Digest}}' </dev/null)
		echo "$(echo "$name" | tr '[:lower:]' '[:upper:]')_IMAGE=$image@$digest"
	done
