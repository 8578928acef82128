# One image for every process; docker-compose.yml shows the commands.
FROM node:20.20.2-bookworm-slim AS dependencies
WORKDIR /service
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev

FROM node:20.20.2-bookworm-slim
ENV NODE_ENV=production
# Requests leave so much behind at once that the default of 16 MB is collected several times a second.
ENV NODE_OPTIONS=--max-semi-space-size=64
WORKDIR /service
COPY --from=dependencies /service/node_modules ./node_modules
COPY package.json tsconfig.json ./
COPY src ./src
COPY workflows ./workflows
COPY activities ./activities
COPY migrations ./migrations
# What the pages at /docs are made of.
COPY docs/guides/integrate ./docs/guides/integrate
USER node
EXPOSE 3000
CMD ["node", "--import", "tsx", "src/api.ts"]
