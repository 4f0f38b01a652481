import { execFile } from 'node:child_process'
import { pbkdf2, scryptSync } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { getPriority } from 'node:os'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import type { Compute } from './compute.ts'
import { type HashingThreads, openHashingThreads } from './hashing-threads.ts'

const cheap = { memoryCost: 64, timeCost: 1, parallelism: 1 }
const busy = { code: 'service_unavailable', status: 503 }

let opened: HashingThreads | undefined

const open = async (options: { count?: number; maxWaiting?: number } = {}) => {
  const threads = await openHashingThreads({
    count: 1,
    maxWaiting: 100,
    maxWaitMs: 60_000,
    ...options,
  })
  opened = threads
  const compute = async <Name extends Parameters<Compute>[0]>(
    ...requested: Parameters<typeof threads.compute<Name>>
  ) => (await threads.compute<Name>(...requested)).value
  return { ...threads, compute }
}

afterEach(async () => {
  await opened?.close()
})

describe('a computation', () => {
  it('has the same result as in the main thread', async () => {
    const { compute } = await open()
    const options = { N: 1024, r: 8, p: 1 }

    const hash = await compute('makeArgon2', 'open sesame', cheap)
    const key = await compute('deriveScryptKey', 'open sesame', Buffer.from('salt'), 32, options)

    expect(await compute('verifyArgon2', hash, 'open sesame')).toBe(true)
    expect(await compute('verifyArgon2', hash, 'open sesamE')).toBe(false)
    expect(Buffer.from(key)).toEqual(scryptSync('open sesame', 'salt', 32, options))
  })

  it('fails as in the main thread, and the next one is computed', async () => {
    const { compute } = await open()

    await expect(compute('verifyArgon2', 'no hash', 'open sesame')).rejects.toThrow(
      'Decoding failed',
    )
    await expect(compute('makeArgon2', 'open sesame', cheap)).resolves.toMatch(/^\$argon2id\$/)
  })

  it.each([1, 2, 3])('receives its own result among many, with %i threads', async (count) => {
    const { compute } = await open({ count })
    const passwords = Array.from({ length: 40 }, (_, index) => `password ${index}`)
    const key = (password: string) =>
      compute('deriveScryptKey', password, Buffer.from('salt'), 16, { N: 2 })

    const keys = await Promise.all(passwords.map(key))

    expect(keys.map((each) => Buffer.from(each))).toEqual(
      passwords.map((password) => scryptSync(password, 'salt', 16, { N: 2 })),
    )
  })

  it('is rejected where too many wait', async () => {
    const { compute } = await open({ maxWaiting: 1 })
    const hash = () => compute('makeArgon2', 'open sesame', cheap)
    // One is computed, one is in the thread's queue, a third waits.
    const accepted = [hash(), hash(), hash()]

    await expect(hash()).rejects.toMatchObject(busy)
    await expect(Promise.all(accepted)).resolves.toHaveLength(3)
  })
})

describe('S95: computations that take seconds', () => {
  const costly = { memoryCost: 65_536, timeCost: 8, parallelism: 1 }

  it('run one at a time, and delay no others', async () => {
    const { compute, computeCostlyWith, load } = await open()
    const computeCostly = computeCostlyWith()
    const ended: string[] = []
    await Promise.all([
      compute('makeArgon2', 'open sesame', cheap),
      computeCostly('makeArgon2', 'open sesame', cheap),
    ])

    const slow = ['slow', 'slow'].map((name) =>
      computeCostly('makeArgon2', 'open sesame', costly).then(() => ended.push(name)),
    )
    const busyWith = load()
    await compute('makeArgon2', 'open sesame', cheap).then(() => ended.push('other'))
    await Promise.all(slow)

    expect(busyWith).toEqual({ running: 1, waiting: 1 })
    expect(ended).toEqual(['other', 'slow', 'slow'])
  })

  it('end with the others when the threads are closed', async () => {
    const { computeCostlyWith, close } = await open()
    const computeCostly = computeCostlyWith()
    await computeCostly('makeArgon2', 'open sesame', cheap)

    const cut = Promise.allSettled([computeCostly('makeArgon2', 'open sesame', costly)])
    await close()

    expect(await cut).toMatchObject([{ status: 'rejected', reason: busy }])
  })
})

describe('the threads', () => {
  it('leave Node’s thread pool free for reading files', async () => {
    const { compute } = await open()
    await compute('makeArgon2', 'open sesame', cheap)
    const othersEnd = Array.from({ length: 4 }, () =>
      promisify(pbkdf2)('all of libuv', 'salt', 300_000, 32, 'sha512').then(() => 'others'),
    )

    const hashed = compute('makeArgon2', 'open sesame', cheap).then(() => 'hash')

    expect(await Promise.race([hashed, ...othersEnd])).toBe('hash')
    await Promise.all(othersEnd)
  })

  it.runIf(process.platform === 'linux')('have less priority than the others', async () => {
    const { compute } = await open()
    await compute('makeArgon2', 'open sesame', cheap)

    const priorities = readdirSync('/proc/self/task').map((thread) => getPriority(Number(thread)))

    expect(priorities).toContain(Math.min(getPriority() + 10, 19))
  })

  it('keep a process alive while they compute, and no longer', async () => {
    const source = new URL('hashing-threads.ts', import.meta.url)
    // At each computation the process has nothing else to wait for.
    const script = `
      const { openHashingThreads } = await import('${source}')
      const { compute } = await openHashingThreads({ count: 1, maxWaiting: 1, maxWaitMs: 1000 })
      const hash = () => compute('makeArgon2', 'open sesame', ${JSON.stringify(cheap)})
      hash().then(() => setImmediate(() => hash().then(() => console.log('twice'))))`

    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', script],
      { timeout: 20_000 },
    )

    expect(stdout).toBe('twice\n')
  })

  it('H30: are replaced by the thread pool where the host allows none, with one warning', async () => {
    const source = new URL('hashing-threads.ts', import.meta.url)
    const script = `
      const { openHashingThreads } = await import('${source}')
      const logger = { warn: ({ fault }) => console.log('warned', fault.code) }
      const { compute: computed, close } = await openHashingThreads({ count: 3, maxWaiting: 9, maxWaitMs: 1000, logger })
      const compute = async (...given) => (await computed(...given)).value
      const hashes = await Promise.all(
        ['a', 'b'].map((each) => compute('makeArgon2', each, ${JSON.stringify(cheap)})),
      )
      console.log(await compute('verifyArgon2', hashes[0], 'a'), await compute('verifyArgon2', hashes[0], 'b'))
      const key = await compute('deriveScryptKey', 'open sesame', Buffer.from('salt'), 32, { N: 1024 })
      console.log(Buffer.from(key).toString('hex'))
      await close()
      await compute('makeArgon2', 'c').catch(({ status }) => console.log(status))`
    const permissions = ['--permission', '--allow-fs-read=*', '--allow-addons']

    const { stdout } = await promisify(execFile)(
      process.execPath,
      [...permissions, '--no-warnings', '--input-type=module', '--eval', script],
      { timeout: 20_000 },
    )

    const key = scryptSync('open sesame', 'salt', 32, { N: 1024 }).toString('hex')
    expect(stdout).toBe(`warned ERR_ACCESS_DENIED\ntrue false\n${key}\n503\n`)
  })

  it('that fail reject their computations with 503, and are replaced', async () => {
    const { compute } = await open()
    const hash = (options: object) => compute('makeArgon2', 'open sesame', options)
    const tooMuch = Array.from({ length: 1_000_000 }, () => ({ filling: [] }))

    const [breaking, next] = [hash({ ...cheap, tooMuch }), hash(cheap)]

    await expect(breaking).rejects.toMatchObject(busy)
    await expect(next).rejects.toMatchObject(busy)
    await expect(hash(cheap)).resolves.toMatch(/^\$argon2id\$/)
  })

  it('stop when they are closed, and reject all that wait', async () => {
    const { compute, close } = await open()
    const hash = () => compute('makeArgon2', 'open sesame', cheap)
    await hash()

    const cut = Promise.allSettled([hash(), hash(), hash()])
    await close()

    const refused = { status: 'rejected', reason: busy }
    expect(await cut).toMatchObject([refused, refused, refused])
    await expect(hash()).rejects.toMatchObject(busy)
  })
})
