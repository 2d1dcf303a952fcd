# A small image in two steps: build with everything, run with production packages only, as a user without rights.
FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json build.mjs tsconfig.json ./
RUN npm ci --ignore-scripts
COPY src ./src
COPY bin ./bin
COPY docs/problems ./docs/problems
COPY openapi.json asyncapi.json ./
RUN node build.mjs && npm prune --omit=dev --ignore-scripts

FROM node:20-bookworm-slim
ENV NODE_ENV=production OPSLOG_DATA_DIR=/data OPSLOG_HOST=0.0.0.0 OPSLOG_EDGE_HOST=0.0.0.0
WORKDIR /app
COPY --from=build --chown=node:node /app ./
RUN rm -rf src && mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080 8788
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/health/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "bin/opslog.mjs"]
CMD ["serve"]
