import manifest from '../../../package.json' with { type: 'json' }
import { HashingPackageMissingError } from '../../platform/errors/start-errors.ts'

/** The functions of the native addons. */
export interface HashAddons {
  argon2: Pick<typeof import('@node-rs/argon2'), 'hash' | 'hashSync' | 'verify' | 'verifySync'>
  bcrypt: Pick<typeof import('@node-rs/bcrypt'), 'verify' | 'verifySync'>
}

/**
 * Loads the native addons that hash. They are optional dependencies of their packages, one for each
 * platform, so `npm install --omit=optional` does not install them.
 *
 * @throws HashingPackageMissingError if one is not installed.
 */
export async function loadHashAddons(): Promise<HashAddons> {
  return { argon2: await loadArgon2(), bcrypt: await loadBcrypt() }
}

async function loadArgon2(): Promise<HashAddons['argon2']> {
  try {
    const { hash, hashSync, verify, verifySync } = await import('@node-rs/argon2')
    return { hash, hashSync, verify, verifySync }
  } catch (error) {
    // The package of bcrypt prints a stack if its addon is missing, too: it is not loaded.
    throw missing(['@node-rs/argon2', '@node-rs/bcrypt'], error)
  }
}

async function loadBcrypt(): Promise<HashAddons['bcrypt']> {
  try {
    const { verify, verifySync } = await import('@node-rs/bcrypt')
    return { verify, verifySync }
  } catch (error) {
    throw missing(['@node-rs/bcrypt'], error)
  }
}

type Package = '@node-rs/argon2' | '@node-rs/bcrypt'

function missing(packages: Package[], cause: unknown): HashingPackageMissingError {
  const platform = platformOf(cause)
  const addons = packages.map((name) =>
    platform === null ? name : `${name}-${platform}@${manifest.dependencies[name]}`,
  )
  return new HashingPackageMissingError(
    `The native part of ${packages.join(' and ')} cannot be loaded. ` +
      'Run `npm install --include=optional`; or, to leave out the other optional packages, ' +
      `\`npm install --omit=optional ${addons.join(' ')}\``,
    { cause },
  )
}

/** Returns the suffix of the packages for this platform: `linux-x64-gnu`. Null if it is unknown. */
function platformOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const [, platform] =
    /Cannot find (?:module|package) '@node-rs\/(?:argon2|bcrypt)-((?!wasm)[\w-]+)'/.exec(
      error.message,
    ) ?? []
  return platform ?? platformOf(error.cause)
}

/**
 * Returns the file of the addon that exports a function, as Node loaded it for this process.
 *
 * A path derived from the package's name does not exist in a host's bundle, or in a copy of it
 * without `node_modules`. In each of these cases the loaded file does.
 *
 * @throws Error where the addon was not loaded from a file, such as from WebAssembly.
 */
export function findAddon(name: string, comesFromIt: unknown): string {
  // Read from the process, since bundlers resolve static imports at build time.
  const { createRequire } = process.getBuiltinModule('node:module')
  const loaded = Object.values(createRequire(process.execPath).cache)
  const addon = loaded.find(
    (each) => each?.filename?.endsWith('.node') && each.exports?.[name] === comesFromIt,
  )
  if (!addon) throw new Error(`the addon with ${name} was not loaded from a file`)
  return addon.filename
}
