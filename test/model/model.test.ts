import fc from 'fast-check'
import { afterAll, beforeAll, it } from 'vitest'
import { startTestAuth, type TestAuth, testPassword, testSecret } from '../support/test-auth.ts'
import { allSteps, type Real } from './commands.ts'
import { type Model, newModel } from './session-model.ts'

/** CI runs more (scripts/check.mjs). */
const stepsAtLeast = Number(process.env.MODEL_STEPS ?? 300)
const stepsPerRun = 100

let auth: TestAuth
let users = 0

beforeAll(async () => {
  auth = await startTestAuth({ jwt: { secret: testSecret, lifetimeSeconds: 3600 } })
})
afterAll(() => auth.close())

/** Creates a new user, and a second instance beside the first. */
async function startRun(): Promise<Real & { stop(): Promise<void> }> {
  const second = await auth.beside()
  const email = `model${++users}@example.test`
  const { id } = await auth.given.user(email)
  return {
    email,
    ask: (instance, method, path, options) =>
      (instance === 0 ? auth : second).request(method, path, options),
    setBan: async (banDuration) => void (await auth.auth.admin.updateUser(id, { banDuration })),
    advance: auth.clock.advance,
    stop: second.close,
  }
}

it(`behaves like its model for ${stepsAtLeast} steps over two instances`, async () => {
  const seed = Number(process.env.MODEL_SEED ?? Date.now() % 2 ** 31)
  console.log(`model: MODEL_SEED=${seed} replays this run`)
  let steps = 0
  const counted = allSteps.map((arbitrary) =>
    arbitrary.map((step) => ({
      check: (model: Model) => step.check(model),
      run: (model: Model, real: Real) => {
        steps += 1
        return step.run(model, real)
      },
      toString: () => step.toString(),
    })),
  )
  const run = fc.asyncProperty(
    fc.commands(counted, { maxCommands: stepsPerRun, size: 'max' }),
    async (commands) => {
      const real = await startRun()
      try {
        await fc.asyncModelRun(() => ({ model: newModel(testPassword), real }), commands)
      } finally {
        await real.stop()
      }
    },
  )

  // Runs have any length up to the maximum; each round has its own seed.
  for (let round = 0; steps < stepsAtLeast; round += 1) {
    await fc.assert(run, { seed: seed + round, numRuns: 10, endOnFailure: true })
  }
}, 1_200_000)
