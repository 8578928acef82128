# The image of every process of production; docker-compose.yml shows the commands. It is built and run by
# `npm run test:image`, too, on a machine without an engine.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6

FROM ${NODE_IMAGE} AS build
WORKDIR /service
COPY package.json package-lock.json .npmrc ./
# npm may fail and still exit with 0; `npm ls` then names what is missing.
RUN npm ci --no-audit --no-fund && npm ls --all > /dev/null && rm -rf node_modules/node-linux-*
COPY . .
RUN npm run build

# The simulated providers, for the test environment: docker build --target sandbox.
FROM build AS sandbox
RUN install -d -o node -g node /books
USER node
CMD ["node", "src/sandbox.ts"]

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /service
COPY package.json package-lock.json .npmrc ./
# The list of packages is taken of what is there; with --omit or from the lock file npm leaves some out.
# The workflows are bundled: nothing compiles in production.
RUN npm ci --omit=dev --omit=optional --no-audit --no-fund && npm ls --omit=dev --omit=optional --all > /dev/null \
  && npm pkg delete devDependencies optionalDependencies && npm sbom --sbom-format=cyclonedx --sbom-type=application > sbom.cdx.json \
  && rm -r node_modules/@swc

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
# Requests leave so much behind at once that the default of 16 MB is collected several times a second.
ENV NODE_OPTIONS=--max-semi-space-size=64
ENV WORKFLOW_BUNDLE=/service/workflows.bundle.js
WORKDIR /service
COPY --from=dependencies /service ./
COPY --from=build /service/dist ./
COPY deploy/image/check-health.mjs ./
USER node
EXPOSE 3000
HEALTHCHECK --interval=5s --timeout=5s --start-period=60s CMD ["node", "check-health.mjs"]
CMD ["node", "src/api.js"]
