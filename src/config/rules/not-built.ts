import type { Config } from '../config.ts'
import { valueAt } from '../paths.ts'
import type { Given } from '../read-settings.ts'
import type { Setting } from '../setting.ts'
import { settings } from '../settings.ts'
import type { Rule } from './rule.ts'

/**
 * Says which of the given settings govern what is still to come. One that would protect somebody is
 * refused: whoever set it relies on it. The others are warned about, those of one section together.
 */
export const reportNotBuilt: Rule = ({ config, given, report }) => {
  const asked = settings
    .filter((setting) => asksForSomething(setting, config, given))
    .filter(({ path }) => !report.hasProblem(path))
  for (const setting of asked) {
    if (setting.status === 'protects-later') {
      report.problem(
        pathGiven(setting, given),
        'is not built yet, and refused because nothing would be protected: leave it out',
      )
    }
  }
  for (const section of inSections(asked.filter(({ status }) => status === 'offers-later'))) {
    const [first = '', ...others] = section.map((setting) => pathGiven(setting, given))
    const names = others.map((path) => report.name(path)).join(', ')
    const them = names === '' ? 'has no effect' : `has no effect, and neither have ${names}`
    report.warn(first, `${them}: this version of Latchkey does not do that yet`)
  }
}

/** A switch that is off asks for what is done anyway. */
function asksForSomething(setting: Setting, config: Config, given: Given): boolean {
  if (setting.status === 'live') return false
  if (typeof setting.default !== 'boolean') return given.has(setting.path)
  return valueAt(config, setting.resolvedPath) !== setting.default
}

/** The path of a setting, or of its section where naming that was enough to switch it on. */
const pathGiven = ({ path, onWhenNamed }: Setting, given: Given): string =>
  onWhenNamed && !given.has(path) ? sectionOf(path) : path

const sectionOf = (path: string) => path.slice(0, Math.max(path.lastIndexOf('.'), 0))

function inSections(some: readonly Setting[]): Setting[][] {
  const sections = new Map<string, Setting[]>()
  for (const setting of some) {
    const section = sectionOf(setting.path)
    sections.set(section, [...(sections.get(section) ?? []), setting])
  }
  return [...sections.values()]
}
