# The server of Latchkey: docker build -t latchkey .
# It listens on port 8081, runs as an unprivileged user, and writes no file: use --read-only.

FROM node:24-bookworm AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm pack --ignore-scripts --pack-destination /tmp

FROM node:24-alpine AS dependencies
WORKDIR /app
COPY --from=build /tmp/latchkey-*.tgz /tmp/
# Optional packages, such as redis and those of OpenTelemetry, are added to this line.
RUN npm init --yes >/dev/null && npm install --omit=dev --omit=optional --no-audit --no-fund /tmp/latchkey-*.tgz
# The embedded database is omitted, and with it the native packages that hash passwords.
RUN npm install --no-save --omit=dev --omit=optional --no-audit --no-fund $(node -p "Object.entries(require('latchkey/package.json').dependencies).filter(([name]) => name.startsWith('@node-rs/')).map(([name, version]) => name + '-linux-' + process.arch + '-musl@' + version).join(' ')")

FROM node:24-alpine
# npm is not needed at run time.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /opt/yarn*
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
# In a container of less than 1 GiB, V8 would collect new objects after each MiB, and its four helper
# threads take the cores from requests where there are only two: docs/operations.md.
ENV NODE_ENV=production AUTH_API_HOST=0.0.0.0 AUTH_API_PORT=8081
ENV NODE_OPTIONS="--max-semi-space-size=8 --v8-pool-size=2"
USER node
EXPOSE 8081
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.AUTH_API_PORT}/health`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "node_modules/latchkey/dist/standalone/cli.js"]
CMD ["serve"]
