/**
 * Returns whether the optional embedded database is installed. If not, prints a message, so that
 * the run is not mistaken for a complete one. CI always has it.
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
