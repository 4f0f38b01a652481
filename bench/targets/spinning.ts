import { Worker } from 'node:worker_threads'
import { answerQuestions } from '../kit/answer-questions.ts'
import { gateWidth } from '../kit/gate-width.ts'
import { hostProbe } from '../kit/host-probe.ts'

// The capacity that remains while as many threads as may hash at once are busy: no library that
// hashes so many at once can leave its host more.

const spin = 'for (;;) {}'
let workers: Worker[] = []
const { startProbe, stopProbe } = hostProbe()

answerQuestions({
  startProbe: () => {
    workers = Array.from({ length: gateWidth }, () => new Worker(spin, { eval: true }))
    startProbe()
  },
  stopProbe: async () => {
    const latency = await stopProbe()
    await Promise.all(workers.map((worker) => worker.terminate()))
    return latency
  },
})
