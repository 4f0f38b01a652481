import { answerQuestions } from '../kit/answer-questions.ts'
import { hostProbe } from '../kit/host-probe.ts'
import { besideSpinningThreads } from '../kit/spinning-threads.ts'

// The capacity that remains while as many threads as may hash at once are busy.

const { startProbe, stopProbe } = hostProbe()
let stop = Promise.withResolvers<void>()
let spinning: Promise<void> = Promise.resolve()

answerQuestions({
  startProbe: () => {
    stop = Promise.withResolvers()
    spinning = besideSpinningThreads(() => stop.promise)
    startProbe()
  },
  stopProbe: async () => {
    const latency = await stopProbe()
    stop.resolve()
    await spinning
    return latency
  },
})
