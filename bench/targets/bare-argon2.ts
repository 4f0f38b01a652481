import { hash, verify } from '@node-rs/argon2'
import { answerQuestions } from '../kit/answer-questions.ts'
import { argon2Cost } from '../kit/argon2-cost.ts'
import { gateWidth } from '../kit/gate-width.ts'
import { hostProbe } from '../kit/host-probe.ts'
import { password } from '../kit/people.ts'

// Only argon2: the maximum rate of a server that verifies passwords.

export interface HashingFigures {
  throughput: number
}

const passwordHash = await hash(password, argon2Cost)

answerQuestions({
  ...hostProbe(),
  verify: async (count: number): Promise<HashingFigures> => {
    let left = count
    const work = async () => {
      while (left-- > 0) await verify(passwordHash, password)
    }
    const startedAt = performance.now()
    await Promise.all(Array.from({ length: gateWidth }, work))
    return { throughput: (count / (performance.now() - startedAt)) * 1000 }
  },
})
