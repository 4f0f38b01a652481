import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type HostTracer, registerHostTracer } from './support/host-tracer.ts'
import { startTestAuth, type TestAuth, testPassword } from './support/test-auth.ts'

let host: HostTracer
let auth: TestAuth | undefined

beforeEach(() => {
  host = registerHostTracer()
})
afterEach(async () => {
  await auth?.close()
  auth = undefined
  await host.remove()
})

const telemetry = { tracing: { enabled: true }, metrics: { enabled: true } }

/** Formats a trace as a tree. */
function treeOf(spans: readonly ReadableSpan[]): string {
  const lines = (parentId: string | undefined, depth: number): string[] =>
    spans
      .filter(({ parentSpanContext }) => parentSpanContext?.spanId === parentId)
      .flatMap((span) => [
        `${'  '.repeat(depth)}${span.name}`,
        ...lines(span.spanContext().spanId, depth + 1),
      ])
  return lines(undefined, 0).join('\n')
}

async function signIn(service: TestAuth): Promise<readonly ReadableSpan[]> {
  const { email } = await service.given.user()
  const before = host.spans().length
  await host.inSpan('POST /login', () =>
    service.post('/token?grant_type=password', { email, password: testPassword }),
  )
  return host.spans().slice(before)
}

it("makes our spans children of the host's, with the host's tracer and no exporter of ours", async () => {
  auth = await startTestAuth({
    telemetry: { ...telemetry, otlp: { endpoint: 'http://127.0.0.1:1' } },
  })

  const spans = await signIn(auth)

  const names = spans.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['POST /login', 'POST /token', 'verify password']))
  expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(1)
  expect(await host.metricNames()).toEqual(
    expect.arrayContaining(['auth.sign_ins', 'http.server.request.duration']),
  )
  expect(auth.log.map(({ message }) => message)).not.toContain('traces are not exported')
  expect(auth.log.map(({ message }) => message)).toContain(
    'the process has its own OpenTelemetry, which receives them: settings of exporters and the sampler have no effect',
  )
})

it('creates the trace that the documentation shows', async () => {
  auth = await startTestAuth({ telemetry })
  const documentation = readFileSync(join(import.meta.dirname, '../docs/telemetry.md'), 'utf8')
  const [, shown = ''] =
    /<!-- trace of a sign-in -->\n```text\n([\s\S]*?)\n```/.exec(documentation) ?? []

  const tree = treeOf(await signIn(auth))

  expect(shown.replaceAll(/ {2,}\d.*$/gm, '')).toBe(tree)
})

it('starts no exporter in a host that has a tracer', async () => {
  auth = await startTestAuth()

  const spans = await signIn(auth)

  expect(spans.map(({ name }) => name)).toEqual(['POST /login'])
})
