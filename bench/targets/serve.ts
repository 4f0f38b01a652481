import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Answers, answerQuestions } from '../kit/answer-questions.ts'
import { hostProbe } from '../kit/host-probe.ts'

/** The resources that a server process has used so far. */
export interface Usage {
  cpuMicros: number
  rssBytes: number
  peakRssBytes: number
}

/**
 * Serves on a free port of 127.0.0.1, and reports the used resources to the bench.
 *
 * @param answers to further questions of the bench.
 */
export async function serve(handler: RequestListener, answers: Answers = {}): Promise<void> {
  const server = createServer(handler).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  answerQuestions({ url: () => `http://127.0.0.1:${port}`, usage, ...hostProbe(), ...answers })
}

function usage(): Usage {
  const { user, system } = process.cpuUsage()
  return {
    cpuMicros: user + system,
    rssBytes: process.memoryUsage.rss(),
    peakRssBytes: process.resourceUsage().maxRSS * 1024,
  }
}

/** The URL of the database, and the other arguments of the bench. */
export const [databaseUrl = '', ...options] = process.argv.slice(2)
