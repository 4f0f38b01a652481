import { answerQuestions } from '../kit/answer-questions.ts'
import { userAgent } from '../kit/people.ts'
import type { Visit } from '../kit/population.ts'
import { quantile } from '../kit/statistics.ts'
import { oauthClient } from '../targets/latchkey/oauth-client.ts'
import { barePage, signInPage } from '../targets/latchkey/pages.ts'
import type { Operation } from '../targets/target.ts'
import { targets } from '../targets/targets.ts'
import { type Connection, encodeRequest, openConnection } from './connection.ts'

// Sends load, in a process of its own: a number of requests over a number of connections, each of
// which sends the next request after a response.

export interface Load {
  target: string
  operation: Operation
  url: string
  connections: number
  /** The user of each request, and how often the user has performed the operation before. */
  visits: Visit[]
}

export interface LoadFigures {
  requests: number
  seconds: number
  throughput: number
  p50: number
  p99: number
}

answerQuestions({ send })

async function send(load: Load): Promise<LoadFigures> {
  const requests = prepare(load)
  const connections = await Promise.all(
    Array.from({ length: load.connections }, () => openConnection(load.url)),
  )
  const latencies = new Float64Array(requests.length)

  const startedAt = performance.now()
  await Promise.all(
    connections.map(async (connection, first) => {
      for (let at = first; at < requests.length; at += connections.length) {
        latencies[at] = await timed(connection, requests[at] as Buffer)
      }
    }),
  )
  const seconds = (performance.now() - startedAt) / 1000

  for (const connection of connections) connection.close()
  return {
    requests: requests.length,
    seconds,
    throughput: requests.length / seconds,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  }
}

function prepare({ target: name, operation, url, visits }: Load): Buffer[] {
  const ask = [...targets, oauthClient, signInPage, barePage].find((target) => target.name === name)
    ?.asks[operation]
  if (!ask) throw new Error(`${name} does not support ${operation}`)
  const host = new URL(url).host
  return visits.map(({ n, times }) => {
    const { method, path, headers, body } = ask(n, times)
    return encodeRequest(method, path, { host, 'user-agent': userAgent, ...headers }, body)
  })
}

/** Returns the response time, in milliseconds. */
async function timed(connection: Connection, request: Buffer): Promise<number> {
  const startedAt = performance.now()
  const reply = await connection.send(request)
  const took = performance.now() - startedAt
  if (reply.status >= 300) throw new Error(`rejected: ${reply.text()}`)
  return took
}
