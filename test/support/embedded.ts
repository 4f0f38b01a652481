/**
 * Whether the embedded database is installed, which is optional. Where it is not, says so once: loudly, so that nobody
 * takes a run without it for a whole one. CI always has it: there, nothing is left out.
 */
export async function hasEmbeddedDatabase(file: string): Promise<boolean> {
  try {
    import.meta.resolve('@mikro-orm/pglite')
    return true
  } catch {
    if (process.env.CI === 'true') return true
    process.stderr.write(
      `\n*** ${file} is NOT RUN: npm has not installed @mikro-orm/pglite ***\n\n`,
    )
    return false
  }
}
