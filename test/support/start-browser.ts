import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Browser, chromium } from 'playwright-core'

/** The start takes seconds while other tests run. */
export const startTimeoutMs = 90_000

/**
 * Starts Chromium: the binary in `CHROMIUM`, else `chromium` on the PATH, else the one from npm.
 *
 * @param suite the tests that are skipped if none starts: then a message is printed; with `CI=true`
 *   it throws.
 */
export async function startBrowser(suite: string): Promise<Browser | null> {
  const failures: string[] = []
  for (const start of [launchNamed, launchFromPath, launchFromPackage]) {
    try {
      const browser = await start()
      if (browser) return browser
    } catch (error) {
      failures.push(String(error).split('\n')[0] ?? '')
    }
  }
  const message = `NOT TESTED, because no browser starts here: ${suite} (${failures.join('; ')})`
  if (process.env.CI === 'true') throw new Error(message)
  console.warn(message)
  return null
}

/**
 * Starts a browser. Root may not use the sandbox. All other protections stay, since they are
 * tested.
 */
const launch = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, args: ['--no-sandbox'] })

async function launchNamed(): Promise<Browser | null> {
  const path = process.env.CHROMIUM
  return path ? launch(path) : null
}

async function launchFromPath(): Promise<Browser | null> {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const path = folders.map((folder) => join(folder, 'chromium')).find((file) => existsSync(file))
  return path ? launch(path) : null
}

async function launchFromPackage(): Promise<Browser> {
  const { default: packed } = await import('@sparticuz/chromium')
  return launch(await alone(() => packed.executablePath()))
}

/** Runs work in one process at a time: a file exists before its unpacking is complete. */
async function alone<T>(work: () => Promise<T>): Promise<T> {
  const lock = join(tmpdir(), 'latchkey-chromium.lock')
  while (!take(lock)) await sleep(250)
  try {
    return await work()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

function take(lock: string): boolean {
  try {
    mkdirSync(lock)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    // The process that created a lock of this age was killed.
    if (ageMs(lock) > startTimeoutMs) rmSync(lock, { recursive: true, force: true })
    return false
  }
}

function ageMs(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false })
  return found ? Date.now() - found.mtimeMs : 0
}
