import { version } from '../../platform/kit/version.ts'
import { refuseArguments } from '../parse-flags.ts'

/** `latchkey version` */
export function printVersion(args: string[]): void {
  refuseArguments('version', args)
  process.stdout.write(`${version}\n`)
}
