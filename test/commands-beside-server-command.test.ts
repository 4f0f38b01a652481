import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandUsages } from '../src/standalone/usage.ts'
import { runCli } from './support/cli-process.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { type Collector, startCollector } from './support/otlp-collector.ts'
import {
  environmentFor,
  freePort,
  type ServerProcess,
  startServer,
} from './support/server-process.ts'

// Every command that runs once, with the environment of a running server whose exporters are on.

let database: TestDatabase
let folder: string
let collector: Collector
let server: ServerProcess
let env: Record<string, string>

beforeAll(async () => {
  database = await createTestDatabase()
  folder = mkdtempSync(join(tmpdir(), 'latchkey-beside-'))
  writeFileSync(join(folder, 'users.jsonl'), '{"email":"ada@example.test"}\n')
  writeFileSync(join(folder, 'advisories.json'), '[]')
  collector = await startCollector()
  env = {
    AUTH_SUBSCRIBE_PAGES_ENABLED: 'true',
    AUTH_OAUTH_SERVER_ENABLED: 'true',
    AUTH_TRACING_ENABLED: 'true',
    AUTH_METRICS_ENABLED: 'true',
    AUTH_METRICS_EXPORTER: 'prometheus',
    OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
    OTEL_EXPORTER_PROMETHEUS_PORT: String(await freePort()),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  }
  server = await startServer(database.url, { ...env, OTEL_SERVICE_NAME: 'server' })
})
afterAll(async () => {
  await server?.stop()
  await collector?.close()
  await database?.drop()
  rmSync(folder, { recursive: true, force: true })
})

const commands = [
  'admin list',
  'admin create-user grace@example.test',
  'why 0b5f6c1e-6a55-4d0e-9f0c-3a52d3b3a9d1',
  'lists list',
  'outbox list',
  'keys list',
  'clients list',
  'providers list',
  'migrate',
  'migrate status',
  'migrate plan',
  'import users users.jsonl',
  'mail preview mails',
  'doctor --advisories advisories.json',
  'openapi',
  'version',
]

const exporters = () => new Set(collector.spans.map(({ resource }) => resource['service.name']))

describe('N01: a command that runs once', () => {
  it.each(commands)('opens no port and exports nothing: latchkey %s', async (command) => {
    const options = environmentFor(database.url, { ...env, OTEL_SERVICE_NAME: 'command' })
    const { code, output } = await runCli(command.split(' '), { ...options, cwd: folder })

    expect(code, output).toBe(0)
    expect(exporters()).not.toContain('command')
  })

  it('is in the list above', () => {
    const others = ['serve', 'dev', 'init', 'sql', 'help']
    const groups = commandUsages.map(({ name }) => name.split(' ')[0] ?? '')
    const tested = commands.map((command) => command.split(' ')[0])

    expect(new Set([...tested, ...others])).toEqual(new Set(groups))
  })

  it('leaves the server its exporters', async () => {
    await fetch(`${server.url}/health`)
    const port = env['OTEL_EXPORTER_PROMETHEUS_PORT']
    const metrics = await (await fetch(`http://127.0.0.1:${port}/`)).text()
    await server.stop()

    expect(metrics).toContain('http_server_request_duration')
    expect([...exporters()]).toEqual(['server'])
  })
})
