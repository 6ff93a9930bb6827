# syntax=docker/dockerfile:1
# Builds the package from this checkout, then installs only what runs.
FROM node:22.20.0-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm pack --ignore-scripts --pack-destination /package

FROM node:22.20.0-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /package/*.tgz /tmp/isonode.tgz
RUN npm install --omit=dev --no-audit --no-fund /tmp/isonode.tgz \
  && npm cache clean --force \
  && rm /tmp/isonode.tgz \
  && mkdir /data \
  && chown 1000:1000 /data
USER 1000:1000
VOLUME /data
ENV ISONODE_DATA_PATH=/data \
  ISONODE_RPC_HTTP_HOST=0.0.0.0 \
  ISONODE_RPC_WS_HOST=0.0.0.0
EXPOSE 8545 8546
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8545/liveness').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# The node handles SIGTERM as process 1: it finishes the current block and closes the database.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "/app/node_modules/isonode/dist/server.js"]
