import parsePrometheus from 'parse-prometheus-text-format'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask } from './support/ask.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { startCollector } from './support/otlp-collector.ts'
import { freePort, type ServerProcess, startServer } from './support/server-process.ts'
import { eventually, whenReady, workersOf } from './support/worker-processes.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.drop())

const args = ['serve', '--workers', '2']

/** A family of series, as the parser returns it. */
interface Family {
  name: string
  metrics: { value?: string; labels?: Record<string, string> }[]
}

describe('metrics of Prometheus', () => {
  let server: ServerProcess
  let metricsUrl: string
  beforeAll(async () => {
    const port = await freePort()
    metricsUrl = `http://127.0.0.1:${port}/metrics`
    const settings = {
      AUTH_METRICS_ENABLED: 'true',
      AUTH_METRICS_EXPORTER: 'prometheus',
      OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
      OTEL_EXPORTER_PROMETHEUS_PORT: String(port),
    }
    server = await startServer(database.url, settings, args)
  })
  afterAll(() => server?.stop())

  const samples = async () => parsePrometheus(await (await fetch(metricsUrl)).text()) as Family[]
  const valuesOf = async (name: string) =>
    (await samples()).find((family) => family.name === name)?.metrics ?? []
  const signIns = async () =>
    (await valuesOf('auth_sign_ins_total')).reduce((sum, one) => sum + Number(one.value), 0)
  /** Sends requests on connections of their own. */
  const signIn = (count: number) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const answer = await fetch(`${server.url}/token?grant_type=password`, {
          method: 'POST',
          body: JSON.stringify({ email: 'ada@example.test', password: 'correct horse' }),
          headers: { connection: 'close' },
        })
        await answer.text()
      }),
    )

  it('are the sums of all workers', async () => {
    await ask(server.url, 'POST', '/signup', {
      body: { email: 'ada@example.test', password: 'correct horse' },
    })
    const before = await signIns()
    await signIn(12)

    expect(await signIns()).toBe(before + 12)
    expect(await valuesOf('auth_running')).toMatchObject([{ value: '2' }])
    // The parser joins the series of a histogram.
    expect(await (await fetch(metricsUrl)).text()).toMatch(
      /^http_server_request_duration_seconds_count\{[^}]*http_route="\/token"[^}]*\} 12\b/m,
    )
  })

  it('contain the figures of the whole database once', async () => {
    const rows = await valuesOf('auth_outbox_messages')

    expect(rows).toHaveLength(new Set(rows.map(({ labels }) => labels?.['auth_channel'])).size)
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.every(({ value }) => value === '0')).toBe(true)
  })

  it('do not decrease when a worker dies or is replaced', async () => {
    const before = await signIns()
    const [dead, other] = workersOf(server)
    process.kill(dead ?? 0, 'SIGKILL')
    await server.printed(/"worker ended"/)
    await whenReady(server.url, 2)
    await signIn(4)
    process.kill(other ?? 0, 'SIGTERM')
    await server.printed(/is replaced"/)
    await eventually(() => expect(workersOf(server)).not.toContain(other))
    await whenReady(server.url, 2)

    expect(await signIns()).toBe(before + 4)
    expect(await valuesOf('auth_running')).toMatchObject([{ value: '2' }])
  })
})

describe('metrics of OTLP', () => {
  it('have an id of the instance for each worker', async () => {
    const collector = await startCollector()
    const settings = {
      AUTH_METRICS_ENABLED: 'true',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_RESOURCE_ATTRIBUTES: 'service.instance.id=auth-1',
    }
    const server = await startServer(database.url, settings, args)
    await server.stop()
    const ids = new Set(collector.metrics.map(({ resource }) => resource['service.instance.id']))
    await collector.close()

    expect(ids).toEqual(new Set(['auth-1-1', 'auth-1-2']))
  })
})
